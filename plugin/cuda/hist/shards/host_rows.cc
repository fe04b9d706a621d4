#include "cuda/hist/shards/host_rows.h"

#include <algorithm>
#include <cmath>

#include "common/text/log.h"

namespace kauri::cuda {
namespace {

/// Device memory of a row besides its codes: its number in two lists, a copied gradient and a leaf.
constexpr double kBytesOfRow = 24.0;
/// Memory of histograms and of everything else that does not grow with the rows.
constexpr double kBytesOfTrees = 512.0 * 1024 * 1024;
/// Fraction of the free memory to use; the rest is left to others.
constexpr double kUsable = 0.9;

}  // namespace

std::int64_t NumHostRows(HostRowsTask const& task, std::size_t free_bytes) {
  auto const n_rows = static_cast<double>(task.n_rows);
  auto n_host = static_cast<std::int64_t>(std::ceil(n_rows * std::max(0.0, static_cast<double>(task.ratio))));
  if (task.ratio < 0.0F) {
    auto const all = static_cast<double>(task.code_bytes);
    auto const room = kUsable * static_cast<double>(free_bytes) - kBytesOfRow * n_rows - kBytesOfTrees;
    if (all <= room) return 0;
    n_host = task.n_rows - static_cast<std::int64_t>(n_rows * std::max(0.0, room) / all);
  }
  n_host = std::min(n_host, task.n_rows);
  if (n_host == 0) return 0;
  auto const level = task.ratio < 0.0F ? LogLevel::kWarning : LogLevel::kInfo;
  Log(level, "the codes of ", n_host, " of ", task.n_rows, " rows stay in host memory (", task.code_bytes >> 20U,
      " MiB for all rows, ", free_bytes >> 20U, " MiB free on the device): each level of a tree ",
      "reads them over the bus. cache_host_ratio says how many; several devices share the rows instead.");
  return n_host;
}

}  // namespace kauri::cuda
