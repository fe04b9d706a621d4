#include <algorithm>
#include <cmath>

#include "kauri/error.h"
#include "kauri/objective.h"
#include "objective/formula.h"
#include "objective/labels.h"
#include "objective/objective_table.h"
#include "objective/scaled_gradients.h"
#include "objective/target_sums.h"

namespace kauri {
namespace {

constexpr char kName[] = "reg:absoluteerror";
constexpr char kRelative[] = "reg:mape";

class AbsoluteError : public Objective {
 public:
  std::int64_t NumOutputs(MetaInfo const& info) const override { return info.n_targets; }
  void ValidateInfo(Context const& ctx, MetaInfo const& info) const override {
    CheckLabelsAre<FiniteLabels>(ctx, info, kName);
  }
  void ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t,
                        Span<GradientPair> out) const override {
    ScaledGradients(ctx, std::vector<AbsoluteLoss>(ToSize(info.n_targets)), margins, info, out);
  }
  /// One Newton step from the mean label, towards the median.
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

/// |residual| / max(1, |label|): absolute error with weights that decrease with the size of the label. One factor for
/// all rows keeps the mean of the weights, because leaves that are too light are not made.
class RelativeError : public Objective {
 public:
  std::int64_t NumOutputs(MetaInfo const& info) const override { return absolute_.NumOutputs(info); }
  void ValidateInfo(Context const& ctx, MetaInfo const& info) const override {
    CheckLabelsAre<FiniteLabels>(ctx, info, kRelative);
    if (info.n_targets == 1) return;
    Fail(ErrorKind::kData, kRelative, ": ", info.n_targets,
         " label columns, but rows are weighted by one; train a model for each");
  }
  void ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t iteration,
                        Span<GradientPair> out) const override {
    absolute_.ComputeGradients(ctx, margins, Weighted(ctx, info), iteration, out);
  }
  std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const override {
    return absolute_.EstimateBaseScore(ctx, Weighted(ctx, info));
  }
  void TransformMargins(Context const&, Span<float>, std::int64_t) const override {}
  std::string DefaultMetric() const override { return "mape"; }
  std::string Name() const override { return kRelative; }

 private:
  static double Share(MetaInfo const& info, std::int64_t row) {
    auto const size = std::fabs(static_cast<double>(info.labels[row]));
    return static_cast<double>(info.Weight(row)) / std::max(size, 1.0);
  }
  /// Returns the part of `info` that the gradients read, with other weights.
  static MetaInfo Weighted(Context const& ctx, MetaInfo const& info) {
    auto const term_of = [&](std::int64_t row) {
      return TargetTerm{static_cast<double>(info.Weight(row)), Share(info, row)};
    };
    auto const sum_of = [&](std::int64_t begin, std::int64_t end) {
      TargetSums block(1);
      for (auto row = begin; row < end; ++row) block.Add(0, term_of(row).top, term_of(row).bottom);
      return block;
    };
    auto const sums = SumTargets(ctx, info, {1}, sum_of, term_of);
    MetaInfo weighted;
    weighted.n_rows = info.n_rows;
    weighted.labels = info.labels;
    weighted.global_rows = info.global_rows;
    if (info.n_rows == 0) return weighted;
    auto const factor = sums.denominator[0] > 0.0 ? sums.numerator[0] / sums.denominator[0] : 1.0;
    weighted.weights.reserve(info.labels.size());
    for (std::int64_t row = 0; row < info.n_rows; ++row) {
      weighted.weights.push_back(static_cast<float>(factor * Share(info, row)));
    }
    return weighted;
  }

  AbsoluteError absolute_;
};

}  // namespace

void RegisterAbsoluteError(Registry<ObjectiveFactory>* registry) {
  registry->Add({kName,
                 "Regression with absolute error: the median of the label.",
                 [](ParamMap const&) { return std::make_unique<AbsoluteError>(); },
                 {}});
  registry->Add({kRelative,
                 "Regression with absolute error as a share of the label, or of 1 where the label is smaller.",
                 [](ParamMap const&) { return std::make_unique<RelativeError>(); },
                 {}});
}

}  // namespace kauri
