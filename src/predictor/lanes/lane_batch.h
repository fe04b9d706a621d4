/// \file Trees laid out for the lanes of a device, in batches whose tables of leaves fit into memory.
#pragma once

#include <vector>

#include "predictor/interventional/background_batch.h"
#include "predictor/lanes/interventional_lane.h"

namespace kauri {

/// Consecutive leaves of a tree and their tables. Leaves without features are left out.
struct LaneTree {
  std::int64_t tree;  ///< number within the forest
  std::uint32_t leaf_begin;
  std::uint32_t leaf_end;
  std::int64_t table_begin;  ///< in doubles
  std::int64_t table_end;
};

/// Inputs of a leaf's table besides its features.
struct LeafSource {
  float value;
  std::uint32_t first_place;  ///< first place of the leaf's item, index into slot_of_place
};

struct LaneBatch {
  std::vector<LaneItem> items;
  std::vector<LaneLeaf> leaves;
  std::vector<LeafSource> sources;  ///< by leaf
  std::vector<PathFeature> features;
  std::vector<std::uint32_t> slot_of_place;
  std::vector<LanePattern> patterns;
  std::vector<LaneTree> trees;    ///< a tree has at most one entry
  std::int64_t table_size = 0;    ///< doubles of all tables; the batch does not hold the tables
  std::uint32_t most_places = 0;  ///< maximum over the items
};

class LaneBatchMaker {
 public:
  /// A batch is full after the item that brings its tables to `most_doubles`. The forest must outlive this.
  LaneBatchMaker(Forest const& forest, std::int64_t most_doubles);

  /// Adds a tree of the forest. direct: by leaf, used for leaves of LeafForm::kPairs; empty: their patterns are not
  /// known yet. \throws Error(kParameter) for a path of more than kMostPlaces features.
  void AddTree(std::int64_t tree, PathProgram const& program, std::vector<DirectLeaf> const& direct);

  /// Returns the full batches, in order, and forgets them.
  std::vector<LaneBatch> TakeFull();
  /// Returns the last batch, which follows the full ones.
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

/// Makes a single batch. \throws like AddTree.
LaneBatch MakeLaneBatch(Forest const& forest, BackgroundBatches const& batch);

}  // namespace kauri
