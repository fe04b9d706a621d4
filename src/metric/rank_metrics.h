/// \file Metrics of the order within query groups: ndcg, map, pre.
#pragma once

#include <string>

#include "kauri/metric.h"
#include "metric/rank_rules.h"

namespace kauri {

/// The weighted mean over groups of the scores of `rule`. Rows with equal predictions rank in their order in the data.
/// If a prediction is NaN, the value is NaN.
class RankMetric : public Metric {
 public:
  /// argument: the text after '@', or '-' alone.
  RankMetric(std::string name, std::string argument, RankRule const& rule)
      : name_(std::move(name)), argument_(std::move(argument)), rule_(rule) {}

  std::string Name() const override;
  std::string Argument() const override { return argument_; }
  bool HigherIsBetter() const override { return true; }
  void Validate(MetaInfo const& info, std::int64_t n_outputs) const override;
  double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const override;
  MetricFormula Formula() const override;

 private:
  std::string name_;  ///< ndcg, map or pre
  std::string argument_;
  RankRule rule_;
};

}  // namespace kauri
