/// \file Means over elements: one prediction and one label each.
#pragma once

#include <string>
#include <utility>

#include "common/block_sum.h"
#include "common/loss/element_weights.h"
#include "kauri/error.h"
#include "kauri/metric.h"
#include "metric/inputs.h"
#include "metric/loss_kernels.h"

namespace kauri {

/// finish(weighted mean of loss(prediction, label) over rows and targets).
template <typename Loss>
class ElementMetric : public Metric {
 public:
  ElementMetric(std::string name, Loss loss, double (*finish)(double))
      : name_(std::move(name)), loss_(loss), finish_(finish) {}

  std::string Name() const override { return name_; }
  Loss const& TheLoss() const { return loss_; }

  double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const override {
    auto const n_outputs = CheckInputs(name_, predictions, info);
    if (info.n_rows > 0 && n_outputs != info.n_targets) {
      Fail(ErrorKind::kData, name_, ": ", n_outputs, " predictions per row for ", info.n_targets,
           " label columns; for several classes use merror or mlogloss");
    }
    auto const n = static_cast<std::int64_t>(info.labels.size());
    auto const sum = SumBlocks<WeightedSum>(ctx, n, kRowBlock, [&](std::int64_t begin, std::int64_t end) {
      return BlockSum(predictions.data() + begin, info, begin, end);
    });
    return finish_(sum.Mean());
  }

 private:
  WeightedSum BlockSum(float const* predictions, MetaInfo const& info, std::int64_t begin, std::int64_t end) const {
    ElementBuffer buffer;
    auto const* weights = ElementWeights(info, begin, end, &buffer);
    return SumLosses(loss_, {predictions, info.labels.data() + begin, weights, end - begin});
  }

  std::string name_;
  Loss loss_;
  double (*finish_)(double);
};

}  // namespace kauri
