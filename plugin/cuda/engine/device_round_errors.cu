#include "cuda/common/launch.h"
#include "cuda/engine/device_round_errors.h"

namespace kauri::cuda {
namespace {

/// residuals (out): [n_outputs, n_rows]. margins: [n_rows, n_outputs]. One thread per margin.
__global__ void __launch_bounds__(kBlockThreads)
    ResidualsKernel(DeviceInfo info, float const* margins, std::int64_t n_outputs, float* residuals) {
  std::int64_t const i = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (i >= info.n_rows * n_outputs) return;
  std::int64_t const row = i / n_outputs;
  std::int64_t const output = i - row * n_outputs;
  float const label = info.labels.data()[row * info.n_targets + (info.n_targets == 1 ? 0 : output)];
  residuals[output * info.n_rows + row] = label - margins[i];
}

}  // namespace

LineErrors DeviceRoundErrors::Of(CudaContext const& cuda, DeviceInfo const& info, Span<float const> margins,
                                 RoundTree const& tree) {
  if (slopes_.IsEmpty() || info.n_rows == 0) return {};
  auto const n_margins = static_cast<std::int64_t>(margins.size());
  if (!is_computed_) {
    residuals_.Reserve(cuda, margins.size());
    Launch(cuda, GridFor(n_margins, kBlockThreads), kBlockThreads, ResidualsKernel, info, margins.data(),
           n_margins / info.n_rows, residuals_.data());
  }
  is_computed_ = true;
  auto const n_rows = static_cast<std::size_t>(info.n_rows);
  Span<float const> const residuals(residuals_.data(), margins.size());
  return slopes_.ErrorsOf(residuals.subspan(static_cast<std::size_t>(tree.output) * n_rows, n_rows), info.weights,
                          tree.output);
}

}  // namespace kauri::cuda
