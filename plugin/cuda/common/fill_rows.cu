#include "cuda/common/fill_rows.h"
#include "cuda/common/launch.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads) FillRowsKernel(Span<float const> row, Span<float> table) {
  std::int64_t const i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < static_cast<std::int64_t>(table.size())) {
    table.data()[i] = row.data()[i % static_cast<std::int64_t>(row.size())];
  }
}

}  // namespace

void FillRows(CudaContext const& cuda, Span<float const> row, Span<float> table) {
  Launch(cuda, GridFor(static_cast<std::int64_t>(table.size()), kThreads), kThreads, FillRowsKernel, row, table);
}

}  // namespace kauri::cuda
