/// \file aft-nloglik and interval-regression-accuracy: means over rows whose labels are label_lower_bound and
/// label_upper_bound. Predictions are margins.
#pragma once

#include <string>
#include <utility>

#include "kauri/metric.h"
#include "metric/inputs.h"
#include "metric/lane_sum.h"
#include "metric/weighted_sum.h"

namespace kauri {

/// \throws Error(kData) unless there is one prediction and two bounds for every row, and weights fit.
void CheckBoundInputs(std::string const& metric, Span<float const> predictions, MetaInfo const& info);

/// loss(margin, lower bound, upper bound).
template <typename Loss>
class BoundMetric : public Metric {
 public:
  BoundMetric(std::string name, bool higher_is_better, Loss loss)
      : name_(std::move(name)), higher_is_better_(higher_is_better), loss_(loss) {}

  std::string Name() const override { return name_; }
  bool HigherIsBetter() const override { return higher_is_better_; }
  Loss const& TheLoss() const { return loss_; }

  double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const override {
    CheckBoundInputs(name_, predictions, info);
    auto const sum = SumBlocks<WeightedSum>(ctx, info.n_rows, kRowBlock, [&](std::int64_t begin, std::int64_t end) {
      LaneSum<WeightedSum> block;
      for (auto row = begin; row < end; ++row) block.Add(row - begin, At(predictions, info, row));
      return block.Total();
    });
    return sum.Mean();
  }

 private:
  WeightedSum At(Span<float const> predictions, MetaInfo const& info, std::int64_t row) const {
    auto const i = static_cast<std::size_t>(row);
    auto const weight = info.Weight(row);
    auto const value = loss_(predictions[i], info.label_lower_bound[i], info.label_upper_bound[i]);
    return {static_cast<double>(value * weight), static_cast<double>(weight)};
  }

  std::string name_;
  bool higher_is_better_;
  Loss loss_;
};

}  // namespace kauri
