#include "common/block_sum.h"
#include "common/loss/loss_param.h"
#include "common/text/number_list.h"
#include "common/threads/parallel_for.h"
#include "objective/formula.h"
#include "objective/label_quantiles.h"
#include "objective/objective_table.h"
#include "objective/scaled_gradients.h"
#include "objective/several_alphas.h"

namespace kauri {
namespace {

constexpr char kName[] = "reg:quantileerror";

class QuantileError : public SeveralAlphas {
 public:
  explicit QuantileError(ParamMap const& params)
      : SeveralAlphas(kName, ParseParameters<QuantileParam>(params).Alphas(kName)), losses_(Losses<QuantileLoss>()) {}

  void ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t,
                        Span<GradientPair> out) const override {
    ScaledGradients(ctx, losses_, margins, info, out);
  }
  std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const override {
    return LabelQuantiles(ctx, info, Alphas(), kName);
  }
  /// Sorts each row, so that its quantiles do not cross, as margins may.
  void TransformMargins(Context const& ctx, Span<float> values, std::int64_t n_outputs) const override {
    if (n_outputs == 1) return;
    auto const n_rows = static_cast<std::int64_t>(values.size()) / n_outputs;
    ParallelForBlocks(ctx, n_rows, kRowBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      for (auto row = begin; row < end; ++row) QuantileLoss::SortRow(n_outputs, values.data() + row * n_outputs);
    });
  }
  std::string DefaultMetric() const override { return "quantile"; }
  std::string ParamKey() const override { return "quantile_loss_param"; }
  std::map<std::string, std::string> SaveParams() const override { return {{"quantile_alpha", NumbersText(Alphas())}}; }
  ObjectiveFormula Formula() const override { return {losses_}; }

 private:
  std::vector<QuantileLoss> losses_;
};

}  // namespace

void RegisterQuantileError(Registry<ObjectiveFactory>* registry) {
  registry->Add({kName, "Quantiles of the label, one output for each of quantile_alpha; they do not cross.",
                 [](ParamMap const& params) { return std::make_unique<QuantileError>(params); },
                 DescribeParameters<QuantileParam>});
}

}  // namespace kauri
