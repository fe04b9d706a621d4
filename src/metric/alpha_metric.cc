#include "metric/alpha_metric.h"

#include <memory>

#include "common/loss/loss_param.h"
#include "kauri/error.h"
#include "metric/element_losses.h"
#include "metric/metric_table.h"

namespace kauri {
namespace {

template <typename Loss, typename Param>
MetricFactory MakeFactory(std::string const& name) {
  return [name](std::string const&, ParamMap const& params) {
    return std::make_unique<AlphaMetric<Loss>>(name, ParseParameters<Param>(params).Alphas("metric " + name));
  };
}

}  // namespace

void CheckAlphaInputs(std::string const& metric, MetaInfo const& info, std::int64_t n_outputs, std::int64_t n_alphas) {
  CheckInputs(metric, info);
  if (info.n_targets != 1) Fail(ErrorKind::kData, metric, ": ", info.n_targets, " label columns; give one column");
  if (info.n_rows == 0 || n_outputs == n_alphas) return;
  Fail(ErrorKind::kData, metric, ": ", n_outputs, " predictions per row for ", n_alphas,
       " alphas; evaluate what was trained with the same alphas");
}

void RegisterAlphaMetrics(Registry<MetricFactory>* registry) {
  registry->Add({"quantile", "Mean pinball loss of the quantiles of quantile_alpha.",
                 MakeFactory<PinballLoss, QuantileParam>("quantile"), DescribeParameters<QuantileParam>});
  registry->Add({"expectile", "Mean asymmetric squared difference of the expectiles of expectile_alpha.",
                 MakeFactory<ExpectileDifference, ExpectileParam>("expectile"), DescribeParameters<ExpectileParam>});
}

}  // namespace kauri
