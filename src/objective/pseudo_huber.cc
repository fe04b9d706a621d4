#include <cmath>

#include "common/loss/loss_param.h"
#include "objective/elementwise.h"
#include "objective/entries.h"
#include "objective/labels.h"

namespace kauri {
namespace {

class PseudoHuber : public ElementwiseObjective {
 public:
  explicit PseudoHuber(ParamMap const& params) : param_(ParseParameters<PseudoHuberParam>(params)) {}

  void ValidateInfo(MetaInfo const& info) const override {
    CheckLabels(info, {Name(), "a finite number", "remove the row or give it a label"},
                [](float label) { return std::isfinite(label); });
  }
  std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const override {
    return NewtonStep(ctx, info);
  }
  void TransformMargins(Context const&, Span<float>, std::int64_t) const override {}
  std::string Name() const override { return "reg:pseudohubererror"; }
  std::string DefaultMetric() const override { return "mphe"; }
  std::string ParamKey() const override { return "pseudo_huber_param"; }
  std::map<std::string, std::string> SaveParams() const override { return param_.__DICT__(); }

 private:
  void Gradients(ElementBlock const& block) const override {
    ComputeElementGradients(PseudoHuberLoss{param_.huber_slope}, block);
  }

  PseudoHuberParam param_;
};

}  // namespace

void RegisterPseudoHuber(Registry<ObjectiveFactory>* registry) {
  registry->Add({"reg:pseudohubererror", "Regression with the pseudo-Huber loss, which is absolute error for outliers.",
                 [](ParamMap const& params) { return std::make_unique<PseudoHuber>(params); },
                 DescribeParameters<PseudoHuberParam>});
}

}  // namespace kauri
