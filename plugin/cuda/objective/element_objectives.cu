/// The losses of objective/element_losses.h: one thread per element; the formulas are the host's, compiled for the
/// device. Bytes per element: margin 4, label 4, weight 4 in, pair 8 out.
#include <type_traits>

#include "common/loss/label_elements.h"
#include "cuda/objective/device_objective.h"
#include "cuda/objective/gradient_kernels.cuh"

namespace kauri::cuda {
namespace {

template <typename Loss>
__global__ void __launch_bounds__(kGradientThreads)
    ElementGradientsKernel(Loss loss, float const* margins, DeviceInfo info, GradientPair* out) {
  std::int64_t const i = GridThread();
  if (i >= static_cast<std::int64_t>(info.labels.size())) return;
  float const weight = WeightOf(info, info.n_targets == 1 ? i : i / info.n_targets);
  float const label = info.labels.data()[i];
  bool const is_missing_label = info.n_targets > 1 && IsMissingLabel(label);
  out[i] = is_missing_label ? GradientPair{0.0F, 0.0F} : loss.Gradient(margins[i], label, weight);
}

template <typename Loss>
class ElementVersion : public DeviceObjective {
 public:
  using Link = typename Loss::Link;

  explicit ElementVersion(Loss const& loss) : loss_(loss) {}

  void ComputeGradients(CudaContext const& cuda, Context const&, Span<float const> margins, DeviceInfo const& info,
                        std::int64_t, Span<GradientPair> out) const override {
    CheckGradientSizes(info.labels.size(), margins, out);
    auto const n = static_cast<std::int64_t>(info.labels.size());
    Launch(cuda, GridFor(n, kGradientThreads), kGradientThreads, ElementGradientsKernel<Loss>, loss_, margins.data(),
           info, out.data());
  }
  bool IsOfRowsAlone() const override { return true; }
  bool Transforms() const override { return !std::is_same_v<Link, IdentityLink>; }
  void TransformMargins(CudaContext const& cuda, Span<float> values, std::int64_t) const override {
    if (Transforms()) ApplyLinkOnDevice(cuda, Link{}, values);
  }

 private:
  Loss loss_;
};

}  // namespace

#define KAURI_DEFINE_VERSION(Loss)                                          \
  std::unique_ptr<DeviceObjective> MakeObjectiveVersion(Loss const& loss) { \
    return std::make_unique<ElementVersion<Loss>>(loss);                    \
  }
KAURI_FOR_EACH_ELEMENT_LOSS(KAURI_DEFINE_VERSION)
#undef KAURI_DEFINE_VERSION

}  // namespace kauri::cuda
