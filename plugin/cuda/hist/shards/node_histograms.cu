#include <algorithm>
#include <cstddef>

#include "cuda/common/launch.h"
#include "cuda/hist/shards/node_histograms.h"

namespace kauri::cuda {
namespace {

constexpr std::uint32_t kSumsPerThread = 4;
/// Number of sums of one node that a block handles.
constexpr std::uint32_t kSumsPerBlock = kSumsPerThread * kBlockThreads;

struct Put {
  __device__ void operator()(FixedSum* of_node, FixedSum const* packed) const { *of_node = *packed; }
};
struct Pack {
  __device__ void operator()(FixedSum const* of_node, FixedSum* packed) const { *packed = *of_node; }
};

/// Calls act(sum of a node, its place in the packed array) for all sums.
template <typename Act, typename Packed>
__global__ void __launch_bounds__(kBlockThreads)
    VisitSumsKernel(NodeHistograms histograms, Packed* sums, std::uint32_t blocks_per_node, Act act) {
  std::uint32_t const node = blockIdx.x / blocks_per_node;
  std::uint64_t const begin = std::uint64_t{blockIdx.x % blocks_per_node} * kSumsPerBlock;
  std::uint64_t const end = min(begin + kSumsPerBlock, histograms.n_sums);
  FixedSum* const of_node = histograms.nodes.data()[node].histogram;
  Packed* const packed = sums + static_cast<std::uint64_t>(node) * histograms.n_sums;
  for (std::uint64_t i = begin + threadIdx.x; i < end; i += kBlockThreads) act(of_node + i, packed + i);
}

/// Maximum number of sources per launch: all of eight devices except the one that adds.
constexpr std::size_t kMostSources = 7;

struct Sources {
  FixedSum const* sums[kMostSources];
  int n;
};

/// Sums of other devices have a long latency, so a thread requests its sums from all sources before it adds one.
__global__ void __launch_bounds__(kBlockThreads)
    AddSumsKernel(NodeHistograms histograms, Sources sources, std::uint32_t blocks_per_node) {
  std::uint32_t const node = blockIdx.x / blocks_per_node;
  std::uint64_t const begin = std::uint64_t{blockIdx.x % blocks_per_node} * kSumsPerBlock;
  std::uint64_t const end = min(begin + kSumsPerBlock, histograms.n_sums);
  FixedSum* const of_node = histograms.nodes.data()[node].histogram;
  std::uint64_t const first = static_cast<std::uint64_t>(node) * histograms.n_sums;
  FixedSum totals[kSumsPerThread];
#pragma unroll
  for (std::uint32_t k = 0; k < kSumsPerThread; ++k) {
    auto const i = begin + threadIdx.x + k * kBlockThreads;
    if (i < end) totals[k] = of_node[i];
  }
#pragma unroll
  for (std::size_t source = 0; source < kMostSources; ++source) {
    if (source >= static_cast<std::size_t>(sources.n)) break;
#pragma unroll
    for (std::uint32_t k = 0; k < kSumsPerThread; ++k) {
      auto const i = begin + threadIdx.x + k * kBlockThreads;
      if (i < end) totals[k] += sources.sums[source][first + i];
    }
  }
#pragma unroll
  for (std::uint32_t k = 0; k < kSumsPerThread; ++k) {
    auto const i = begin + threadIdx.x + k * kBlockThreads;
    if (i < end) of_node[i] = totals[k];
  }
}

std::uint32_t BlocksPerNode(NodeHistograms const& histograms) {
  return static_cast<std::uint32_t>((histograms.n_sums + kSumsPerBlock - 1) / kSumsPerBlock);
}

template <typename Act, typename Packed>
void Visit(CudaContext const& cuda, NodeHistograms const& histograms, Packed* sums, Act act) {
  auto const blocks_per_node = BlocksPerNode(histograms);
  auto const n_blocks = static_cast<unsigned>(histograms.nodes.size()) * blocks_per_node;
  Launch(cuda, n_blocks, kBlockThreads, VisitSumsKernel<Act, Packed>, histograms, sums, blocks_per_node, act);
}

/// Maximum number of sums per all-reduce: 256 MiB, or one histogram if that is larger.
constexpr std::size_t kMostSums = std::size_t{1} << 24U;

}  // namespace

void AddToHistograms(CudaContext const& cuda, std::vector<FixedSum const*> const& sums, NodeHistograms const& to) {
  auto const blocks_per_node = BlocksPerNode(to);
  auto const n_blocks = static_cast<unsigned>(to.nodes.size()) * blocks_per_node;
  for (std::size_t first = 0; first < sums.size(); first += kMostSources) {
    Sources sources{};
    sources.n = static_cast<int>(std::min(sums.size() - first, kMostSources));
    std::copy_n(sums.begin() + static_cast<std::ptrdiff_t>(first), sources.n, sources.sums);
    Launch(cuda, n_blocks, kBlockThreads, AddSumsKernel, to, sources, blocks_per_node);
  }
}

void PutHistograms(CudaContext const& cuda, FixedSum const* sums, NodeHistograms const& to) {
  Visit(cuda, to, sums, Put());
}

void PackHistograms(CudaContext const& cuda, NodeHistograms const& from, FixedSum* sums) {
  Visit(cuda, from, sums, Pack());
}

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
