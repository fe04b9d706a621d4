#include <algorithm>

#include "common/random/random.h"
#include "cuda/common/launch.h"
#include "cuda/hist/bins/part_digest.h"

namespace kauri::cuda {
namespace {

/// Enough to fill a device, and few enough for one atomic per warp.
constexpr unsigned kMostBlocks = 2048;

/// The digest of a row sums the bits of its present values, each times a number of its column. It is then mixed with
/// the row's place.
__global__ void __launch_bounds__(kBlockThreads)
    DigestKernel(RowPart part, std::int64_t n_cols, unsigned long long* sum) {
  auto const stride = static_cast<std::int64_t>(gridDim.x) * kBlockThreads;
  std::uint64_t own = 0;
  for (auto row = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x; row < part.n_rows;
       row += stride) {
    std::uint64_t of_row = 0;
    for (std::int64_t col = 0; col < n_cols; ++col) {
      float const value = part.values[row * part.row_stride + col * part.col_stride];
      std::uint64_t const factor = static_cast<std::uint32_t>(MixBits(static_cast<std::uint64_t>(col))) | 1U;
      if (value == value) of_row += __float_as_uint(value) * factor + factor;
    }
    own += RandomBits(of_row, static_cast<std::uint64_t>(part.first_row + row));
  }
  for (int step = 16; step > 0; step /= 2) own += __shfl_xor_sync(0xFFFFFFFFU, own, step);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, static_cast<unsigned long long>(own));
}

}  // namespace

void AddDigest(CudaContext const& cuda, RowPart const& part, std::int64_t n_cols, std::uint64_t* sum) {
  static_assert(sizeof(std::uint64_t) == sizeof(unsigned long long), "the sum is one of CUDA's atomics");
  Launch(cuda, std::min(GridFor(part.n_rows, kBlockThreads), kMostBlocks), kBlockThreads, DigestKernel, part, n_cols,
         reinterpret_cast<unsigned long long*>(sum));
}

}  // namespace kauri::cuda
