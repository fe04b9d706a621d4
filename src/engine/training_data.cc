#include "engine/training_data.h"

#include <algorithm>

#include "engine/leaf_quantiles.h"
#include "kauri/error.h"

namespace kauri {

void CheckGradientCount(std::int64_t n_pairs, std::int64_t n_rows, std::int64_t n_outputs) {
  if (n_pairs == n_rows * n_outputs) return;
  Fail(ErrorKind::kData, "got ", n_pairs, " gradient pairs for ", n_rows, " rows and ", n_outputs,
       " outputs; expected ", n_rows * n_outputs, ", row by row.");
}

bool TrainingData::ExpectGradientsOf(Objective const& objective, std::int64_t n_outputs) {
  watch_.Expect(false);
  leaf_quantiles_.clear();
  for (std::int64_t output = 0; output < n_outputs; ++output) {
    leaf_quantiles_.push_back(objective.LeafQuantile(output));
  }
  return std::any_of(leaf_quantiles_.begin(), leaf_quantiles_.end(),
                     [](auto const& quantile) { return quantile.has_value(); });
}

void TrainingData::ExpectGradientsOfCaller() {
  watch_.Expect(true);
  leaf_quantiles_.clear();
}

bool TrainingData::SetsLeaves(std::int64_t output) const {
  return output < static_cast<std::int64_t>(leaf_quantiles_.size()) && leaf_quantiles_[output].has_value();
}

void TrainingData::SetLeaves(Context const& ctx, MetaInfo const& info, BuiltTree const& built, Tree* tree) const {
  if (!SetsLeaves(built.output)) return;
  auto const& round = built.round;
  if (round.param == nullptr) Fail(ErrorKind::kInternal, "the booster gave no parameters for the leaves of a tree");
  LeafQuantileTask task;
  task.quantile = *leaf_quantiles_[built.output];
  task.leaf_scale = round.place.leaf_scale;
  task.output = built.output;
  task.n_outputs = static_cast<std::int64_t>(leaf_quantiles_.size());
  task.margins = round_margins_;
  task.leaf_of_row = built.leaf_of_row;
  if (!round.SamplesByGradient()) task.sampled_rows = built.sampled_rows;  // those do not stand for all alike
  SetLeafQuantiles(ctx, info, *round.param, task, tree);
}

}  // namespace kauri
