/// \file A tree compiled against the rows of a background: what interventional contributions to any row can be read
/// from (interventional.h).
#pragma once

#include <cstdint>
#include <vector>

#include "predictor/interventional/aligned_doubles.h"
#include "predictor/interventional/direct_leaf.h"
#include "predictor/interventional/interventional_kernel.h"
#include "predictor/interventional/leaf_form.h"
#include "predictor/interventional/path_program.h"
#include "predictor/interventional/pattern_walk.h"

namespace kauri {

struct BackgroundTree {
  PathProgram program;
  double mean = 0.0;                      ///< of the tree over the background
  std::vector<std::int64_t> table_begin;  ///< by leaf, into tables; unused without a table
  AlignedDoubles tables;                  ///< as AddValues or AddParts reads them
  std::vector<DirectLeaf> direct;         ///< by leaf; empty unless kPairs
};

/// An upper bound of the bytes of a tree's tables, before it is compiled.
std::int64_t MostTableBytes(Forest const& forest, std::int64_t tree);

/// What the tables of all trees have in common. Immutable.
class BackgroundCompiler {
 public:
  /// background: at least one row; must outlive this.
  explicit BackgroundCompiler(KeyTiles const& background);
  /// tree (out): the memory of another that it held is used again.
  void Compile(PathProgram program, CategoryConditionsView const& categories, BackgroundTree* tree) const;

 private:
  KeyTiles const& background_;
  std::vector<LeafRule> rules_;  ///< by number of features
};

}  // namespace kauri
