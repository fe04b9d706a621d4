#include <cstdint>

#include "cuda/common/fill_margins.h"
#include "cuda/common/launch.h"

namespace kauri::cuda {
namespace {

__global__ void __launch_bounds__(kBlockThreads) FillMarginsKernel(Span<float const> start, Span<float> margins) {
  std::int64_t const i = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (i < static_cast<std::int64_t>(margins.size())) {
    margins.data()[i] = start.data()[i % static_cast<std::int64_t>(start.size())];
  }
}

}  // namespace

void FillMargins(CudaContext const& cuda, Span<float const> start, Span<float> margins) {
  Launch(cuda, GridFor(static_cast<std::int64_t>(margins.size()), kBlockThreads), kBlockThreads, FillMarginsKernel,
         start, margins);
}

}  // namespace kauri::cuda
