#include "objective/label_quantiles.h"

#include <algorithm>

#include "collective/all_rows.h"
#include "common/quantile.h"
#include "common/threads/parallel_for.h"
#include "objective/labels.h"

namespace kauri {
namespace {

float LabelQuantile(MetaInfo const& info, float quantile) {
  std::vector<float> labels;
  std::vector<WeightedValue> weighted;
  for (std::int64_t row = 0; row < info.n_rows; ++row) {
    auto const label = info.labels[row];
    if (info.weights.empty()) {
      labels.push_back(label);
    } else {
      weighted.push_back({label, info.Weight(row)});
    }
  }
  return info.weights.empty() ? Quantile(labels, quantile) : Quantile(weighted, quantile);
}

}  // namespace

std::vector<float> LabelQuantiles(Context const& ctx, MetaInfo const& info, std::vector<float> const& quantiles,
                                  std::string const& objective) {
  if (IsDistributed(ctx)) return LabelQuantiles(Alone(ctx), GatherLabels(ctx, info, {}).info, quantiles, objective);
  std::vector<float> result(quantiles.size(), 0.0F);
  if (info.n_rows == 0) return result;
  auto const has_weight = [](float weight) { return weight > 0.0F; };
  if (!info.weights.empty() && std::none_of(info.weights.begin(), info.weights.end(), has_weight)) {
    FailNoWeight(info.n_rows, objective);
  }
  ParallelFor(ctx, static_cast<std::int64_t>(quantiles.size()),
              [&](std::int64_t output) { result[output] = LabelQuantile(info, quantiles[output]); });
  return result;
}

}  // namespace kauri
