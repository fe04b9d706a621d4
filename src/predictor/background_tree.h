/// \file A tree compiled against the rows of a background: what interventional contributions to any row can be read
/// from (interventional.h).
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstdint>
#include <vector>

#include "predictor/direct_leaf.h"
#include "predictor/interventional_kernel.h"
#include "predictor/path_program.h"
#include "predictor/pattern_walk.h"

namespace kauri {

/// Leaves with so many features or fewer get a table; a leaf's form depends on nothing else, so no bit depends on how
/// many rows are explained. 10: 96 kB and about 10 microseconds.
constexpr std::uint32_t kTableFeatures = 10;

struct BackgroundTree {
  PathProgram program;
  double mean = 0.0;                           ///< of the tree over the background
  std::vector<std::int64_t> table_begin;       ///< by leaf, into tables; unused without a table
  hwy::AlignedFreeUniquePtr<double[]> tables;  ///< each [2^n_features, TableWidth]
  std::vector<DirectLeaf> direct;              ///< by leaf; empty for those with a table
};

/// An upper bound of the bytes of a tree's tables, before it is compiled.
std::int64_t MostTableBytes(Forest const& forest, std::int64_t tree);

constexpr bool HasTable(PathLeaf const& leaf) { return leaf.n_features <= kTableFeatures; }

/// What the tables of all trees have in common. Immutable.
class BackgroundCompiler {
 public:
  /// background: at least one row; must outlive this.
  explicit BackgroundCompiler(KeyTiles const& background);
  BackgroundTree Compile(PathProgram program, CategoryConditionsView const& categories) const;

 private:
  KeyTiles const& background_;
  std::vector<LeafRule> rules_;  ///< by number of features
};

}  // namespace kauri
