/// \file What the margins that an engine keeps for a data set are made of, and what they lack of a model.
///
/// Margins are float32 sums in the order of the trees, so trees that came since can be added, but a tree that is left
/// out (dart) or changed its weight since makes the sum begin anew: then it has the bits of any other prediction.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/model.h"
#include "kauri/span.h"

namespace kauri {

/// What to add to margins. Of a linear model `runs` is one empty range: its margins have no parts.
struct MarginPlan {
  bool restart = false;         ///< the margins are those of no tree first
  std::vector<TreeRange> runs;  ///< ascending; at least one if `restart`

  bool IsNothing() const { return runs.empty(); }
  /// From the first tree of the runs to past the last.
  TreeRange Hull() const { return {runs.front().begin, runs.back().end}; }
};

class HeldMargins {
 public:
  /// How the margins become those of `model` from `start`, [n_outputs], without the trees `dropped`, ascending. fresh:
  /// they hold nothing yet.
  MarginPlan PlanFor(Model const& model, Span<float const> start, Span<std::int64_t const> dropped, bool fresh) const;
  /// The plan was carried out.
  void Hold(Model const& model, Span<float const> start, Span<std::int64_t const> dropped);
  /// Leaves of the trees that `model` has more now were added to the margins, at a weight of 1.
  void HoldNewTrees(Model const& model) { n_trees_ = static_cast<std::int64_t>(model.trees.size()); }

 private:
  bool IsStale(Model const& model, Span<float const> start) const;

  std::int64_t n_trees_ = 0;
  std::vector<float> start_;  ///< [n_outputs]
  UnseenCategory unseen_ = UnseenCategory::kXGBoost;
  std::vector<float> tree_weights_;    ///< of the model then; a missing tail is 1
  std::vector<std::int64_t> dropped_;  ///< trees that the margins lack
  std::vector<float> linear_weights_;
};

}  // namespace kauri
