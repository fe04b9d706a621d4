/// \file quantile and expectile: means over the rows and over the alphas, each of which has an output.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kauri/metric.h"
#include "metric/inputs.h"
#include "metric/lane_sum.h"
#include "metric/weighted_sum.h"

namespace kauri {

/// \throws Error(kData) unless predictions, [n_rows, n_alphas], labels, [n_rows], and weights fit.
void CheckAlphaInputs(std::string const& metric, Span<float const> predictions, MetaInfo const& info,
                      std::size_t n_alphas);

/// Loss{alpha}(prediction, label).
template <typename Loss>
class AlphaMetric : public Metric {
 public:
  AlphaMetric(std::string name, std::vector<float> alphas) : name_(std::move(name)), alphas_(std::move(alphas)) {}

  std::string Name() const override { return name_; }
  std::vector<float> const& Alphas() const { return alphas_; }

  double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const override {
    CheckAlphaInputs(name_, predictions, info, alphas_.size());
    auto const n = static_cast<std::int64_t>(predictions.size());
    auto const sum = SumBlocks<WeightedSum>(ctx, n, kRowBlock, [&](std::int64_t begin, std::int64_t end) {
      LaneSum<WeightedSum> block;
      for (auto element = begin; element < end; ++element) block.Add(element - begin, At(predictions, info, element));
      return block.Total();
    });
    return sum.Mean();
  }

 private:
  WeightedSum At(Span<float const> predictions, MetaInfo const& info, std::int64_t element) const {
    auto const n_alphas = static_cast<std::int64_t>(alphas_.size());
    auto const row = element / n_alphas;
    auto const weight = info.Weight(row);
    Loss const loss{alphas_[element % n_alphas]};
    auto const value = loss(predictions[element], info.labels[row]);
    return {static_cast<double>(value * weight), static_cast<double>(weight)};
  }

  std::string name_;
  std::vector<float> alphas_;
};

}  // namespace kauri
