/// \file What the margins that an engine keeps for a data set are made of, and what they lack of a model.
///
/// Margins are float32 sums in the order of the trees, so trees that came since can be added, but a tree that is left
/// out (dart) or changed its weight since makes the sum begin anew: then it has the bits of any other prediction.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kauri/data_matrix.h"
#include "kauri/model.h"
#include "kauri/span.h"

namespace kauri {

/// The margins of `model` for `data` from `start`, [n_outputs], without the trees `dropped`, ascending.
struct WantedMargins {
  std::shared_ptr<DataMatrix const> const& data;
  Model const& model;
  Span<float const> start;
  Span<std::int64_t const> dropped;
};

/// What to add to margins. Of a linear model `runs` is one empty range: its margins have no parts.
struct MarginPlan {
  bool first_time = false;      ///< nothing was held for this data set as it is now
  bool restart = false;         ///< the margins are those of no tree first
  std::vector<TreeRange> runs;  ///< ascending; at least one if `restart`

  bool IsNothing() const { return runs.empty(); }
  /// From the first tree of the runs to past the last.
  TreeRange Hull() const { return {runs.front().begin, runs.back().end}; }
};

class HeldMargins {
 public:
  /// How the margins become those that are wanted. Unless that takes nothing, they count as lost until Hold is called,
  /// so that an error on the way leaves no sum of half the trees.
  MarginPlan Begin(WantedMargins const& wanted);
  /// The plan was carried out.
  void Hold(WantedMargins const& wanted);
  /// Leaves of the trees that `model` has more now were added to the margins, at a weight of 1.
  void HoldNewTrees(Model const& model) { n_trees_ = static_cast<std::int64_t>(model.trees.size()); }
  void Lose() { data_.reset(); }
  /// Whether there are none, or those of a data set that is gone.
  bool AreLost() const { return data_.expired(); }

 private:
  bool IsStale(Model const& model, Span<float const> start) const;

  std::weak_ptr<DataMatrix const> data_;
  std::uint64_t info_revision_ = 0;  ///< a new base margin makes the margins stale
  std::int64_t n_trees_ = 0;
  std::vector<float> start_;  ///< [n_outputs]
  UnseenCategory unseen_ = UnseenCategory::kXGBoost;
  std::vector<float> tree_weights_;    ///< of the model then; a missing tail is 1
  std::vector<std::int64_t> dropped_;  ///< trees that the margins lack
  std::vector<float> linear_weights_;
};

}  // namespace kauri
