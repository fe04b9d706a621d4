#include "cuda/hist/shares/rank_sums.h"

#include <algorithm>

#include "collective/reduce.h"

namespace kauri::cuda {
namespace {

/// Of a call, 64 MiB, unless one histogram is larger.
constexpr std::size_t kMostSums = std::size_t{1} << 22U;

}  // namespace

void RankSums::Sum(Context const& ctx, CudaContext const& cuda, NodeHistograms const& histograms) {
  auto const at_once = std::max<std::size_t>(1, kMostSums / histograms.n_sums);
  for (std::size_t first = 0; first < histograms.nodes.size(); first += at_once) {
    auto const n_nodes = std::min(at_once, histograms.nodes.size() - first);
    auto const n_sums = n_nodes * histograms.n_sums;
    NodeHistograms const some{histograms.nodes.subspan(first, n_nodes), histograms.n_sums};
    packed_.Reserve(cuda, n_sums);
    on_host_.Reserve(n_sums);
    PackSums(cuda, some, packed_.data());
    CopyToHost(cuda, packed_.data(), n_sums, on_host_.data());
    cuda.Synchronize();  // for the sums, which the other ranks get
    static_assert(sizeof(FixedSum) == 2 * sizeof(std::int64_t), "a sum is two integers");
    SumOverRanks(ctx, Span<std::int64_t>(reinterpret_cast<std::int64_t*>(on_host_.data()), 2 * n_sums));
    CopyToDevice(cuda, on_host_.data(), n_sums, packed_.data());
    PutSums(cuda, packed_.data(), some);
    if (first + at_once < histograms.nodes.size()) cuda.Synchronize();  // for the copy, before the next one's source
  }
}

}  // namespace kauri::cuda
