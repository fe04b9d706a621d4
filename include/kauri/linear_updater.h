/// \file The interface of training steps for linear models.
#pragma once

#include <cstdint>
#include <memory>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/gradient.h"
#include "kauri/model.h"
#include "kauri/span.h"
#include "kauri/tree_builder.h"

namespace kauri {

/// Immutable, shared by threads.
class LinearUpdater {
 public:
  virtual ~LinearUpdater() = default;
  /// Creates the state for a data set: its features column by column.
  virtual std::unique_ptr<BuildState> MakeState(Context const& ctx, DataMatrix const& data) const = 0;
  /// Trains one round on the linear part of `model`, whose weights are already allocated. gradients: [n_rows,
  /// n_outputs], at the margins of the model. The result has the same bits for any number of threads.
  virtual void Update(Context const& ctx, DataMatrix const& data, Span<GradientPair const> gradients, BuildState* state,
                      Model* model) const = 0;
};

}  // namespace kauri
