/// \file Margins that engines cache for data sets. MarginCache tracks which trees are included in the margins of a data
/// set, PendingLeaves holds leaves that have not been added yet, and DataCache keeps an engine's state by data set, for
/// as long as the owner of the data set keeps it.
///
/// Margins are float32 sums in the order of the trees, so new trees can be added later. If a tree was left out (dart)
/// or has changed its weight since, the sum starts again, so that it has the bits of any other prediction.
///
/// Margins are stored row by row, with the outputs of a row side by side, so adding the leaves of one output's tree
/// touches a cache line of 64 bytes for each margin of 4. Instead, the trees of PendingLeaves::kAtOnce outputs are
/// added in one pass. Each margin is updated in the order of its trees, so the sums have the same bits.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/error.h"
#include "kauri/model.h"
#include "kauri/span.h"
#include "kauri/tree.h"

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

/// Cache with one entry per data set. Entry has a MarginCache `held`. The address of an entry does not change.
template <typename Entry>
class DataCache {
 public:
  /// Returns the entry of `data`, creating it if needed. Drops the entries of data sets that no longer exist.
  Entry* Open(DataMatrix const& data) {
    for (auto it = entries_.begin(); it != entries_.end();) {
      it = it->second.held.IsInvalid() ? entries_.erase(it) : std::next(it);
    }
    return &entries_[data.Id()];
  }

  /// \throws Error(kInternal) if there is no entry.
  Entry& Of(DataMatrix const& data) { return Find(data, &entries_)->second; }
  Entry const& Of(DataMatrix const& data) const { return Find(data, &entries_)->second; }

  void Clear() { entries_.clear(); }

 private:
  template <typename Entries>
  static auto Find(DataMatrix const& data, Entries* entries) {
    auto const found = entries->find(data.Id());
    if (found == entries->end()) Fail(ErrorKind::kInternal, "margins of data set ", data.Id(), " were never computed");
    return found;
  }

  std::map<std::uint64_t, Entry> entries_;  ///< by DataMatrix::Id
};

}  // namespace kauri
