#include <algorithm>

#include "cuda/hist/histogram/add_rows.h"

namespace kauri::cuda {
namespace {

/// Minimum number of rows that justify a block's clearing and flushing of its sums.
constexpr std::int64_t kLeastRowsPerBlock = 128;

/// Number of waves of blocks after which a group's share is even enough.
constexpr std::int64_t kMostWaves = 8;

/// Returns the number of blocks of each group for which the blocks of all groups fill the device best in whole waves.
std::int64_t ShareOfGroup(std::int64_t n_multiprocessors, std::int64_t n_groups) {
  std::int64_t best = 1;
  double most_used = 0.0;
  for (std::int64_t waves = 1; waves <= kMostWaves; ++waves) {
    auto const places = waves * n_multiprocessors;
    auto const blocks = places / n_groups;
    auto const used = static_cast<double>(blocks * n_groups) / static_cast<double>(places);
    if (used <= most_used) continue;
    most_used = used;
    best = blocks;
    if (used > 0.9) break;  // more blocks mean more flushes
  }
  return best;
}

}  // namespace

unsigned BlocksForRows(CudaContext const& cuda, std::int64_t n_rows, std::int64_t n_groups) {
  int n_multiprocessors = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&n_multiprocessors, cudaDevAttrMultiProcessorCount, cuda.device));
  auto const wanted = (n_rows + kLeastRowsPerBlock - 1) / kLeastRowsPerBlock;
  return static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, ShareOfGroup(n_multiprocessors, n_groups)));
}

}  // namespace kauri::cuda
