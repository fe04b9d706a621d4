/// \file survival:cox: Cox's proportional hazards ("Regression models and life-tables", 1972).
///
/// Vocabulary. A row of label y had its event at time y if y > 0, and was last seen without it at time -y otherwise
/// (censored). The hazard of a row is e^margin; at risk at time t is every row with a time of t or later. The loss is
/// the negative logarithm of the partial likelihood with Breslow's treatment of ties: the sum over the events of ln(sum
/// of hazards at risk) - margin.
///
/// (1) Rows are sorted by time. (2) From the last to the first time the hazards at risk are added up. (3) From the
/// first to the last time the events add to sums of 1 / risk and 1 / risk^2. (4) The gradient of a row follows from its
/// hazard and the sums at its time. Hazards are relative to the largest one, so none overflows.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/block_sum.h"
#include "common/math.h"
#include "common/parallel_for.h"
#include "kauri/collective.h"
#include "kauri/error.h"
#include "kauri/objective.h"
#include "objective/labels.h"
#include "objective/links.h"
#include "objective/objective_table.h"

namespace kauri {
namespace {

constexpr char kName[] = "survival:cox";

/// Rows from the earliest to the latest time, those of one time in their order.
std::vector<std::int64_t> RowsByTime(std::vector<float> const& labels) {
  std::vector<std::int64_t> rows(labels.size());
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::int64_t a, std::int64_t b) { return std::fabs(labels[a]) < std::fabs(labels[b]); });
  return rows;
}

/// Sums over the events so far of 1 / risk and 1 / risk^2.
struct EventSums {
  double inverse = 0.0;
  double inverse_square = 0.0;
};

struct Pair {
  double gradient;
  double hessian;
};

Pair RowPair(double hazard, bool has_event, EventSums const& sums) {
  auto const expected = hazard * sums.inverse;
  auto const hessian = expected - hazard * hazard * sums.inverse_square;
  return {expected - (has_event ? 1.0 : 0.0), std::max(hessian, 0.0)};
}

/// \throws Error(kData) with several ranks.
void RequireAlone(Context const& ctx) {
  if (!IsDistributed(ctx)) return;
  Fail(ErrorKind::kData, kName, ": the gradient of a row depends on all rows at risk at its time, and ",
       ctx.collective->Size(), " ranks have some of the rows each; train in one process, or use survival:aft");
}

class Cox : public Objective {
 public:
  std::int64_t NumOutputs(MetaInfo const&) const override { return 1; }
  void ValidateInfo(MetaInfo const& info) const override {
    if (info.n_targets != 1) Fail(ErrorKind::kData, kName, ": ", info.n_targets, " label columns; give one column");
    CheckLabels(info, {kName, "a finite number", "give the time of the event, or minus the time of censoring"},
                [](float label) { return std::isfinite(label); });
  }
  void ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t iteration,
                        Span<GradientPair> out) const override;
  /// e^margin of one Newton step from margin 0.
  std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const override;
  float BaseScoreToMargin(float base_score) const override { return LogLink::BaseScoreToMargin(kName, base_score); }
  void TransformMargins(Context const& ctx, Span<float> values, std::int64_t) const override {
    ApplyLink(LogLink{}, ctx, values);
  }
  std::string Name() const override { return kName; }
  std::string DefaultMetric() const override { return "cox-nloglik"; }
};

/// hazards: [n_rows], by row. The hazards at risk at the time of each place in `rows`.
std::vector<double> RiskByPlace(std::vector<std::int64_t> const& rows, std::vector<float> const& labels,
                                std::vector<double> const& hazards) {
  std::vector<double> risk(rows.size());
  double sum = 0.0;
  for (auto end = rows.size(); end > 0;) {
    auto begin = end;
    auto const time = std::fabs(labels[rows[end - 1]]);
    while (begin > 0 && std::fabs(labels[rows[begin - 1]]) == time) sum += hazards[rows[--begin]];
    std::fill(risk.begin() + static_cast<std::ptrdiff_t>(begin), risk.begin() + static_cast<std::ptrdiff_t>(end), sum);
    end = begin;
  }
  return risk;
}

void Cox::ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info, std::int64_t,
                           Span<GradientPair> out) const {
  RequireAlone(ctx);
  auto const& labels = info.labels;
  if (margins.size() != labels.size() || out.size() != labels.size()) {
    Fail(ErrorKind::kInternal, "gradients of ", labels.size(), " labels asked for ", margins.size(), " margins and ",
         out.size(), " places");
  }
  if (labels.empty()) return;
  auto const rows = RowsByTime(labels);
  auto const largest = static_cast<double>(*std::max_element(margins.begin(), margins.end()));
  std::vector<double> hazards(labels.size());
  ParallelForBlocks(ctx, info.n_rows, kRowBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = begin; row < end; ++row) hazards[row] = Exp(static_cast<double>(margins[row]) - largest);
  });
  auto const risk = RiskByPlace(rows, labels, hazards);
  EventSums sums;
  for (std::size_t begin = 0; begin < rows.size();) {
    auto end = begin;
    auto const time = std::fabs(labels[rows[begin]]);
    for (; end < rows.size() && std::fabs(labels[rows[end]]) == time; ++end) {
      if (!(labels[rows[end]] > 0.0F)) continue;
      sums.inverse += 1.0 / risk[end];
      sums.inverse_square += 1.0 / (risk[end] * risk[end]);
    }
    for (; begin < end; ++begin) {
      auto const row = rows[begin];
      auto const pair = RowPair(hazards[row], labels[row] > 0.0F, sums);
      auto const weight = static_cast<double>(info.Weight(row));
      out[row] = {static_cast<float>(pair.gradient * weight), static_cast<float>(pair.hessian * weight)};
    }
  }
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

void RegisterCox(Registry<ObjectiveFactory>* registry) {
  registry->Add({kName, "Times to an event, negative where censored: the hazard ratio of Cox's model.",
                 [](ParamMap const&) { return std::make_unique<Cox>(); }});
}

}  // namespace kauri
