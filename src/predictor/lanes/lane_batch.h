/// \file Trees laid out for the lanes of a device, as many at a time as there is room for the tables of their leaves.
#pragma once

#include <vector>

#include "predictor/interventional/background_batch.h"
#include "predictor/lanes/interventional_lane.h"

namespace kauri {

/// Consecutive leaves of a tree, and their tables; leaves without features are left out.
struct LaneTree {
  std::int64_t tree;  ///< of the forest
  std::uint32_t leaf_begin;
  std::uint32_t leaf_end;
  std::int64_t table_begin;  ///< in doubles
  std::int64_t table_end;
};

/// What a leaf's table is made from beside its features.
struct LeafSource {
  float value;
  std::uint32_t first_place;  ///< of its item, in slot_of_place
};

struct LaneBatch {
  std::vector<LaneItem> items;
  std::vector<LaneLeaf> leaves;
  std::vector<LeafSource> sources;  ///< by leaf
  std::vector<PathFeature> features;
  std::vector<std::uint32_t> slot_of_place;
  std::vector<LanePattern> patterns;
  std::vector<LaneTree> trees;    ///< each at most once
  std::int64_t table_size = 0;    ///< doubles of all tables, which are not here
  std::uint32_t most_places = 0;  ///< of an item
};

class LaneBatchMaker {
 public:
  /// A batch is full with the item that brings its tables to `most_doubles`. The forest must outlive this.
  LaneBatchMaker(Forest const& forest, std::int64_t most_doubles);

  /// tree: of the forest. direct: by leaf, of those of LeafForm::kPairs; empty: whose patterns are not known yet.
  /// \throws Error(kParameter) for a path of more than kMostPlaces features.
  void AddTree(std::int64_t tree, PathProgram const& program, std::vector<DirectLeaf> const& direct);

  /// Those that are full, in order; once.
  std::vector<LaneBatch> TakeFull();
  /// The one behind them.
  LaneBatch TakeLast();

 private:
  void BeginItem();
  void EndItem();
  void BeginTree();
  void EndTree();
  void CheckLength(PathLeaf const& leaf) const;
  bool IsFull(PathFeature const* features, std::uint32_t n_features) const;
  void AddFeatures(PathFeature const* features, std::uint32_t n_features);
  void AddLeaf(PathLeaf const& leaf);
  void AddPatterns(DirectLeaf const& direct);

  Forest const& forest_;
  std::int64_t most_doubles_;
  std::vector<std::uint32_t> place_of_slot_;  ///< in the current item
  LaneItem item_{};
  LaneTree tree_{};
  LaneBatch batch_;
  std::vector<LaneBatch> full_;
};

/// The batch in one piece. \throws as AddTree.
LaneBatch MakeLaneBatch(Forest const& forest, BackgroundBatches const& batch);

}  // namespace kauri
