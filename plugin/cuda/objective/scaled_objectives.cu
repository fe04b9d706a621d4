/// The losses of objective/scaled_losses.h; the formulas are the host's, compiled for the device. Per output and round:
/// 1. One thread per row writes the row's root and weight, which are added up in the host's order. 16 bytes cross to
///    the host, which computes the scale from them.
/// 2. One thread per row computes its gradients on that scale.
/// Bytes per row and output: margin 4, label 4 and weight 4 in, twice; root and weight 16 out and in; pair 8 out.
#include <cstdint>
#include <utility>
#include <vector>

#include "common/loss/label_elements.h"
#include "cuda/common/buffer.h"
#include "cuda/common/sums.h"
#include "cuda/objective/device_objective.h"
#include "cuda/objective/gradient_kernels.cuh"

namespace kauri::cuda {
namespace {

/// One output of all rows.
struct Output {
  float const* margins;  ///< [n_rows, n_outputs]
  DeviceInfo info;
  std::int64_t index;
  std::int64_t n_outputs;

  __device__ float Margin(std::int64_t row) const { return margins[row * n_outputs + index]; }
  __device__ float Label(std::int64_t row) const {
    return info.labels.data()[LabelOfOutput(row, index, info.n_targets)];
  }
  __device__ bool IsMissingLabelIn(std::int64_t row) const { return info.n_targets > 1 && IsMissingLabel(Label(row)); }
};

__global__ void __launch_bounds__(kGradientThreads) RootsKernel(Output output, WeightedSum* roots) {
  std::int64_t const row = GridThread();
  if (row >= output.info.n_rows) return;
  roots[row] = output.IsMissingLabelIn(row)
                   ? WeightedSum{}
                   : RootOfResidual(output.Margin(row), output.Label(row), WeightOf(output.info, row));
}

template <typename Loss>
__global__ void __launch_bounds__(kGradientThreads)
    ScaledGradientsKernel(Loss loss, double scale, Output output, GradientPair* out) {
  std::int64_t const row = GridThread();
  if (row >= output.info.n_rows) return;
  out[row * output.n_outputs + output.index] =
      output.IsMissingLabelIn(row)
          ? GradientPair{0.0F, 0.0F}
          : loss.Gradient(output.Margin(row), output.Label(row), WeightOf(output.info, row), scale);
}

__global__ void __launch_bounds__(kGradientThreads)
    SortRowsKernel(std::int64_t n_rows, std::int64_t n_alphas, float* values) {
  std::int64_t const row = GridThread();
  if (row < n_rows) QuantileLoss::SortRow(n_alphas, values + row * n_alphas);
}

/// Computes the gradients. margins and out: [n_rows, losses.size()], a loss for each output.
template <typename Loss>
void GradientsOnScales(CudaContext const& cuda, std::vector<Loss> const& losses, Span<float const> margins,
                       DeviceInfo const& info, Span<GradientPair> out) {
  CheckGradientSizes(ToSize(info.n_rows) * losses.size(), margins, out);
  auto const grid = GridFor(info.n_rows, kGradientThreads);
  auto const n_outputs = static_cast<std::int64_t>(losses.size());
  Buffer<WeightedSum> roots(cuda, ToSize(info.n_rows));
  for (std::int64_t index = 0; index < n_outputs; ++index) {
    Output const output{margins.data(), info, index, n_outputs};
    Launch(cuda, grid, kGradientThreads, RootsKernel, output, roots.data());
    auto const scale = ResidualScale(SumScores(cuda, roots.span()));
    Launch(cuda, grid, kGradientThreads, ScaledGradientsKernel<Loss>, losses[ToSize(index)], scale, output, out.data());
  }
}

class AbsoluteVersion : public DeviceObjective {
 public:
  void ComputeGradients(CudaContext const& cuda, Context const&, Span<float const> margins, DeviceInfo const& info,
                        std::int64_t, Span<GradientPair> out) const override {
    GradientsOnScales(cuda, std::vector<AbsoluteLoss>(ToSize(info.n_targets)), margins, info, out);
  }
  bool Transforms() const override { return false; }
  void TransformMargins(CudaContext const&, Span<float>, std::int64_t) const override {}
};

class QuantileVersion : public DeviceObjective {
 public:
  explicit QuantileVersion(std::vector<QuantileLoss> losses) : losses_(std::move(losses)) {}

  void ComputeGradients(CudaContext const& cuda, Context const&, Span<float const> margins, DeviceInfo const& info,
                        std::int64_t, Span<GradientPair> out) const override {
    GradientsOnScales(cuda, losses_, margins, info, out);
  }
  bool Transforms() const override { return losses_.size() > 1; }
  void TransformMargins(CudaContext const& cuda, Span<float> values, std::int64_t n_outputs) const override {
    auto const n_rows = static_cast<std::int64_t>(values.size()) / n_outputs;
    Launch(cuda, GridFor(n_rows, kGradientThreads), kGradientThreads, SortRowsKernel, n_rows, n_outputs, values.data());
  }

 private:
  std::vector<QuantileLoss> losses_;
};

}  // namespace

std::unique_ptr<DeviceObjective> MakeObjectiveVersion(AbsoluteLoss const&) {
  return std::make_unique<AbsoluteVersion>();
}

std::unique_ptr<DeviceObjective> MakeObjectiveVersion(std::vector<QuantileLoss> const& losses) {
  return std::make_unique<QuantileVersion>(losses);
}

}  // namespace kauri::cuda
