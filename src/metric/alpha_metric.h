/// \file quantile and expectile: means over the rows and over the alphas, with one output for each alpha.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kauri/metric.h"
#include "metric/formula.h"
#include "metric/inputs.h"
#include "metric/row_losses.h"

namespace kauri {

/// \throws Error(kData) unless there is one output per alpha, and labels, [n_rows], and weights fit.
void CheckAlphaInputs(std::string const& metric, MetaInfo const& info, std::int64_t n_outputs, std::int64_t n_alphas);

/// A mean of loss(prediction, label) over rows and alphas.
template <typename Loss>
class AlphaMetric : public Metric {
 public:
  AlphaMetric(std::string name, std::vector<float> const& alphas) : name_(std::move(name)) {
    for (auto const alpha : alphas) losses_.push_back({alpha});
  }

  std::string Name() const override { return name_; }
  void Validate(MetaInfo const& info, std::int64_t n_outputs) const override {
    CheckAlphaInputs(name_, info, n_outputs, NumAlphas());
  }
  double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const override {
    Validate(info, OutputsPerRow(name_, predictions, info));
    auto const loss_of = [&](std::int64_t element) { return At(predictions, info, element); };
    auto const sum = SumLossesOfRows(ctx, info, NumAlphas(), loss_of);
    return sum.Mean();
  }
  MetricFormula Formula() const override { return {losses_}; }

 private:
  std::int64_t NumAlphas() const { return static_cast<std::int64_t>(losses_.size()); }
  WeightedLoss At(Span<float const> predictions, MetaInfo const& info, std::int64_t element) const {
    auto const row = element / NumAlphas();
    auto const weight = info.Weight(row);
    auto const value = losses_[element % NumAlphas()](predictions[element], info.labels[row]);
    return {value * weight, weight};
  }

  std::string name_;
  std::vector<Loss> losses_;
};

}  // namespace kauri
