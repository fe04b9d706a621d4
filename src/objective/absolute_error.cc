#include <cmath>

#include "objective/elementwise.h"
#include "objective/entries.h"
#include "objective/label_quantiles.h"
#include "objective/labels.h"

namespace kauri {
namespace {

class AbsoluteError : public ElementwiseObjective {
 public:
  void ValidateInfo(MetaInfo const& info) const override {
    CheckLabels(info, {Name(), "a finite number", "remove the row or give it a label"},
                [](float label) { return std::isfinite(label); });
  }
  std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const override {
    return LabelQuantiles(ctx, info, std::vector<float>(info.n_targets, 0.5F));
  }
  void TransformMargins(Context const&, Span<float>, std::int64_t) const override {}
  std::string Name() const override { return "reg:absoluteerror"; }
  std::string DefaultMetric() const override { return "mae"; }
  std::optional<float> LeafQuantile(std::int64_t) const override { return AbsoluteLoss::kLeafQuantile; }

 private:
  void Gradients(ElementBlock const& block) const override { ComputeElementGradients(AbsoluteLoss{}, block); }
};

}  // namespace

void RegisterAbsoluteError(Registry<ObjectiveFactory>* registry) {
  registry->Add({"reg:absoluteerror", "Regression with absolute error: leaves hold medians.",
                 [](ParamMap const&) { return std::make_unique<AbsoluteError>(); }});
}

}  // namespace kauri
