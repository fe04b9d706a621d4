/// \file survival:aft: accelerated failure time with interval-censored times, see common/loss/aft_loss.h.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "collective/row_ranges.h"
#include "common/loss/aft_loss.h"
#include "common/loss/loss_param.h"
#include "common/sums.h"
#include "common/threads/parallel_for.h"
#include "kauri/collective.h"
#include "kauri/error.h"
#include "kauri/objective.h"
#include "kauri/parameter.h"
#include "objective/formula.h"
#include "objective/labels.h"
#include "objective/links.h"
#include "objective/objective_table.h"

namespace kauri {
namespace {

constexpr char kAft[] = "survival:aft";

/// The objective. Labels are label_lower_bound and label_upper_bound; `labels` is not read.
class Aft : public Objective {
 public:
  explicit Aft(ParamMap const& params) : param_(ParseParameters<AftParam>(params)), loss_(LossOf(param_)) {}

  std::int64_t NumOutputs(MetaInfo const&) const override { return 1; }
  void ValidateInfo(Context const& ctx, MetaInfo const& info) const override;
  void ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t iteration,
                        Span<GradientPair> out) const override;
  /// Returns 0.5 without estimation, as in XGBoost.
  std::vector<float> EstimateBaseScore(Context const&, MetaInfo const&) const override { return {0.5F}; }
  float BaseScoreToMargin(float base_score) const override { return LogLink::BaseScoreToMargin(kAft, base_score); }
  void TransformMargins(Context const& ctx, Span<float> values, std::int64_t) const override {
    ApplyLink(LogLink{}, ctx, values);
  }
  /// Metrics of survival times take margins.
  bool EvaluatesMargins() const override { return true; }
  std::string Name() const override { return kAft; }
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

void Aft::ValidateInfo(Context const& /*ctx*/, MetaInfo const& info) const {
  auto const n_rows = static_cast<std::size_t>(info.n_rows);
  auto const& lower = info.label_lower_bound;
  auto const& upper = info.label_upper_bound;
  if (lower.size() != n_rows || upper.size() != n_rows) {
    Fail(ErrorKind::kData, kAft, ": ", lower.size(), " values of label_lower_bound and ", upper.size(),
         " of label_upper_bound for ", info.n_rows, " rows; set both for every row");
  }
  CheckRowWeights(info, {kAft, "", ""});
  for (std::size_t row = 0; row < n_rows; ++row) {
    auto const is_lower = lower[row] >= 0.0F || lower[row] == -std::numeric_limits<float>::infinity();
    if (is_lower && upper[row] > 0.0F && lower[row] <= upper[row]) continue;
    Fail(ErrorKind::kData, kAft, ": the bounds [", lower[row], ", ", upper[row], "] of row ",
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
  registry->Add({kAft, "Times between label_lower_bound and label_upper_bound: the accelerated failure time.",
                 [](ParamMap const& params) { return std::make_unique<Aft>(params); }, DescribeParameters<AftParam>});
}

// survival:cox: Cox's proportional hazards ("Regression models and life-tables", 1972).
//
// Vocabulary. A row with label y had its event at time y if y > 0, and was last seen without it at time -y otherwise
// (censored). The hazard of a row is e^margin. The rows at risk at time t are the rows with a time of t or later. The
// loss is the negative logarithm of the partial likelihood with Breslow's treatment of ties: the sum over the events
// of ln(sum of hazards at risk) - margin.
//
// (1) Rows are sorted by time. (2) The hazards at risk are added up from the last to the first time. (3) The sums of
// 1 / risk and 1 / risk^2 over the events are added up from the first to the last time. (4) The gradient of a row
// follows from its hazard and the sums at its time. Hazards are relative to the largest one, so none overflows. Both
// sums are PrefixSums, as on devices (cuda/objective/cox_objective.cu).

namespace {

constexpr char kCox[] = "survival:cox";

/// Returns the rows from the earliest to the latest time. Rows of the same time stay in their order.
std::vector<std::int64_t> RowsByTime(std::vector<float> const& labels) {
  std::vector<std::int64_t> rows(labels.size());
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::int64_t a, std::int64_t b) { return std::fabs(labels[a]) < std::fabs(labels[b]); });
  return rows;
}

class Cox : public Objective {
 public:
  std::int64_t NumOutputs(MetaInfo const&) const override { return 1; }
  void ValidateInfo(Context const& ctx, MetaInfo const& info) const override {
    if (info.n_targets != 1) Fail(ErrorKind::kData, kCox, ": ", info.n_targets, " label columns; give one column");
    CheckLabels(ctx, info, {kCox, "a finite number", "give the time of the event, or minus the time of censoring"},
                [](float label) { return std::isfinite(label); });
  }
  void ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t iteration,
                        Span<GradientPair> out) const override;
  /// Returns e^margin after one Newton step from margin 0.
  std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const override;
  float BaseScoreToMargin(float base_score) const override { return LogLink::BaseScoreToMargin(kCox, base_score); }
  void TransformMargins(Context const& ctx, Span<float> values, std::int64_t) const override {
    ApplyLink(LogLink{}, ctx, values);
  }
  std::string Name() const override { return kCox; }
  std::string DefaultMetric() const override { return "cox-nloglik"; }
  ObjectiveFormula Formula() const override { return {CoxLoss{}}; }
};

/// The range of places with the same time: [first, last].
struct TimeRange {
  std::int64_t first;
  std::int64_t last;
};

/// Returns the range of each place in `rows`: [n_rows].
std::vector<TimeRange> RangesOfTimes(std::vector<std::int64_t> const& rows, std::vector<float> const& labels) {
  std::vector<TimeRange> ranges(rows.size());
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    auto const time = std::fabs(labels[rows[begin]]);
    while (end < rows.size() && std::fabs(labels[rows[end]]) == time) ++end;
    TimeRange const range{static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end) - 1};
    std::fill(ranges.begin() + range.first, ranges.begin() + range.last + 1, range);
  }
  return ranges;
}

