/// \file survival:aft: accelerated failure time with interval-censored times, see common/loss/aft_loss.h.
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collective/row_ranges.h"
#include "common/block_sum.h"
#include "common/loss/aft_loss.h"
#include "common/loss/loss_param.h"
#include "common/threads/parallel_for.h"
#include "kauri/error.h"
#include "kauri/objective.h"
#include "kauri/parameter.h"
#include "objective/formula.h"
#include "objective/labels.h"
#include "objective/links.h"
#include "objective/objective_table.h"

namespace kauri {
namespace {

constexpr char kName[] = "survival:aft";

/// The objective. Labels are label_lower_bound and label_upper_bound; `labels` is not read.
class Aft : public Objective {
 public:
  explicit Aft(ParamMap const& params) : param_(ParseParameters<AftParam>(params)), loss_(LossOf(param_)) {}

  std::int64_t NumOutputs(MetaInfo const&) const override { return 1; }
  void ValidateInfo(MetaInfo const& info) const override;
  void ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t iteration,
                        Span<GradientPair> out) const override;
  /// Returns 0.5 without estimation, as in XGBoost.
  std::vector<float> EstimateBaseScore(Context const&, MetaInfo const&) const override { return {0.5F}; }
  float BaseScoreToMargin(float base_score) const override { return LogLink::BaseScoreToMargin(kName, base_score); }
  void TransformMargins(Context const& ctx, Span<float> values, std::int64_t) const override {
    ApplyLink(LogLink{}, ctx, values);
  }
  /// Metrics of survival times take margins.
  bool EvaluatesMargins() const override { return true; }
  std::string Name() const override { return kName; }
  std::string DefaultMetric() const override { return "aft-nloglik"; }
  std::string ParamKey() const override { return "aft_loss_param"; }
  std::map<std::string, std::string> SaveParams() const override { return param_.__DICT__(); }
  ObjectiveFormula Formula() const override { return {loss_}; }

 private:
  static AftLoss LossOf(AftParam const& param) {
    return {param.aft_loss_distribution, static_cast<double>(param.aft_loss_distribution_scale)};
  }

  AftParam param_;
  AftLoss loss_;
};

void Aft::ValidateInfo(MetaInfo const& info) const {
  auto const n_rows = static_cast<std::size_t>(info.n_rows);
  auto const& lower = info.label_lower_bound;
  auto const& upper = info.label_upper_bound;
  if (lower.size() != n_rows || upper.size() != n_rows) {
    Fail(ErrorKind::kData, kName, ": ", lower.size(), " values of label_lower_bound and ", upper.size(),
         " of label_upper_bound for ", info.n_rows, " rows; set both for every row");
  }
  CheckRowWeights(info, {kName, "", ""});
  for (std::size_t row = 0; row < n_rows; ++row) {
    auto const is_lower = lower[row] >= 0.0F || lower[row] == -std::numeric_limits<float>::infinity();
    if (is_lower && upper[row] > 0.0F && lower[row] <= upper[row]) continue;
    Fail(ErrorKind::kData, kName, ": the bounds [", lower[row], ", ", upper[row], "] of row ",
         GlobalRow(info, static_cast<std::int64_t>(row)),
         " are not an interval of times; give 0 <= label_lower_bound <= label_upper_bound, the latter above 0, or -inf "
         "for ",
         "no lower bound");
  }
}

void Aft::ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t,
                           Span<GradientPair> out) const {
  if (margins.size() != info.label_lower_bound.size() || out.size() != info.label_lower_bound.size()) {
    Fail(ErrorKind::kInternal, "expected ", info.label_lower_bound.size(),
         " margins and gradient pairs, one per label_lower_bound, got ", margins.size(), " margins and ", out.size(),
         " gradient pairs");
  }
  ParallelForBlocks(ctx, info.n_rows, kRowBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = begin; row < end; ++row) {
      auto const i = static_cast<std::size_t>(row);
      out[i] = loss_.Gradient(margins[i], info.label_lower_bound[i], info.label_upper_bound[i], info.Weight(row));
    }
  });
}

}  // namespace

void RegisterAft(Registry<ObjectiveFactory>* registry) {
  registry->Add({kName, "Times between label_lower_bound and label_upper_bound: the accelerated failure time.",
                 [](ParamMap const& params) { return std::make_unique<Aft>(params); }, DescribeParameters<AftParam>});
}

}  // namespace kauri
