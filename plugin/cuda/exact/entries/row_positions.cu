#include "cuda/common/launch.h"
#include "cuda/exact/entries/exact_types.h"
#include "cuda/exact/entries/row_positions.h"

namespace kauri::cuda {
namespace {

__global__ void FillPositionsKernel(std::int32_t position, Span<std::int32_t> positions) {
  auto const row = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row < positions.size()) positions.data()[row] = position;
}

__global__ void MarkSampledKernel(Span<std::uint8_t const> sampled, std::uint32_t* goes_left) {
  auto const row = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  std::uint32_t const word = __ballot_sync(0xFFFFFFFFU, row < sampled.size() && sampled.data()[row] != 0);
  if (threadIdx.x % 32 == 0 && row < sampled.size()) goes_left[row / 32] = word;
}

}  // namespace

void FillPositions(CudaContext const& ctx, std::int32_t position, Span<std::int32_t> positions) {
  Launch(ctx, GridFor(static_cast<std::int64_t>(positions.size()), kBlockThreads), kBlockThreads, FillPositionsKernel,
         position, positions);
}

void MarkSampled(CudaContext const& ctx, Span<std::uint8_t const> sampled, std::uint32_t* goes_left) {
  Launch(ctx, GridFor(static_cast<std::int64_t>(sampled.size()), kBlockThreads), kBlockThreads, MarkSampledKernel,
         sampled, goes_left);
}

}  // namespace kauri::cuda
