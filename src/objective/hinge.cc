#include <cmath>

#include "objective/elementwise.h"
#include "objective/entries.h"
#include "objective/labels.h"

namespace kauri {
namespace {

class Hinge : public ElementwiseObjective {
 public:
  void ValidateInfo(MetaInfo const& info) const override {
    CheckLabels(info, {Name(), "0 or 1", "number the two classes 0 and 1"},
                [](float label) { return label == 0.0F || label == 1.0F; });
  }
  /// The class on whose side one Newton step from margin 0 lands.
  std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const override {
    auto scores = NewtonStep(ctx, info);
    for (auto& score : scores) score = HingeLoss::ClassOf(score);
    return scores;
  }
  void TransformMargins(Context const&, Span<float> values, std::int64_t) const override {
    for (auto& value : values) value = HingeLoss::ClassOf(value);
  }
  std::string Name() const override { return "binary:hinge"; }
  std::string DefaultMetric() const override { return "error"; }

 private:
  void Gradients(ElementBlock const& block) const override { ComputeElementGradients(HingeLoss{}, block); }
};

}  // namespace

void RegisterHinge(Registry<ObjectiveFactory>* registry) {
  registry->Add({"binary:hinge", "Two classes, 0 and 1: the class itself.",
                 [](ParamMap const&) { return std::make_unique<Hinge>(); }});
}

}  // namespace kauri
