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

/// What a round adds to a model, which has not got it yet.
struct Round {
  std::vector<Tree> trees;
  std::vector<std::int32_t> output_of_tree;  ///< [n_trees], as in the model
  std::int64_t n_parallel_trees = 1;
  std::vector<float> tree_weights;   ///< of all trees of the model, these included; empty: they stay as they are
  std::optional<LinearPart> linear;  ///< in place of the model's, and of trees
};

/// const, shared by threads.
class Booster {
 public:
  virtual ~Booster() = default;
  /// \throws Error(kParameter) where its parameters can predict but not train, before anything is spent on training.
  virtual void RequireTraining() const {}
  /// \throws Error(kParameter) unless several ranks, each with some of the rows, can learn it together.
  virtual void RequireGroup() const = 0;
  /// \throws Error(kParameter) unless its trees may grow on other gradients than those of their leaves.
  virtual void RequireSplitGradients() const {
    Fail(ErrorKind::kParameter, "Reduced gradient must be used with vector leaf trees: separate gradients ",
         "for splits are supported by booster=gbtree and dart only; leave out the gradients for splits ",
         "(return None from split_grad).");
  }
  /// The loss whose gradients its rounds take in place of the objective's, from margin 0 unless a base score is given;
  /// nullptr: the objective's. It lives as long as the booster.
  virtual Objective const* OwnLoss() const { return nullptr; }
  /// Trees that the gradients of the next round do not see, ascending: the same for the same model and ctx.seed.
  virtual std::vector<std::int64_t> DroppedTrees(Context const&, Model const&) const { return {}; }
  /// The next round of `model`, from the gradients that `engine` holds for `train`.
  virtual Round BoostRound(Context const& ctx, DataMatrix const& train, Model const& model, std::int64_t iteration,
                           Engine* engine) const = 0;
  /// Whether rounds change the trees of a model that was learnt before instead of adding some (process_type=update).
  virtual bool UpdatesTrees() const { return false; }
  /// The next round of `model`, which is the first rounds of `old` as they were updated: the round of `old` that
  /// follows, changed by the gradients that `engine` holds for `train`.
  virtual Round UpdateRound(Context const&, DataMatrix const& /*train*/, Model const& /*model*/, Model const& /*old*/,
                            Predictor const&, Engine*) const {
    Fail(ErrorKind::kParameter, "process_type=update changes the trees of booster=gbtree only.");
  }
};

}  // namespace kauri
