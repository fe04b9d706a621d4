/// \file Pending leaves: leaves of a round's trees that have not been added to the margins yet.
///
/// Margins are stored row by row, with the outputs of a row side by side, so adding the leaves of one output's tree
/// touches a cache line of 64 bytes for each margin of 4. Instead, the trees of kAtOnce outputs are added in one pass.
/// Each margin is updated in the order of its trees, so the sums have the same bits.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/span.h"
#include "kauri/tree.h"

namespace kauri {

class PendingLeaves {
 public:
  static constexpr std::size_t kAtOnce = 8;

  bool IsEmpty() const { return n_trees_ == 0; }
  bool IsFull() const { return n_trees_ == kAtOnce; }
  void Clear() { n_trees_ = 0; }
  /// Returns the array for the next tree's leaves, [n_rows].
  Span<std::int32_t> NextLeaves(std::int64_t n_rows);
  /// Adds a tree with scalar leaves, whose rows are in NextLeaves, to the pending trees.
  void Add(Tree const& tree, std::int64_t output);
  /// Adds all pending leaves to margins, [n_rows, n_outputs].
  void AddTo(Context const& ctx, std::int64_t n_outputs, Span<float> margins);

 private:
  struct Waiting {
    std::vector<std::int32_t> leaf_of_row;
    std::vector<float> values;  ///< [n_nodes]
    std::int64_t output = 0;
  };

  std::vector<Waiting> trees_;  ///< the first n_trees_ are pending; the others are memory for later trees
  std::size_t n_trees_ = 0;
};

}  // namespace kauri
