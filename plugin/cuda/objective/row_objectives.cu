/// reg:expectileerror and survival:aft: one thread per row; the formulas are the host's, compiled for the device. Bytes
/// per row: margins 4 each, label 4 or bounds 8, weight 4 in, pairs 8 each out. The alphas, 4 bytes each, are copied to
/// the device every round.
#include <cstdint>
#include <utility>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/objective/device_objective.h"
#include "cuda/objective/gradient_kernels.cuh"

namespace kauri::cuda {
namespace {

__global__ void __launch_bounds__(kGradientThreads)
    ExpectileGradientsKernel(Span<ExpectileLoss const> losses, float const* margins, DeviceInfo info,
                             GradientPair* out) {
  std::int64_t const row = GridThread();
  if (row >= info.n_rows) return;
  auto const n_alphas = static_cast<std::int64_t>(losses.size());
  ExpectileLoss::RowGradients(losses.data(), n_alphas, margins + row * n_alphas, info.labels.data()[row],
                              WeightOf(info, row), out + row * n_alphas);
}

__global__ void __launch_bounds__(kGradientThreads)
    ExpectileValuesKernel(std::int64_t n_rows, std::int64_t n_alphas, float* values) {
  std::int64_t const row = GridThread();
  if (row < n_rows) ExpectileLoss::RowValues(n_alphas, values + row * n_alphas);
}

__global__ void __launch_bounds__(kGradientThreads)
    AftGradientsKernel(AftLoss loss, float const* margins, DeviceInfo info, GradientPair* out) {
  std::int64_t const row = GridThread();
  if (row >= info.n_rows) return;
  out[row] =
      loss.Gradient(margins[row], info.lower_bounds.data()[row], info.upper_bounds.data()[row], WeightOf(info, row));
}

class ExpectileVersion : public DeviceObjective {
 public:
  explicit ExpectileVersion(std::vector<ExpectileLoss> losses) : losses_(std::move(losses)) {}

  void ComputeGradients(CudaContext const& cuda, Context const&, Span<float const> margins, DeviceInfo const& info,
                        std::int64_t, Span<GradientPair> out) const override {
    CheckGradientSizes(info.labels.size() * losses_.size(), margins, out);
    auto const losses = ToDevice(cuda, losses_);
    Launch(cuda, GridFor(info.n_rows, kGradientThreads), kGradientThreads, ExpectileGradientsKernel,
           Span<ExpectileLoss const>(losses.span()), margins.data(), info, out.data());
  }
  bool IsOfRowsAlone() const override { return true; }
  bool Transforms() const override { return losses_.size() > 1; }
  void TransformMargins(CudaContext const& cuda, Span<float> values, std::int64_t n_outputs) const override {
    auto const n_rows = static_cast<std::int64_t>(values.size()) / n_outputs;
    Launch(cuda, GridFor(n_rows, kGradientThreads), kGradientThreads, ExpectileValuesKernel, n_rows, n_outputs,
           values.data());
  }

 private:
  std::vector<ExpectileLoss> losses_;
};

class AftVersion : public DeviceObjective {
 public:
  explicit AftVersion(AftLoss const& loss) : loss_(loss) {}

  void ComputeGradients(CudaContext const& cuda, Context const&, Span<float const> margins, DeviceInfo const& info,
                        std::int64_t, Span<GradientPair> out) const override {
    CheckGradientSizes(info.lower_bounds.size(), margins, out);
    CheckGradientSizes(info.upper_bounds.size(), margins, out);
    Launch(cuda, GridFor(info.n_rows, kGradientThreads), kGradientThreads, AftGradientsKernel, loss_, margins.data(),
           info, out.data());
  }
  bool IsOfRowsAlone() const override { return true; }
  bool Transforms() const override { return true; }
  void TransformMargins(CudaContext const& cuda, Span<float> values, std::int64_t) const override {
    ApplyLinkOnDevice(cuda, LogLink{}, values);
  }

 private:
  AftLoss loss_;
};

}  // namespace

std::unique_ptr<DeviceObjective> MakeObjectiveVersion(std::vector<ExpectileLoss> const& losses) {
  return std::make_unique<ExpectileVersion>(losses);
}

std::unique_ptr<DeviceObjective> MakeObjectiveVersion(AftLoss const& loss) {
  return std::make_unique<AftVersion>(loss);
}

}  // namespace kauri::cuda
