/// \file The interface of a booster: what one round of boosting adds to a model.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kauri/engine.h"
#include "kauri/error.h"
#include "kauri/model.h"
#include "kauri/objective.h"

namespace kauri {

/// The result of a round, not yet added to the model.
struct Round {
  std::vector<Tree> trees;
  std::vector<std::int32_t> output_of_tree;  ///< [n_trees], as in the model
  std::int64_t n_parallel_trees = 1;
  std::vector<float> tree_weights;   ///< weights of all trees of the model, including `trees`; empty: unchanged
  std::optional<LinearPart> linear;  ///< replaces the model's linear part; there are no trees then
};

/// Immutable, shared by threads. Its entry in the registry declares the features that it supports
/// (kauri/capabilities.h).
class Booster {
 public:
  virtual ~Booster() = default;
  /// Returns the loss whose gradients its rounds use in place of the objective's, from margin 0 unless a base score is
  /// given; nullptr: the objective's. It lives as long as the booster.
  virtual Objective const* OwnLoss() const { return nullptr; }
  /// Returns the trees that the gradients of the next round ignore (dropout), ascending. The result depends only on the
  /// model and ctx.seed.
  virtual std::vector<std::int64_t> DroppedTrees(Context const&, Model const&) const { return {}; }
  /// Computes the next round of `model`, from the gradients that `engine` holds for `train`.
  virtual Round BoostRound(Context const& ctx, DataMatrix const& train, Model const& model, std::int64_t iteration,
                           Engine* engine) const = 0;
  /// Returns whether rounds change the trees of an existing model instead of adding trees (process_type=update).
  virtual bool UpdatesTrees() const { return false; }
  /// Computes the next round of `model`, which consists of the first rounds of `old` after their update: the next round
  /// of `old`, changed by the gradients that `engine` holds for `train`.
  virtual Round UpdateRound(Context const&, DataMatrix const& /*train*/, Model const& /*model*/, Model const& /*old*/,
                            Predictor const&, Engine*) const {
    Fail(ErrorKind::kParameter, "process_type=update changes the trees of booster=gbtree only.");
  }
};

}  // namespace kauri
