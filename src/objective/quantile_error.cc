#include <optional>

#include "common/loss/loss_param.h"
#include "common/number_list.h"
#include "objective/formula.h"
#include "objective/label_quantiles.h"
#include "objective/objective_table.h"
#include "objective/several_alphas.h"

namespace kauri {
namespace {

constexpr char kName[] = "reg:quantileerror";

class QuantileError : public SeveralAlphas {
 public:
  explicit QuantileError(ParamMap const& params)
      : SeveralAlphas(kName, ParseParameters<QuantileParam>(params).Alphas(kName)) {}

  std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const override {
    return LabelQuantiles(ctx, info, Alphas());
  }
  void TransformMargins(Context const&, Span<float>, std::int64_t) const override {}
  std::optional<float> LeafQuantile(std::int64_t output) const override { return Alphas()[output]; }
  std::string DefaultMetric() const override { return "quantile"; }
  std::string ParamKey() const override { return "quantile_loss_param"; }
  std::map<std::string, std::string> SaveParams() const override { return {{"quantile_alpha", NumbersText(Alphas())}}; }
  ObjectiveFormula Formula() const override { return {Losses<QuantileLoss>()}; }

 protected:
  void RowGradients(float const* margins, float label, float weight, GradientPair* out) const override {
    for (std::size_t k = 0; k < Alphas().size(); ++k) {
      out[k] = QuantileLoss{Alphas()[k]}.Gradient(margins[k], label, weight);
    }
  }
};

}  // namespace

void RegisterQuantileError(Registry<ObjectiveFactory>* registry) {
  registry->Add({kName, "Quantiles of the label, one output for each of quantile_alpha: leaves hold quantiles.",
                 [](ParamMap const& params) { return std::make_unique<QuantileError>(params); },
                 DescribeParameters<QuantileParam>});
}

}  // namespace kauri
