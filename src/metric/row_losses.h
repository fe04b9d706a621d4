/// \file Losses of rows, added up over the rows of all ranks.
///
/// The value of a mean-over-rows metric for a single row; for a root of a mean, without the root. Weights are
/// ignored.
#pragma once

#include <cstdint>

#include "collective/row_sums.h"
#include "common/sums.h"
#include "kauri/meta_info.h"
#include "kauri/metric.h"
#include "metric/formula.h"

namespace kauri {

/// The loss of one item: of a row and its output or target. In float32, as in the sums of the host and of devices.
struct WeightedLoss {
  float loss;  ///< times the weight
  float weight;

  WeightedSum Sum() const { return {static_cast<double>(loss), static_cast<double>(weight)}; }
};

/// Sums losses over all ranks. sum_of(begin, end): the sum of a block of items of this rank in lanes. loss_of(item):
/// the WeightedLoss of one item.
template <typename SumOf, typename LossOf>
WeightedSum SumLossesOfRows(Context const& ctx, MetaInfo const& info, std::int64_t per_row, SumOf&& sum_of,
                            LossOf&& loss_of) {
  return SumRows<WeightedSum>(ctx, info, {per_row}, sum_of, loss_of, [](BlockValues<WeightedLoss> const& block) {
    return SumInLanes<WeightedSum>(block.n, [&](std::int64_t item) { return block.values[item].Sum(); });
  });
}

/// The same for losses without a vector loop.
template <typename LossOf>
WeightedSum SumLossesOfRows(Context const& ctx, MetaInfo const& info, std::int64_t per_row, LossOf&& loss_of) {
  auto const sum_of = [&](std::int64_t begin, std::int64_t end) {
    LaneSum<WeightedSum> block;
    for (auto item = begin; item < end; ++item) block.Add(item - begin, loss_of(item).Sum());
    return block.Total();
  };
  return SumLossesOfRows(ctx, info, per_row, sum_of, loss_of);
}

class RowLoss {
 public:
  /// info: metadata of the rows; must outlive this object. \throws Error(kData) as Metric::Validate; Error(kParameter)
  /// for metrics that are not means over rows.
  RowLoss(Metric const& metric, MetaInfo const& info, std::int64_t n_outputs);

  /// Returns the loss of a row. predictions: [n_outputs] of a row with the label of `row`. If each output has a loss,
  /// returns the mean over the outputs with known labels, or 0 if there are none.
  double Of(std::int64_t row, float const* predictions) const;

 private:
  MetricFormula formula_;
  MetaInfo const& info_;
  std::int64_t n_outputs_;
};

}  // namespace kauri
