/// \file The interface of a booster: what one round of boosting adds to a model.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/engine.h"
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
};

}  // namespace kauri
