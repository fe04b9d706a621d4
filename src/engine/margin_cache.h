/// \file Tracks which trees are included in the margins that an engine caches for a data set.
///
/// Margins are float32 sums in the order of the trees, so new trees can be added later. If a tree was left out (dart)
/// or has changed its weight since, the sum starts again, so that it has the bits of any other prediction.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kauri/data_matrix.h"
#include "kauri/model.h"
#include "kauri/span.h"

namespace kauri {

/// The requested margins of `model` for `data`, starting from `start` [n_outputs], without the trees `dropped`
/// (ascending).
struct WantedMargins {
  std::shared_ptr<DataMatrix const> const& data;
  Model const& model;
  Span<float const> start;
  Span<std::int64_t const> dropped;
};

/// The trees to add to cached margins. For a linear model, `runs` is one empty range, because its margins cannot be
/// updated in parts.
struct MarginPlan {
  bool first_time = false;      ///< no margins were cached for this data set in its current state
  bool restart = false;         ///< first reset the margins to their start values
  std::vector<TreeRange> runs;  ///< ascending; at least one if `restart`

  bool IsNothing() const { return runs.empty(); }
  /// Returns the range from the first tree of the runs to past the last.
  TreeRange Hull() const { return {runs.front().begin, runs.back().end}; }
};

class MarginCache {
 public:
  /// Plans how to update the margins to the requested ones. If the plan is not empty, the margins count as invalid
  /// until Hold is called, so that an error on the way leaves no sum of half the trees.
  MarginPlan Begin(WantedMargins const& wanted);
  /// Records that the plan was carried out.
  void Hold(WantedMargins const& wanted);
  /// Records that the leaves of the new trees of `model` were added to the margins with weight 1.
  void NoteNewTrees(Model const& model) { n_trees_ = static_cast<std::int64_t>(model.trees.size()); }
  void Invalidate() { data_.reset(); }
  /// Returns whether the margins are invalid, or belong to a data set that no longer exists.
  bool IsInvalid() const { return data_.expired(); }

 private:
  bool IsStale(Model const& model, Span<float const> start) const;

  std::weak_ptr<DataMatrix const> data_;
  std::uint64_t info_revision_ = 0;  ///< revision of the data set's info; a new base margin makes the margins stale
  std::int64_t n_trees_ = 0;
  std::vector<float> start_;  ///< [n_outputs]
  UnseenCategory unseen_ = UnseenCategory::kXGBoost;
  std::vector<float> tree_weights_;    ///< weights of the model at that time; a missing tail is 1
  std::vector<std::int64_t> dropped_;  ///< trees not included in the margins
  std::vector<float> linear_weights_;
};

}  // namespace kauri
