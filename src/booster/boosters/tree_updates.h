/// \file process_type=update: a round changes the trees of the same round of an existing model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kauri/booster.h"
#include "kauri/context.h"
#include "kauri/engine.h"
#include "kauri/model.h"
#include "kauri/parameter.h"
#include "kauri/tree_param.h"
#include "kauri/tree_updater.h"

namespace kauri {

/// The meaning of the parameter `updater`.
struct UpdaterList {
  explicit UpdaterList(std::string const& updater);

  bool is_empty = true;
  bool builds = false;     ///< it begins with a builder of new trees, by XGBoost's name
  bool refreshes = false;  ///< it has refresh
};

class TreeUpdates {
 public:
  /// Creates the updaters. updater: names of the registry, separated by commas. \throws Error(kParameter).
  TreeUpdates(std::string const& updater, TrainingParams const& params);
  /// Updates a round, as Booster::UpdateRound.
  Round UpdateRound(Context const& ctx, DataMatrix const& train, Model const& model, Model const& old,
                    Predictor const& predictor, Engine* engine) const;

 private:
  TreeParam param_;
  std::vector<std::unique_ptr<TreeUpdater>> steps_;
};

/// Returns the tree method for process_type=default: the one that XGBoost's builder name in `updater` stands for, else
/// `tree_method`. \throws Error(kParameter) for names that are unknown, contradict tree_method or device, or do nothing
/// after a builder.
std::string TreeMethodOf(std::string const& updater, std::string const& tree_method, DeviceKind device);

}  // namespace kauri
