#include <cmath>

#include "common/math.h"
#include "objective/elementwise.h"
#include "objective/entries.h"
#include "objective/labels.h"
#include "objective/log_link.h"
#include "objective/reg_loss_param.h"

namespace kauri {
namespace {

class Gamma : public ElementwiseObjective {
 public:
  explicit Gamma(ParamMap const& params) : param_(ParseParameters<RegLossParam>(params)) {}

  void ValidateInfo(MetaInfo const& info) const override {
    CheckLabels(info, {Name(), "above 0", "remove the row or give it a positive label"},
                [](float label) { return label > 0.0F && std::isfinite(label); });
  }
  std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const override {
    if (param_.scale_pos_weight == 1.0F) return ElementwiseObjective::EstimateBaseScore(ctx, info);
    auto means = NewtonStep(ctx, info);
    for (auto& mean : means) mean = ExpFloat(mean);
    return means;
  }
  float BaseScoreToMargin(float base_score) const override { return LogOfBaseScore(Name(), base_score); }
  void TransformMargins(Context const& ctx, Span<float> values, std::int64_t) const override {
    ExpMargins(ctx, values);
  }
  std::string Name() const override { return "reg:gamma"; }
  std::string DefaultMetric() const override { return "gamma-deviance"; }
  std::string ParamKey() const override { return "reg_loss_param"; }
  std::map<std::string, std::string> SaveParams() const override { return param_.__DICT__(); }

 private:
  void Gradients(ElementBlock const& block) const override {
    ComputeElementGradients(GammaLoss{param_.scale_pos_weight}, block);
  }

  RegLossParam param_;
};

}  // namespace

void RegisterGamma(Registry<ObjectiveFactory>* registry) {
  registry->Add({"reg:gamma", "Positive numbers: the mean of a gamma distribution.",
                 [](ParamMap const& params) { return std::make_unique<Gamma>(params); },
                 DescribeParameters<RegLossParam>});
}

}  // namespace kauri
