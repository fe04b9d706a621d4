#include <cstdint>

#include "cuda/common/launch.h"
#include "cuda/hist/histogram/row_ones.h"

namespace kauri::cuda {
namespace {

__global__ void __launch_bounds__(kBlockThreads) FillOnesKernel(FixedPair* ones, std::uint64_t n_rows) {
  std::uint64_t const row = static_cast<std::uint64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (row < n_rows) ones[row] = {1, 0};
}

}  // namespace

Buffer<FixedPair> MakeOnes(CudaContext const& cuda, std::size_t n_rows) {
  Buffer<FixedPair> ones(cuda, n_rows);
  Launch(cuda, GridFor(static_cast<std::int64_t>(n_rows), kBlockThreads), kBlockThreads, FillOnesKernel, ones.data(),
         n_rows);
  return ones;
}

}  // namespace kauri::cuda
