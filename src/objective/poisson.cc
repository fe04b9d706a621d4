#include <dmlc/parameter.h>

#include <cmath>

#include "objective/elementwise.h"
#include "objective/entries.h"
#include "objective/labels.h"
#include "objective/log_link.h"

namespace kauri {

struct PoissonParam : public dmlc::Parameter<PoissonParam> {
  float max_delta_step;

  DMLC_DECLARE_PARAMETER(PoissonParam) {
    DMLC_DECLARE_FIELD(max_delta_step)
        .set_default(0.7F)
        .set_range(0.0F, 3.402823466e38F)
        .describe("Added to the margin in the hessian, and the largest absolute weight of a leaf; 0 sets no limit.");
  }

  void Validate() const {}
};

DMLC_REGISTER_PARAMETER(PoissonParam);

namespace {

class Poisson : public ElementwiseObjective {
 public:
  explicit Poisson(ParamMap const& params) : param_(ParseParameters<PoissonParam>(params)) {}

  void ValidateInfo(MetaInfo const& info) const override {
    CheckLabels(info, {"count:poisson", "a count of 0 or more", "remove the row or give it a count"},
                [](float label) { return label >= 0.0F && std::isfinite(label); });
  }
  float BaseScoreToMargin(float base_score) const override { return LogOfBaseScore(Name(), base_score); }
  void TransformMargins(Context const& ctx, Span<float> values, std::int64_t) const override {
    ExpMargins(ctx, values);
  }
  std::string Name() const override { return "count:poisson"; }
  std::string DefaultMetric() const override { return "poisson-nloglik"; }
  std::map<std::string, std::string> ParameterDefaults() const override { return {{"max_delta_step", "0.7"}}; }
  std::string ParamKey() const override { return "poisson_regression_param"; }
  std::map<std::string, std::string> SaveParams() const override { return param_.__DICT__(); }

 private:
  void Gradients(ElementBlock const& block) const override {
    ComputeElementGradients(PoissonLoss{param_.max_delta_step}, block);
  }

  PoissonParam param_;
};

}  // namespace

void RegisterPoisson(Registry<ObjectiveFactory>* registry) {
  registry->Add({"count:poisson", "Counts: the rate of a Poisson distribution.",
                 [](ParamMap const& params) { return std::make_unique<Poisson>(params); },
                 DescribeParameters<PoissonParam>});
}

}  // namespace kauri
