#include "booster/group.h"

#include <set>

#include "collective/checked_collective.h"
#include "data/global_rows.h"
#include "kauri/version.h"

namespace kauri {
namespace {

/// Parameters that may differ from rank to rank: they change no result.
bool IsOfOneRank(std::string const& name) {
  static std::set<std::string> const kNames{"nthread", "verbosity", "validate_parameters", "memory_budget"};
  return kNames.count(name) != 0;
}

std::string TextOf(Components const& parts) {
  std::string text = KAURI_VERSION;
  for (auto const& [name, value] : parts.effective) {
    if (!IsOfOneRank(name)) text += ", " + name + "=" + value;
  }
  for (auto const& metric : parts.metric_names) text += ", eval_metric=" + metric;
  return text;
}

std::string TextOf(std::vector<std::string> const& names) {
  std::string text;
  for (auto const& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

void RequireGroupTraining(Components const& parts) {
  if (parts.ctx.device.kind != DeviceKind::kCpu) {
    Fail(ErrorKind::kParameter, "device=cuda trains in one process; a group of ranks learns with device=cpu.");
  }
  parts.booster->RequireGroup();
}

void RequireSameRound(Components const& parts, DataMatrix const& train, Model const& model) {
  auto const& ctx = parts.ctx;
  RequireSameOnRanks(ctx, "their version or parameters", TextOf(parts));
  RequireSameOnRanks(
      ctx, "the model that they go on with",
      std::to_string(model.NumIterations()) + " rounds of " + std::to_string(model.trees.size()) + " trees");
  RequireSameOnRanks(ctx, "the columns of their training data", std::to_string(train.NumCols()) + " columns");
  RequireSameOnRanks(ctx, "feature_names", TextOf(train.Info().feature_names));
  RequireSameOnRanks(ctx, "feature_types", TextOf(train.Info().feature_types));
  GlobalRows const rows(ctx, train.Info());  // whose making checks them
}

}  // namespace kauri
