/// \file Means over elements: one prediction and one label each.
#pragma once

#include <cmath>
#include <string>

#include "common/loss/element_weights.h"
#include "common/loss/missing_labels.h"
#include "kauri/error.h"
#include "kauri/metric.h"
#include "metric/formula.h"
#include "metric/inputs.h"
#include "metric/known_cells.h"
#include "metric/loss_kernels.h"
#include "metric/row_losses.h"

namespace kauri {

/// The weighted mean of loss(prediction, label) over rows and targets with known labels, or its root.
template <typename Loss>
class ElementMetric : public Metric {
 public:
  explicit ElementMetric(Loss const& loss) : loss_(loss) {}

  std::string Name() const override { return Loss::kName + loss_.Suffix(); }
  std::string Argument() const override { return loss_.Number(); }

  void Validate(MetaInfo const& info, std::int64_t n_outputs) const override {
    CheckInputs(Name(), info);
    if (info.n_rows > 0 && n_outputs != info.n_targets) {
      Fail(ErrorKind::kData, Name(), ": ", n_outputs, " predictions per row for ", info.n_targets,
           " label columns; for several classes use merror or mlogloss");
    }
  }
  double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const override {
    Validate(info, OutputsPerRow(Name(), predictions, info));
    auto const sum_of = [&](std::int64_t begin, std::int64_t end) {
      return BlockSum(predictions.data() + begin, info, begin, end);
    };
    auto const loss_of = [&](std::int64_t element) {
      if (MayMissLabels(info) && IsMissingLabel(info.labels[element])) return WeightedLoss{0.0F, 0.0F};
      auto const weight = info.Weight(element / info.n_targets);
      return WeightedLoss{loss_(predictions[element], info.labels[element]) * weight, weight};
    };
    auto const sum = SumLossesOfRows(ctx, info, info.n_targets, sum_of, loss_of);
    if (sum.weight == 0.0) RequireKnownLabels(ctx, Name(), info);
    return Loss::kTakesRoot ? std::sqrt(sum.Mean()) : sum.Mean();
  }
  MetricFormula Formula() const override { return {loss_}; }

 private:
  WeightedSum BlockSum(float const* predictions, MetaInfo const& info, std::int64_t begin, std::int64_t end) const {
    ElementBuffer buffer;
    auto const* weights = ElementWeights(info, begin, end, &buffer);
    LossBlock const block{predictions, info.labels.data() + begin, weights, end - begin};
    if (MayMissLabels(info) && HasMissingLabels(block.labels, block.n))
      return SumLosses(loss_, KnownCells(block).Block());
    return SumLosses(loss_, block);
  }

  Loss loss_;
};

}  // namespace kauri
