#include "cuda/hist/shards/rank_sums.h"

#include <algorithm>

namespace kauri::cuda {
namespace {

/// Maximum number of sums per all-reduce: 256 MiB, or one histogram if that is larger.
constexpr std::size_t kMostSums = std::size_t{1} << 24U;

}  // namespace

void RankSums::Sum(Context const& ctx, CudaContext const& cuda, NodeHistograms const& histograms) {
  static_assert(sizeof(FixedSum) == 2 * sizeof(std::int64_t), "a sum is two integers");
  auto const at_once = std::max<std::size_t>(1, kMostSums / histograms.n_sums);
  for (std::size_t first = 0; first < histograms.nodes.size(); first += at_once) {
    auto const n_nodes = std::min(at_once, histograms.nodes.size() - first);
    auto const n_sums = n_nodes * histograms.n_sums;
    NodeHistograms const some{histograms.nodes.subspan(first, n_nodes), histograms.n_sums};
    packed_.Reserve(cuda, n_sums);
    PackHistograms(cuda, some, packed_.data());
    group_.Sum(ctx, cuda, reinterpret_cast<std::int64_t*>(packed_.data()), 2 * n_sums);
    PutHistograms(cuda, packed_.data(), some);
  }
}

}  // namespace kauri::cuda
