#include <algorithm>

#include "common/block_sum.h"
#include "common/parallel_for.h"
#include "kauri/error.h"
#include "objective/elementwise.h"
#include "objective/entries.h"
#include "objective/labels.h"
#include "objective/reg_loss_param.h"

namespace kauri {

DMLC_REGISTER_PARAMETER(RegLossParam);

namespace {

/// The loss on margins, as binary:logitraw: predictions and base score stay margins.
class LogitRaw : public ElementwiseObjective {
 public:
  LogitRaw(std::string name, ParamMap const& params)
      : name_(std::move(name)), param_(ParseParameters<RegLossParam>(params)) {}

  void ValidateInfo(MetaInfo const& info) const override {
    CheckLabels(info, {name_, "in [0, 1]", "give probabilities, or 0 and 1 for the two classes"},
                [](float label) { return label >= 0.0F && label <= 1.0F; });
  }
  /// Without scaling the mean is the base score even here, where it is used as a margin: so does XGBoost.
  std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const override {
    return param_.scale_pos_weight == 1.0F ? ElementwiseObjective::EstimateBaseScore(ctx, info) : NewtonStep(ctx, info);
  }
  void TransformMargins(Context const&, Span<float>, std::int64_t) const override {}
  std::string Name() const override { return name_; }
  std::string DefaultMetric() const override { return "logloss"; }
  std::string ParamKey() const override { return "reg_loss_param"; }
  std::map<std::string, std::string> SaveParams() const override { return param_.__DICT__(); }

 protected:
  bool ScalesPositives() const { return param_.scale_pos_weight != 1.0F; }

 private:
  void Gradients(ElementBlock const& block) const override {
    ComputeElementGradients(LogisticLoss{param_.scale_pos_weight}, block);
  }

  std::string name_;
  RegLossParam param_;
};

/// The same with probabilities for predictions and base score.
class Logistic : public LogitRaw {
 public:
  Logistic(std::string name, std::string metric, ParamMap const& params)
      : LogitRaw(std::move(name), params), metric_(std::move(metric)) {}

  std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const override {
    auto scores = LogitRaw::EstimateBaseScore(ctx, info);
    if (ScalesPositives()) std::transform(scores.begin(), scores.end(), scores.begin(), Sigmoid);
    return scores;
  }
  float BaseScoreToMargin(float base_score) const override {
    if (!(base_score >= 0.0F && base_score <= 1.0F)) {
      Fail(ErrorKind::kParameter, "parameter base_score='", base_score, "' is not a probability; ", Name(),
           " expects a value in (0, 1)");
    }
    return LogisticLoss::Logit(std::clamp(base_score, 1e-6F, 1.0F - 1e-6F));
  }
  void TransformMargins(Context const& ctx, Span<float> values, std::int64_t) const override {
    ParallelForBlocks(ctx, static_cast<std::int64_t>(values.size()), kRowBlock,
                      [&](std::int64_t begin, std::int64_t end, std::int64_t) {
                        SigmoidInPlace(values.data() + begin, end - begin);
                      });
  }
  std::string DefaultMetric() const override { return metric_; }

 private:
  std::string metric_;
};

}  // namespace

void RegisterLogistic(Registry<ObjectiveFactory>* registry) {
  registry->Add({"reg:logistic", "Regression on labels in [0, 1]: a probability.",
                 [](ParamMap const& params) { return std::make_unique<Logistic>("reg:logistic", "rmse", params); },
                 DescribeParameters<RegLossParam>});
  registry->Add(
      {"binary:logistic", "Two classes, 0 and 1: the probability of 1.",
       [](ParamMap const& params) { return std::make_unique<Logistic>("binary:logistic", "logloss", params); },
       DescribeParameters<RegLossParam>});
  registry->Add({"binary:logitraw", "Two classes, 0 and 1: the log-odds of 1.",
                 [](ParamMap const& params) { return std::make_unique<LogitRaw>("binary:logitraw", params); },
                 DescribeParameters<RegLossParam>});
}

}  // namespace kauri
