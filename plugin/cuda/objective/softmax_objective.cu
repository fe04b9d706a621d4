/// multi:softmax and multi:softprob: one thread per row, with the formulas of objective/formula.h. Bytes per row:
/// margins 4 each, read three times, label 4, weight 4 in, pairs 8 each out. With up to kFewClasses classes the
/// exponents are computed once and kept in registers.
#include "common/math.h"
#include "cuda/objective/device_objective.h"
#include "cuda/objective/gradient_kernels.cuh"

namespace kauri::cuda {
namespace {

constexpr std::int64_t kFewClasses = 8;

/// Computes the gradients of a row with few classes, like RowExponents.
__device__ __forceinline__ void FewClassGradients(float const* margins, std::int64_t n_classes, std::int64_t label,
                                                  float weight, GradientPair* out) {
  float own[kFewClasses];
  float largest = margins[0];
#pragma unroll
  for (std::int64_t k = 0; k < kFewClasses; ++k) {
    own[k] = k < n_classes ? margins[k] : 0.0F;
    if (k > 0 && k < n_classes) largest = own[k] > largest ? own[k] : largest;
  }
  double exponents[kFewClasses];
  double sum = 0.0;
#pragma unroll
  for (std::int64_t k = 0; k < kFewClasses; ++k) {
    if (k >= n_classes) break;
    exponents[k] = Exp(static_cast<double>(own[k]) - static_cast<double>(largest));
    sum += exponents[k];
  }
  double const inverse_sum = 1.0 / sum;
#pragma unroll
  for (std::int64_t k = 0; k < kFewClasses; ++k) {
    if (k >= n_classes) break;
    out[k] = SoftmaxLoss::Gradient(SoftmaxLoss::Probability(exponents[k], inverse_sum), k == label, weight);
  }
}

/// Values common to the classes of a row. Exponents are computed twice, because there is no room for float64 of all
/// classes.
struct RowExponents {
  float const* margins;
  float largest;
  double inverse_sum;

  __device__ RowExponents(float const* of_row, std::int64_t n_classes) : margins(of_row), largest(of_row[0]) {
    for (std::int64_t k = 1; k < n_classes; ++k) largest = margins[k] > largest ? margins[k] : largest;
    double sum = 0.0;
    for (std::int64_t k = 0; k < n_classes; ++k) sum += Exponent(k);
    inverse_sum = 1.0 / sum;
  }
  __device__ double Exponent(std::int64_t k) const {
    return Exp(static_cast<double>(margins[k]) - static_cast<double>(largest));
  }
  __device__ float Probability(std::int64_t k) const { return SoftmaxLoss::Probability(Exponent(k), inverse_sum); }
};

__global__ void __launch_bounds__(kGradientThreads)
    SoftmaxGradientsKernel(std::int64_t n_classes, float const* margins, DeviceInfo info, GradientPair* out) {
  std::int64_t const row = GridThread();
  if (row >= info.n_rows) return;
  auto const label = static_cast<std::int64_t>(info.labels.data()[row]);
  float const weight = WeightOf(info, row);
  if (n_classes <= kFewClasses) {
    return FewClassGradients(margins + row * n_classes, n_classes, label, weight, out + row * n_classes);
  }
  RowExponents const exponents(margins + row * n_classes, n_classes);
  for (std::int64_t k = 0; k < n_classes; ++k) {
    out[row * n_classes + k] = SoftmaxLoss::Gradient(exponents.Probability(k), k == label, weight);
  }
}

__global__ void __launch_bounds__(kGradientThreads)
    SoftmaxKernel(std::int64_t n_classes, std::int64_t n_rows, float* values) {
  std::int64_t const row = GridThread();
  if (row >= n_rows) return;
  float* of_row = values + row * n_classes;
  RowExponents const exponents(of_row, n_classes);
  // Only the own margin is read after the sum, so writing in place is safe.
  for (std::int64_t k = 0; k < n_classes; ++k) of_row[k] = exponents.Probability(k);
}

class SoftmaxVersion : public DeviceObjective {
 public:
  explicit SoftmaxVersion(std::int64_t n_classes) : n_classes_(n_classes) {}

  void ComputeGradients(CudaContext const& cuda, Context const&, Span<float const> margins, DeviceInfo const& info,
                        std::int64_t, Span<GradientPair> out) const override {
    CheckGradientSizes(info.labels.size() * static_cast<std::size_t>(n_classes_), margins, out);
    Launch(cuda, GridFor(info.n_rows, kGradientThreads), kGradientThreads, SoftmaxGradientsKernel, n_classes_,
           margins.data(), info, out.data());
  }
  bool IsOfRowsAlone() const override { return true; }
  bool Transforms() const override { return true; }
  void TransformMargins(CudaContext const& cuda, Span<float> values, std::int64_t n_outputs) const override {
    auto const n_rows = static_cast<std::int64_t>(values.size()) / n_outputs;
    Launch(cuda, GridFor(n_rows, kGradientThreads), kGradientThreads, SoftmaxKernel, n_outputs, n_rows, values.data());
  }

 private:
  std::int64_t n_classes_;
};

}  // namespace

std::unique_ptr<DeviceObjective> MakeObjectiveVersion(SoftmaxLoss const& loss) {
  return std::make_unique<SoftmaxVersion>(loss.n_classes);
}

}  // namespace kauri::cuda
