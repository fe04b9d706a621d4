/// \file The interface of steps that change an existing tree (process_type=update).
#pragma once

#include <cstdint>

#include "kauri/context.h"
#include "kauri/span.h"
#include "kauri/tree.h"
#include "kauri/tree_builder.h"

namespace kauri {

/// Immutable, shared by threads.
class TreeUpdater {
 public:
  virtual ~TreeUpdater() = default;
  /// Changes `tree`, whose leaves hold numbers. task: the gradients of all rows at the margins of the trees before it.
  /// leaf_of_row (in, out): [n_rows], the leaf that each row reaches. The result has the same bits for any number of
  /// threads.
  virtual void Update(Context const& ctx, TreeTask const& task, Span<std::int32_t> leaf_of_row, Tree* tree) const = 0;
};

}  // namespace kauri
