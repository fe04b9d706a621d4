#include <cmath>

#include "objective/elementwise.h"
#include "objective/entries.h"
#include "objective/labels.h"
#include "objective/reg_loss_param.h"

namespace kauri {
namespace {

class SquaredError : public ElementwiseObjective {
 public:
  explicit SquaredError(ParamMap const& params) : param_(ParseParameters<RegLossParam>(params)) {}

  void ValidateInfo(MetaInfo const& info) const override {
    CheckLabels(info, {"reg:squarederror", "a finite number", "remove the row or give it a label"},
                [](float label) { return std::isfinite(label); });
  }
  std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const override {
    // The step from 0 is the mean itself; only then do scaled positive rows count as in the gradients.
    return param_.scale_pos_weight == 1.0F ? ElementwiseObjective::EstimateBaseScore(ctx, info) : NewtonStep(ctx, info);
  }
  void TransformMargins(Context const&, Span<float>, std::int64_t) const override {}
  std::string Name() const override { return "reg:squarederror"; }
  std::string DefaultMetric() const override { return "rmse"; }
  std::string ParamKey() const override { return "reg_loss_param"; }
  std::map<std::string, std::string> SaveParams() const override { return param_.__DICT__(); }

 private:
  void Gradients(ElementBlock const& block) const override {
    ComputeElementGradients(SquaredErrorLoss{param_.scale_pos_weight}, block);
  }

  RegLossParam param_;
};

}  // namespace

void RegisterSquaredError(Registry<ObjectiveFactory>* registry) {
  registry->Add({"reg:squarederror", "Regression with squared error.",
                 [](ParamMap const& params) { return std::make_unique<SquaredError>(params); },
                 DescribeParameters<RegLossParam>});
}

}  // namespace kauri
