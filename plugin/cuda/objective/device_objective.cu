/// One thread per element, or per row of several classes; the formulas are those of src/objective, compiled for the
/// device. Bytes per element: margin 4, label 4, weight 4 in, pair 8 out.
#include <charconv>
#include <string>
#include <type_traits>

#include "common/math.h"
#include "cuda/common/launch.h"
#include "cuda/objective/device_objective.h"
#include "cuda/objective/distribution_objectives.h"
#include "cuda/objective/rank_objective.h"
#include "objective/absolute_loss.h"
#include "objective/gamma_loss.h"
#include "objective/hinge_loss.h"
#include "objective/logistic_loss.h"
#include "objective/poisson_loss.h"
#include "objective/pseudo_huber_loss.h"
#include "objective/softmax_loss.h"
#include "objective/squared_error_loss.h"
#include "objective/squared_log_loss.h"
#include "objective/tweedie_loss.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 256;

__device__ __forceinline__ std::int64_t ThreadIndex() {
  return static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
}

__device__ __forceinline__ float WeightOf(DeviceInfo const& info, std::int64_t row) {
  return info.weights.empty() ? 1.0F : info.weights.data()[row];
}

template <typename Loss>
__global__ void __launch_bounds__(kThreads)
    ElementGradientsKernel(Loss loss, float const* margins, DeviceInfo info, GradientPair* out) {
  std::int64_t const i = ThreadIndex();
  if (i >= static_cast<std::int64_t>(info.labels.size())) return;
  float const weight = WeightOf(info, info.n_targets == 1 ? i : i / info.n_targets);
  out[i] = loss.Gradient(margins[i], info.labels.data()[i], weight);
}

struct ToProbability {
  __device__ float operator()(float margin) const { return Sigmoid(margin); }
};
struct ToRate {
  __device__ float operator()(float margin) const { return ExpFloat(margin); }
};

struct ToClass {
  __device__ float operator()(float margin) const { return HingeLoss::ClassOf(margin); }
};

template <typename Transform>
__global__ void __launch_bounds__(kThreads) TransformKernel(Transform transform, Span<float> values) {
  std::int64_t const i = ThreadIndex();
  if (i < static_cast<std::int64_t>(values.size())) values.data()[i] = transform(values.data()[i]);
}

/// What the classes of a row share. Exponents are computed twice: there is no room for float64 of all classes.
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

__global__ void __launch_bounds__(kThreads)
    SoftmaxGradientsKernel(std::int64_t n_classes, float const* margins, DeviceInfo info, GradientPair* out) {
  std::int64_t const row = ThreadIndex();
  if (row >= info.n_rows) return;
  RowExponents const exponents(margins + row * n_classes, n_classes);
  auto const label = static_cast<std::int64_t>(info.labels.data()[row]);
  float const weight = WeightOf(info, row);
  for (std::int64_t k = 0; k < n_classes; ++k) {
    out[row * n_classes + k] = SoftmaxLoss::Gradient(exponents.Probability(k), k == label, weight);
  }
}

__global__ void __launch_bounds__(kThreads) SoftmaxKernel(std::int64_t n_classes, std::int64_t n_rows, float* values) {
  std::int64_t const row = ThreadIndex();
  if (row >= n_rows) return;
  float* of_row = values + row * n_classes;
  RowExponents const exponents(of_row, n_classes);
  // Only the own margin is read after the sum, so writing in place is safe.
  for (std::int64_t k = 0; k < n_classes; ++k) of_row[k] = exponents.Probability(k);
}

void CheckSizes(std::size_t n_expected, Span<float const> margins, Span<GradientPair> out) {
  if (margins.size() == n_expected && out.size() == n_expected) return;
  Fail(ErrorKind::kInternal, "gradients of ", n_expected, " margins asked for ", margins.size(), " margins and ",
       out.size(), " places on the device");
}

/// Transform: void where predictions are margins.
template <typename Loss, typename Transform>
class ElementObjective : public DeviceObjective {
 public:
  explicit ElementObjective(Loss loss) : loss_(loss) {}

