#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "collective/all_rows.h"
#include "common/loss/aft_loss.h"
#include "common/loss/loss_param.h"
#include "common/sums.h"
#include "kauri/error.h"
#include "kauri/metric.h"
#include "metric/element_losses.h"
#include "metric/formula.h"
#include "metric/inputs.h"
#include "metric/metric_table.h"
#include "metric/row_losses.h"

namespace kauri {
namespace {

// aft-nloglik and interval-regression-accuracy: means over rows whose labels are label_lower_bound and
// label_upper_bound. Predictions are margins.

/// \throws Error(kData) unless there is one prediction and two bounds for every row, and weights fit.
void CheckBoundInputs(std::string const& metric, MetaInfo const& info, std::int64_t n_predictions) {
  auto const n_rows = static_cast<std::size_t>(info.n_rows);
  if (info.label_lower_bound.size() != n_rows || info.label_upper_bound.size() != n_rows) {
    Fail(ErrorKind::kData, metric, ": ", info.label_lower_bound.size(), " values of label_lower_bound and ",
         info.label_upper_bound.size(), " of label_upper_bound for ", info.n_rows, " rows; set both for every row");
  }
  if (n_predictions != info.n_rows) {
    Fail(ErrorKind::kData, metric, ": ", n_predictions, " predictions for ", info.n_rows,
         " rows; it needs one per row");
  }
  if (info.weights.empty() || info.weights.size() == n_rows) return;
  Fail(ErrorKind::kData, metric, ": ", info.weights.size(), " weights for ", info.n_rows,
       " rows; set exactly one weight per row, or none");
}

/// A mean of loss(margin, lower bound, upper bound) over rows.
template <typename Loss>
class BoundMetric : public Metric {
 public:
  BoundMetric(std::string name, bool higher_is_better, Loss loss)
      : name_(std::move(name)), higher_is_better_(higher_is_better), loss_(loss) {}

  std::string Name() const override { return name_; }
  bool HigherIsBetter() const override { return higher_is_better_; }
  void Validate(MetaInfo const& info, std::int64_t n_outputs) const override {
    CheckBoundInputs(name_, info, n_outputs * info.n_rows);
  }
  double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const override {
    CheckBoundInputs(name_, info, static_cast<std::int64_t>(predictions.size()));
    auto const loss_of = [&](std::int64_t row) { return At(predictions, info, row); };
    auto const sum = SumLossesOfRows(ctx, info, 1, loss_of);
    return sum.Mean();
  }
  MetricFormula Formula() const override { return {loss_}; }

 private:
  WeightedLoss At(Span<float const> predictions, MetaInfo const& info, std::int64_t row) const {
    auto const i = static_cast<std::size_t>(row);
    auto const weight = info.Weight(row);
    auto const value = loss_(predictions[i], info.label_lower_bound[i], info.label_upper_bound[i]);
    return {value * weight, weight};
  }

  std::string name_;
  bool higher_is_better_;
  Loss loss_;
};

class CoxLogLoss : public Metric {
 public:
  std::string Name() const override { return "cox-nloglik"; }
  void Validate(MetaInfo const& info, std::int64_t n_outputs) const override;
  double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const override;
  MetricFormula Formula() const override { return {CoxLikelihood{}}; }
};

void CoxLogLoss::Validate(MetaInfo const& info, std::int64_t n_outputs) const {
  CheckInputs(Name(), info);
  if (info.n_rows > 0 && (n_outputs != 1 || info.n_targets != 1)) {
    Fail(ErrorKind::kData, Name(), ": ", n_outputs, " predictions per row and ", info.n_targets,
         " label columns; it needs one of each");
  }
}

/// Adds up the hazards at risk from the latest to the earliest time. Returns NaN without an event. With several ranks,
/// every rank gets the predictions, labels and weights of all rows, 12 bytes each.
double CoxLogLoss::Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const {
  if (IsDistributed(ctx)) {
    auto const all = GatherLabels(ctx, info, predictions);
    return Evaluate(Alone(ctx), all.values, all.info);
  }
  Validate(info, OutputsPerRow(Name(), predictions, info));
  std::vector<std::int64_t> rows(info.labels.size());
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  auto const time_of = [&](std::int64_t row) { return std::fabs(info.labels[row]); };
  std::stable_sort(rows.begin(), rows.end(), [&](auto a, auto b) { return time_of(a) > time_of(b); });
  PrefixSums const risks(ctx, info.n_rows,
                         [&](std::int64_t place) { return static_cast<double>(predictions[rows[place]]); });
  std::vector<double> losses(rows.size());  // indexed by place
  std::int64_t n_events = 0;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && time_of(rows[end]) == time_of(rows[begin])) ++end;
    auto const risk = risks.At(static_cast<std::int64_t>(end) - 1);
    for (auto place = begin; place < end; ++place) {
      auto const row = rows[place];
      if (!CoxLikelihood::IsEvent(info.labels[row])) continue;
      losses[place] = CoxLikelihood::Loss(risk, predictions[row]);
      ++n_events;
    }
  }
  PrefixSums const sums(ctx, info.n_rows, [&](std::int64_t place) { return losses[place]; });
  return sums.Total() / static_cast<double>(n_events);
}

std::unique_ptr<Metric> MakeAft(std::string const&, ParamMap const& params) {
  auto const param = ParseParameters<AftParam>(params);
  AftLoss const loss{param.aft_loss_distribution, static_cast<double>(param.aft_loss_distribution_scale)};
  return std::make_unique<BoundMetric<AftLoss>>("aft-nloglik", false, loss);
}

std::unique_ptr<Metric> MakeAccuracy(std::string const&, ParamMap const&) {
  return std::make_unique<BoundMetric<InBounds>>("interval-regression-accuracy", true, InBounds{});
}

}  // namespace

void RegisterSurvivalMetrics(Registry<MetricFactory>* registry) {
  registry->Add({"cox-nloglik", "Negative partial log-likelihood of Cox's model per event.",
                 [](std::string const&, ParamMap const&) { return std::make_unique<CoxLogLoss>(); }});
  registry->Add({"aft-nloglik", "Mean negative log-likelihood of an accelerated failure time within the label bounds.",
                 MakeAft, DescribeParameters<AftParam>});
  registry->Add(
      {"interval-regression-accuracy", "Share of rows whose prediction lies within the label bounds.", MakeAccuracy});
}

}  // namespace kauri
