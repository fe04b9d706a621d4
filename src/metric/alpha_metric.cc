#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/loss/loss_param.h"
#include "kauri/error.h"
#include "kauri/metric.h"
#include "metric/element_losses.h"
#include "metric/formula.h"
#include "metric/inputs.h"
#include "metric/metric_table.h"
#include "metric/row_losses.h"

namespace kauri {
namespace {

// quantile and expectile: means over the rows and over the alphas, with one output for each alpha.

/// \throws Error(kData) unless there is one output per alpha, and labels, [n_rows], and weights fit.
void CheckAlphaInputs(std::string const& metric, MetaInfo const& info, std::int64_t n_outputs, std::int64_t n_alphas) {
  CheckInputs(metric, info);
  if (info.n_targets != 1) Fail(ErrorKind::kData, metric, ": ", info.n_targets, " label columns; give one column");
  if (info.n_rows == 0 || n_outputs == n_alphas) return;
  Fail(ErrorKind::kData, metric, ": ", n_outputs, " predictions per row for ", n_alphas,
       " alphas; evaluate what was trained with the same alphas");
}

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

template <typename Loss, typename Param>
MetricFactory MakeAlphaFactory(std::string const& name) {
  return [name](std::string const&, ParamMap const& params) {
    return std::make_unique<AlphaMetric<Loss>>(name, ParseParameters<Param>(params).Alphas("metric " + name));
  };
}

}  // namespace

void RegisterAlphaMetrics(Registry<MetricFactory>* registry) {
  registry->Add({"quantile", "Mean pinball loss of the quantiles of quantile_alpha.",
                 MakeAlphaFactory<PinballLoss, QuantileParam>("quantile"), DescribeParameters<QuantileParam>});
  registry->Add({"expectile", "Mean asymmetric squared difference of the expectiles of expectile_alpha.",
                 MakeAlphaFactory<ExpectileDifference, ExpectileParam>("expectile"),
                 DescribeParameters<ExpectileParam>});
}

}  // namespace kauri
