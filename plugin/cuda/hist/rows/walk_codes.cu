#include <algorithm>

#include "cuda/common/launch.h"
#include "cuda/hist/rows/walk_codes.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 1024;
/// Maximum size of the nodes in shared memory; larger trees are read through the first-level cache.
constexpr std::size_t kMostNodeBytes = std::size_t{100} << 10U;

/// Blocks per multiprocessor: limited by their threads (2,048 threads on data-centre devices; 1,024 or 1,536 on
/// others, whose assembler refuses to promise more).
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 800 && __CUDA_ARCH__ != 900 && __CUDA_ARCH__ != 1000
constexpr int kBlocks = 1;
#else
constexpr int kBlocks = 2;
#endif

/// kOneGroup: the codes of a row lie side by side, and each column holds one feature's codes.
template <bool kOneGroup>
__device__ __forceinline__ std::uint32_t LookUp(WalkTask const& task, std::uint32_t feature, std::int64_t row) {
  if (kOneGroup) return task.codes.bytes[row * task.width + feature];
  return CodeOf(task.codes, task.places[feature], row);
}

/// blockIdx.y: index of the tree.
template <bool kOneGroup, bool kShared>
__global__ void __launch_bounds__(kThreads, kBlocks) WalkRowsKernel(WalkTask task) {
  extern __shared__ uint4 shared_nodes[];
  auto const* nodes = task.nodes + static_cast<std::size_t>(blockIdx.y) * task.n_nodes;
  auto* const leaf_of_row = task.leaf_of_row + blockIdx.y * task.n_rows;
  if (kShared) {
    auto const* const from = reinterpret_cast<uint4 const*>(nodes);
    for (std::uint32_t i = threadIdx.x; i < task.n_nodes; i += kThreads) shared_nodes[i] = from[i];
    __syncthreads();
    nodes = reinterpret_cast<WalkNode const*>(shared_nodes);
  }
  auto const stride = static_cast<std::int64_t>(gridDim.x) * kThreads;
  for (auto row = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; row < task.n_rows; row += stride) {
    std::int32_t place = 0;
    for (WalkNode node = nodes[0]; node.left >= 0; node = nodes[place]) {
      std::uint32_t const code = LookUp<kOneGroup>(task, node.feature & ~WalkNode::kCategorical, row);
      place = node.left + (node.GoesLeft(code, task.category_bits) ? 0 : 1);
    }
    leaf_of_row[row] = place;
  }
}

template <bool kOneGroup>
void Walk(CudaContext const& cuda, WalkTask const& task) {
  int n_multiprocessors = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&n_multiprocessors, cudaDevAttrMultiProcessorCount, cuda.device));
  dim3 const blocks(std::min(GridFor(task.n_rows, kThreads), 2 * static_cast<unsigned>(n_multiprocessors)),
                    task.n_trees);
  int most_shared = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.device));
  auto const bytes = task.n_nodes * sizeof(WalkNode);
  if (bytes <= std::min(kMostNodeBytes, static_cast<std::size_t>(most_shared))) {
    LaunchSharedGrid(cuda, blocks, kThreads, bytes, WalkRowsKernel<kOneGroup, true>, task);
  } else {
    LaunchGrid(cuda, blocks, kThreads, WalkRowsKernel<kOneGroup, false>, task);
  }
}

}  // namespace

void WalkCodes(CudaContext const& cuda, WalkTask const& task) {
  if (task.width != 0) return Walk<true>(cuda, task);
  Walk<false>(cuda, task);
}

}  // namespace kauri::cuda
