#include "cuda/common/launch.h"
#include "cuda/hist/shares/node_histograms.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 256;
/// Of one node by one block.
constexpr std::uint32_t kSumsPerBlock = 4 * kThreads;

struct Add {
  __device__ void operator()(FixedSum* of_node, FixedSum const* packed) const { *of_node += *packed; }
};
struct Put {
  __device__ void operator()(FixedSum* of_node, FixedSum const* packed) const { *of_node = *packed; }
};
struct Pack {
  __device__ void operator()(FixedSum const* of_node, FixedSum* packed) const { *packed = *of_node; }
};

/// act(sum of a node, its place side by side) for all.
template <typename Act, typename Packed>
__global__ void __launch_bounds__(kThreads)
    VisitSumsKernel(NodeHistograms histograms, Packed* sums, std::uint32_t blocks_per_node, Act act) {
  std::uint32_t const node = blockIdx.x / blocks_per_node;
  std::uint32_t const begin = blockIdx.x % blocks_per_node * kSumsPerBlock;
  std::uint32_t const end = min(begin + kSumsPerBlock, histograms.n_sums);
  FixedSum* const of_node = histograms.nodes.data()[node].histogram;
  Packed* const packed = sums + static_cast<std::uint64_t>(node) * histograms.n_sums;
  for (std::uint32_t i = begin + threadIdx.x; i < end; i += kThreads) act(of_node + i, packed + i);
}

template <typename Act, typename Packed>
void Visit(CudaContext const& cuda, NodeHistograms const& histograms, Packed* sums, Act act) {
  auto const blocks_per_node = (histograms.n_sums + kSumsPerBlock - 1) / kSumsPerBlock;
  auto const n_blocks = static_cast<unsigned>(histograms.nodes.size()) * blocks_per_node;
  Launch(cuda, n_blocks, kThreads, VisitSumsKernel<Act, Packed>, histograms, sums, blocks_per_node, act);
}

}  // namespace

void AddToHistograms(CudaContext const& cuda, FixedSum const* sums, NodeHistograms const& to) {
  Visit(cuda, to, sums, Add());
}

void PutHistograms(CudaContext const& cuda, FixedSum const* sums, NodeHistograms const& to) {
  Visit(cuda, to, sums, Put());
}

void PackHistograms(CudaContext const& cuda, NodeHistograms const& from, FixedSum* sums) {
  Visit(cuda, from, sums, Pack());
}

}  // namespace kauri::cuda