void Cox::ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t,
                           Span<GradientPair> out) const {
  RequireAllRowsAtRisk(ctx);
  auto const& labels = info.labels;
  CheckGradientSizes(labels.size(), margins, out);
  if (labels.empty()) return;
  auto const rows = RowsByTime(labels);
  auto const ranges = RangesOfTimes(rows, labels);
  auto const n = info.n_rows;
  auto const largest = *std::max_element(margins.begin(), margins.end());
  std::vector<double> hazards(labels.size());  // indexed by place
  PrefixSums const risks(ctx, n, [&](std::int64_t from_last) {
    auto const place = n - 1 - from_last;
    return hazards[place] = CoxLoss::Hazard(margins[rows[place]], largest);
  });
  auto const event_at = [&](std::int64_t place) {
    if (!CoxLoss::IsEvent(labels[rows[place]])) return EventSums{};
    return CoxLoss::OfEvent(risks.At(n - 1 - ranges[place].first));
  };
  PrefixSums const inverse(ctx, n, [&](std::int64_t place) { return event_at(place).inverse; });
  PrefixSums const inverse_square(ctx, n, [&](std::int64_t place) { return event_at(place).inverse_square; });
  ParallelForBlocks(ctx, n, kRowBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto place = begin; place < end; ++place) {
      auto const row = rows[place];
      EventSums const sums{inverse.At(ranges[place].last), inverse_square.At(ranges[place].last)};
      out[row] = CoxLoss::Gradient(hazards[place], CoxLoss::IsEvent(labels[row]), sums, info.Weight(row));
    }
  });
}

std::vector<float> Cox::EstimateBaseScore(Context const& ctx, MetaInfo const& info) const {
  std::vector<float> const margins(info.labels.size());
  std::vector<GradientPair> pairs(info.labels.size());
  ComputeGradients(ctx, margins, info, 0, pairs);
  double gradient = 0.0;
  double hessian = 0.0;
  for (auto const& pair : pairs) {
    gradient += static_cast<double>(pair.gradient);
    hessian += static_cast<double>(pair.hessian);
  }
  return {hessian > 0.0 ? ExpFloat(static_cast<float>(-gradient / hessian)) : 1.0F};
}

}  // namespace

void RequireAllRowsAtRisk(Context const& ctx) {
  if (!IsDistributed(ctx)) return;
  Fail(ErrorKind::kData, kCox, ": the gradient of a row depends on all rows at risk at its time, and ",
       ctx.collective->Size(), " ranks have some of the rows each; train in one process, or use survival:aft");
}

void RegisterCox(Registry<ObjectiveFactory>* registry) {
  registry->Add({kCox, "Times to an event, negative where censored: the hazard ratio of Cox's model.",
                 [](ParamMap const&) { return std::make_unique<Cox>(); }});
}

}  // namespace kauri
