/// \file aft-nloglik and interval-regression-accuracy: means over rows whose labels are label_lower_bound and
/// label_upper_bound. Predictions are margins.
#pragma once

#include <string>
#include <utility>

#include "kauri/metric.h"
#include "metric/formula.h"
#include "metric/row_losses.h"

namespace kauri {

/// \throws Error(kData) unless there is one prediction and two bounds for every row, and weights fit.
void CheckBoundInputs(std::string const& metric, MetaInfo const& info, std::int64_t n_predictions);

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

}  // namespace kauri
