/// \file process_type=update: a round changes the trees of the same round of a model that was learnt before.
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

class TreeUpdates {
 public:
  /// updater: names of the registry, separated by commas. \throws Error(kParameter).
  TreeUpdates(std::string const& updater, ParamMap const& map);
  /// \throws Error(kParameter): no updater at all; a device, which has none.
  void RequireTraining() const;
  /// As Booster::UpdateRound.
  Round UpdateRound(Context const& ctx, DataMatrix const& train, Model const& model, Model const& old,
                    Predictor const& predictor, Engine* engine) const;

 private:
  DeviceKind device_;
  TreeParam param_;
  std::vector<std::unique_ptr<TreeUpdater>> steps_;
};

/// process_type=default: the tree method that XGBoost's names of builders in `updater` stand for, else `tree_method`.
/// \throws Error(kParameter) for names that are unknown, contradict tree_method or device, or do nothing after a
/// builder.
std::string TreeMethodOf(std::string const& updater, std::string const& tree_method, DeviceKind device);

/// process_type=default. \throws Error(kParameter) for an updater that begins with what needs a tree to change.
void RequireTreeBuilder(std::string const& updater, TreeParam const& param);

}  // namespace kauri