  void ComputeGradients(CudaContext const& cuda, Context const&, Span<float const> margins, DeviceInfo const& info,
                        std::int64_t, Span<GradientPair> out) const override {
    auto const n = static_cast<std::int64_t>(info.labels.size());
    CheckSizes(info.labels.size(), margins, out);
    Launch(cuda, GridFor(n, kThreads), kThreads, ElementGradientsKernel<Loss>, loss_, margins.data(), info, out.data());
  }
  bool Transforms() const override { return !std::is_void_v<Transform>; }
  void TransformMargins(CudaContext const& cuda, Span<float> values, std::int64_t) const override {
    if constexpr (!std::is_void_v<Transform>) {
      auto const n = static_cast<std::int64_t>(values.size());
      Launch(cuda, GridFor(n, kThreads), kThreads, TransformKernel<Transform>, Transform{}, values);
    }
  }

 private:
  Loss loss_;
};

class SoftmaxObjective : public DeviceObjective {
 public:
  explicit SoftmaxObjective(std::int64_t n_classes) : n_classes_(n_classes) {}

  void ComputeGradients(CudaContext const& cuda, Context const&, Span<float const> margins, DeviceInfo const& info,
                        std::int64_t, Span<GradientPair> out) const override {
    CheckSizes(info.labels.size() * static_cast<std::size_t>(n_classes_), margins, out);
    Launch(cuda, GridFor(info.n_rows, kThreads), kThreads, SoftmaxGradientsKernel, n_classes_, margins.data(), info,
           out.data());
  }
  bool Transforms() const override { return true; }
  void TransformMargins(CudaContext const& cuda, Span<float> values, std::int64_t n_outputs) const override {
    auto const n_rows = static_cast<std::int64_t>(values.size()) / n_outputs;
    Launch(cuda, GridFor(n_rows, kThreads), kThreads, SoftmaxKernel, n_outputs, n_rows, values.data());
  }

 private:
  std::int64_t n_classes_;
};

template <typename Transform, typename Loss>
std::unique_ptr<DeviceObjective> MakeElement(Loss loss) {
  return std::make_unique<ElementObjective<Loss, Transform>>(loss);
}

/// For an objective with one number as its parameter; nullptr if the text that it saves cannot be read back.
template <typename Transform, typename Loss>
std::unique_ptr<DeviceObjective> Make(Objective const& objective, char const* key) {
  auto const params = objective.SaveParams();
  auto const found = params.find(key);
  if (found == params.end()) return nullptr;
  auto const* end = found->second.data() + found->second.size();
  float value = 0.0F;
  auto const parsed = std::from_chars(found->second.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return nullptr;
  return MakeElement<Transform>(Loss{value});
}

}  // namespace

std::unique_ptr<DeviceObjective> MakeDeviceObjective(Objective const& objective) {
  auto const name = objective.Name();
  if (name == "reg:squarederror") return Make<void, SquaredErrorLoss>(objective, "scale_pos_weight");
  if (name == "binary:logitraw") return Make<void, LogisticLoss>(objective, "scale_pos_weight");
  if (name == "reg:logistic" || name == "binary:logistic") {
    return Make<ToProbability, LogisticLoss>(objective, "scale_pos_weight");
  }
  if (name == "count:poisson") return Make<ToRate, PoissonLoss>(objective, "max_delta_step");
  if (name == "reg:squaredlogerror") return MakeElement<void>(SquaredLogLoss{});
  if (name == "reg:absoluteerror") return MakeElement<void>(AbsoluteLoss{});
  if (name == "binary:hinge") return MakeElement<ToClass>(HingeLoss{});
  if (name == "reg:pseudohubererror") return Make<void, PseudoHuberLoss>(objective, "huber_slope");
  if (name == "reg:gamma") return Make<ToRate, GammaLoss>(objective, "scale_pos_weight");
  if (name == "reg:tweedie") return Make<ToRate, TweedieLoss>(objective, "tweedie_variance_power");
  if (name == "multi:softmax" || name == "multi:softprob") {
    return std::make_unique<SoftmaxObjective>(objective.NumClasses());
  }
  if (auto made = MakeDeviceAlphas(objective)) return made;
  if (auto made = MakeDeviceAft(objective)) return made;
  return MakeDeviceRankObjective(objective);
}

}  // namespace kauri::cuda
