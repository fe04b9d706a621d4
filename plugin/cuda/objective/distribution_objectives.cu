/// One thread per row; the formulas are those of src/objective and common/loss/aft_loss.h, compiled for the device.
/// Bytes per row: margins 4 each, label 4 or bounds 8, weight 4 in, pairs 8 each out. The alphas, 4 bytes each, cross
/// to the device every round.
#include <cstdint>
#include <vector>

#include "common/loss/aft_loss.h"
#include "common/math.h"
#include "cuda/common/buffer.h"
#include "cuda/common/launch.h"
#include "cuda/objective/distribution_objectives.h"
#include "kauri/error.h"
#include "objective/aft.h"
#include "objective/expectile_loss.h"
#include "objective/quantile_loss.h"
#include "objective/several_alphas.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 256;

__device__ __forceinline__ std::int64_t ThreadIndex() {
  return static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
}

__device__ __forceinline__ float WeightOf(DeviceInfo const& info, std::int64_t row) {
  return info.weights.empty() ? 1.0F : info.weights.data()[row];
}

void CheckSizes(std::size_t n_expected, Span<float const> margins, Span<GradientPair> out) {
  if (margins.size() == n_expected && out.size() == n_expected) return;
  Fail(ErrorKind::kInternal, "gradients of ", n_expected, " margins asked for ", margins.size(), " margins and ",
       out.size(), " places on the device");
}

__global__ void __launch_bounds__(kThreads)
    QuantileGradientsKernel(Span<QuantileLoss const> losses, float const* margins, DeviceInfo info, GradientPair* out) {
  std::int64_t const row = ThreadIndex();
  if (row >= info.n_rows) return;
  auto const n_alphas = static_cast<std::int64_t>(losses.size());
  for (std::int64_t k = 0; k < n_alphas; ++k) {
    std::int64_t const i = row * n_alphas + k;
    out[i] = losses.data()[k].Gradient(margins[i], info.labels.data()[row], WeightOf(info, row));
  }
}

__global__ void __launch_bounds__(kThreads)
    ExpectileGradientsKernel(Span<ExpectileLoss const> losses, float const* margins, DeviceInfo info,
                             GradientPair* out) {
  std::int64_t const row = ThreadIndex();
  if (row >= info.n_rows) return;
  auto const n_alphas = static_cast<std::int64_t>(losses.size());
  ExpectileLoss::RowGradients(losses.data(), n_alphas, margins + row * n_alphas, info.labels.data()[row],
                              WeightOf(info, row), out + row * n_alphas);
}

__global__ void __launch_bounds__(kThreads)
    ExpectileValuesKernel(std::int64_t n_rows, std::int64_t n_alphas, float* values) {
  std::int64_t const row = ThreadIndex();
  if (row < n_rows) ExpectileLoss::RowValues(n_alphas, values + row * n_alphas);
}

__global__ void __launch_bounds__(kThreads)
    AftGradientsKernel(AftLoss loss, float const* margins, DeviceInfo info, GradientPair* out) {
  std::int64_t const row = ThreadIndex();
  if (row >= info.n_rows) return;
  out[row] =
      loss.Gradient(margins[row], info.lower_bounds.data()[row], info.upper_bounds.data()[row], WeightOf(info, row));
}

__global__ void __launch_bounds__(kThreads) TimesKernel(Span<float> values) {
  std::int64_t const i = ThreadIndex();
  if (i < static_cast<std::int64_t>(values.size())) values.data()[i] = ExpFloat(values.data()[i]);
}

/// Loss: QuantileLoss or ExpectileLoss.
template <typename Loss>
std::vector<Loss> LossesOf(std::vector<float> const& alphas) {
  std::vector<Loss> losses;
  for (auto const alpha : alphas) losses.push_back(Loss{alpha});
  return losses;
}

class QuantileObjective : public DeviceObjective {
 public:
  explicit QuantileObjective(std::vector<float> const& alphas) : losses_(LossesOf<QuantileLoss>(alphas)) {}

  void ComputeGradients(CudaContext const& cuda, Context const&, Span<float const> margins, DeviceInfo const& info,
                        std::int64_t, Span<GradientPair> out) const override {
    CheckSizes(info.labels.size() * losses_.size(), margins, out);
    auto const losses = ToDevice(cuda, losses_);
    Launch(cuda, GridFor(info.n_rows, kThreads), kThreads, QuantileGradientsKernel,
           Span<QuantileLoss const>(losses.span()), margins.data(), info, out.data());
  }
  bool Transforms() const override { return false; }
  void TransformMargins(CudaContext const&, Span<float>, std::int64_t) const override {}

 private:
  std::vector<QuantileLoss> losses_;
};

class ExpectileObjective : public DeviceObjective {
 public:
  explicit ExpectileObjective(std::vector<float> const& alphas) : losses_(LossesOf<ExpectileLoss>(alphas)) {}

  void ComputeGradients(CudaContext const& cuda, Context const&, Span<float const> margins, DeviceInfo const& info,
                        std::int64_t, Span<GradientPair> out) const override {
    CheckSizes(info.labels.size() * losses_.size(), margins, out);
    auto const losses = ToDevice(cuda, losses_);
    Launch(cuda, GridFor(info.n_rows, kThreads), kThreads, ExpectileGradientsKernel,
           Span<ExpectileLoss const>(losses.span()), margins.data(), info, out.data());
  }
  bool Transforms() const override { return losses_.size() > 1; }
  void TransformMargins(CudaContext const& cuda, Span<float> values, std::int64_t n_outputs) const override {
    auto const n_rows = static_cast<std::int64_t>(values.size()) / n_outputs;
    Launch(cuda, GridFor(n_rows, kThreads), kThreads, ExpectileValuesKernel, n_rows, n_outputs, values.data());
  }

 private:
  std::vector<ExpectileLoss> losses_;
};

class AftObjective : public DeviceObjective {
 public:
  explicit AftObjective(AftLoss const& loss) : loss_(loss) {}

  void ComputeGradients(CudaContext const& cuda, Context const&, Span<float const> margins, DeviceInfo const& info,
                        std::int64_t, Span<GradientPair> out) const override {
    CheckSizes(info.lower_bounds.size(), margins, out);
    CheckSizes(info.upper_bounds.size(), margins, out);
    Launch(cuda, GridFor(info.n_rows, kThreads), kThreads, AftGradientsKernel, loss_, margins.data(), info, out.data());
  }
  bool Transforms() const override { return true; }
  void TransformMargins(CudaContext const& cuda, Span<float> values, std::int64_t) const override {
    auto const n = static_cast<std::int64_t>(values.size());
    Launch(cuda, GridFor(n, kThreads), kThreads, TimesKernel, values);
  }

 private:
  AftLoss loss_;
};

}  // namespace

std::unique_ptr<DeviceObjective> MakeDeviceAlphas(Objective const& objective) {
  auto const* several = dynamic_cast<SeveralAlphas const*>(&objective);
  if (several == nullptr) return nullptr;
  if (several->Name() == "reg:quantileerror") return std::make_unique<QuantileObjective>(several->Alphas());
  if (several->Name() == "reg:expectileerror") return std::make_unique<ExpectileObjective>(several->Alphas());
  return nullptr;
}

std::unique_ptr<DeviceObjective> MakeDeviceAft(Objective const& objective) {
  auto const* aft = dynamic_cast<Aft const*>(&objective);
  return aft == nullptr ? nullptr : std::make_unique<AftObjective>(aft->Loss());
}

}  // namespace kauri::cuda
