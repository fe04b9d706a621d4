#include <dmlc/parameter.h>

#include <charconv>
#include <cmath>

#include "kauri/error.h"
#include "objective/elementwise.h"
#include "objective/entries.h"
#include "objective/labels.h"
#include "objective/log_link.h"

namespace kauri {

struct TweedieParam : public dmlc::Parameter<TweedieParam> {
  float tweedie_variance_power;

  DMLC_DECLARE_PARAMETER(TweedieParam) {
    DMLC_DECLARE_FIELD(tweedie_variance_power)
        .set_default(1.5F)
        .describe(
            "The variance is proportional to this power of the mean, in [1, 2): 1 as Poisson, towards 2 as gamma.");
  }

  void Validate() const {
    if (tweedie_variance_power >= 1.0F && tweedie_variance_power < 2.0F) return;
    Fail(ErrorKind::kParameter, "parameter tweedie_variance_power='", tweedie_variance_power, "' is not in [1, 2)");
  }
};

DMLC_REGISTER_PARAMETER(TweedieParam);

namespace {

class Tweedie : public ElementwiseObjective {
 public:
  explicit Tweedie(ParamMap const& params) : param_(ParseParameters<TweedieParam>(params)) {}

  void ValidateInfo(MetaInfo const& info) const override {
    CheckLabels(info, {Name(), "a number of 0 or more", "remove the row or give it such a label"},
                [](float label) { return label >= 0.0F && std::isfinite(label); });
  }
  float BaseScoreToMargin(float base_score) const override { return LogOfBaseScore(Name(), base_score); }
  void TransformMargins(Context const& ctx, Span<float> values, std::int64_t) const override {
    ExpMargins(ctx, values);
  }
  std::string Name() const override { return "reg:tweedie"; }
  std::string DefaultMetric() const override {
    char text[32];
    auto* const end = std::to_chars(text, text + sizeof(text), param_.tweedie_variance_power).ptr;
    return "tweedie-nloglik@" + std::string(text, end);
  }
  std::string ParamKey() const override { return "tweedie_regression_param"; }
  std::map<std::string, std::string> SaveParams() const override { return param_.__DICT__(); }

 private:
  void Gradients(ElementBlock const& block) const override {
    ComputeElementGradients(TweedieLoss{param_.tweedie_variance_power}, block);
  }

  TweedieParam param_;
};

}  // namespace

void RegisterTweedie(Registry<ObjectiveFactory>* registry) {
  registry->Add({"reg:tweedie", "Numbers of 0 or more, many of them 0: the mean of a Tweedie distribution.",
                 [](ParamMap const& params) { return std::make_unique<Tweedie>(params); },
                 DescribeParameters<TweedieParam>});
}

}  // namespace kauri
