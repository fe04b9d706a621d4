#include "cuda/tree/cut_rows.h"

#include <algorithm>

namespace kauri::cuda {

std::vector<ShardRange> CutRows(std::int64_t n_rows, std::size_t n_devices, std::int64_t fewest) {
  auto const n = std::clamp<std::int64_t>(n_rows / fewest, 1, static_cast<std::int64_t>(n_devices));
  std::vector<ShardRange> shards;
  for (std::int64_t i = 0; i < n; ++i) {
    auto const first = n_rows / n * i + std::min(i, n_rows % n);
    shards.push_back({first, n_rows / n + (i < n_rows % n ? 1 : 0)});
  }
  return shards;
}

}  // namespace kauri::cuda
