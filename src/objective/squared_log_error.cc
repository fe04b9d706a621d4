#include <cmath>

#include "objective/elementwise.h"
#include "objective/entries.h"
#include "objective/labels.h"

namespace kauri {
namespace {

class SquaredLogError : public ElementwiseObjective {
 public:
  void ValidateInfo(MetaInfo const& info) const override {
    CheckLabels(info, {Name(), "above -1", "its logarithm of 1 + label must exist"},
                [](float label) { return label > -1.0F && std::isfinite(label); });
  }
  std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const override {
    return NewtonStep(ctx, info);
  }
  void TransformMargins(Context const&, Span<float>, std::int64_t) const override {}
  std::string Name() const override { return "reg:squaredlogerror"; }
  std::string DefaultMetric() const override { return "rmsle"; }

 private:
  void Gradients(ElementBlock const& block) const override { ComputeElementGradients(SquaredLogLoss{}, block); }
};

}  // namespace

void RegisterSquaredLogError(Registry<ObjectiveFactory>* registry) {
  registry->Add({"reg:squaredlogerror", "Regression with squared error of ln(1 + value).",
                 [](ParamMap const&) { return std::make_unique<SquaredLogError>(); }});
}

}  // namespace kauri
