/// \file The interface of a booster: what one round of boosting adds to a model.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/engine.h"
#include "kauri/error.h"
#include "kauri/model.h"

namespace kauri {

/// const, shared by threads.
class Booster {
 public:
  virtual ~Booster() = default;
  /// \throws Error(kParameter) where its parameters can predict but not train, before anything is spent on training.
  virtual void RequireTraining() const {}
  /// Trees that the gradients of the next round do not see, ascending: the same for the same model and ctx.seed.
  virtual std::vector<std::int64_t> DroppedTrees(Context const&, Model const&) const { return {}; }
  /// Adds one round to `model`, from the gradients that `engine` holds for `train`.
  virtual void BoostRound(Context const& ctx, DataMatrix const& train, std::int64_t iteration, Engine* engine,
                          Model* model) const = 0;
  /// Whether rounds change the trees of a model that was learnt before instead of adding some (process_type=update).
  virtual bool UpdatesTrees() const { return false; }
  /// Adds to `model`, the first rounds of `old` as they were updated, the next one: the round of `old` that follows,
  /// changed by the gradients that `engine` holds for `train`.
  virtual void UpdateRound(Context const&, DataMatrix const& /*train*/, Model const& /*old*/, Predictor const&, Engine*,
                           Model* /*model*/) const {
    Fail(ErrorKind::kParameter, "process_type=update changes the trees of booster=gbtree only.");
  }
};

}  // namespace kauri
