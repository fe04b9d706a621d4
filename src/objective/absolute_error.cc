#include "kauri/objective.h"
#include "objective/formula.h"
#include "objective/labels.h"
#include "objective/objective_table.h"
#include "objective/scaled_gradients.h"
#include "objective/target_sums.h"

namespace kauri {
namespace {

constexpr char kName[] = "reg:absoluteerror";

class AbsoluteError : public Objective {
 public:
  std::int64_t NumOutputs(MetaInfo const& info) const override { return info.n_targets; }
  void ValidateInfo(MetaInfo const& info) const override { CheckLabelsAre<FiniteLabels>(info, kName); }
  void ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t,
                        Span<GradientPair> out) const override {
    ScaledGradients(ctx, std::vector<AbsoluteLoss>(ToSize(info.n_targets)), margins, info, out);
  }
  /// One Newton step from the mean label: towards the median.
  std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const override {
    auto scores = MeanLabels(ctx, info, kName);
    std::vector<float> margins;
    margins.reserve(info.labels.size());
    for (std::int64_t row = 0; row < info.n_rows; ++row) margins.insert(margins.end(), scores.begin(), scores.end());
    std::vector<GradientPair> pairs(margins.size());
    ComputeGradients(ctx, margins, info, 0, pairs);
    auto const sums = SumByTarget(ctx, info, pairs);
    for (std::size_t target = 0; target < sums.numerator.size(); ++target) {
      scores[target] += sums.NewtonStep(static_cast<std::int64_t>(target));
    }
    return scores;
  }
  void TransformMargins(Context const&, Span<float>, std::int64_t) const override {}
  std::string DefaultMetric() const override { return "mae"; }
  std::string Name() const override { return kName; }
  ObjectiveFormula Formula() const override { return {AbsoluteLoss{}}; }
};

}  // namespace

void RegisterAbsoluteError(Registry<ObjectiveFactory>* registry) {
  registry->Add({kName,
                 "Regression with absolute error: the median of the label.",
                 [](ParamMap const&) { return std::make_unique<AbsoluteError>(); },
                 {}});
}

}  // namespace kauri
