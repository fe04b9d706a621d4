/// \file A tree compiled against the rows of a background, from which interventional contributions of any row are
/// computed (interventional.h).
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
  double mean = 0.0;                      ///< mean of the tree over the background
  std::vector<std::int64_t> table_begin;  ///< by leaf, index into tables; unused without a table
  AlignedDoubles tables;                  ///< in the layout of AddValues or AddParts
  std::vector<DirectLeaf> direct;         ///< by leaf; empty unless kPairs
};

/// Returns an upper bound of the bytes of a tree's tables before it is compiled.
std::int64_t MostTableBytes(Forest const& forest, std::int64_t tree);

/// Compiles trees against a background; holds the rules that the tables of all trees share. Immutable.
class BackgroundCompiler {
 public:
  /// background: at least one row; must outlive this.
  explicit BackgroundCompiler(KeyTiles const& background);
  /// Compiles a program. tree (out): reuses the memory of its previous contents.
  void Compile(PathProgram program, CategoryConditionsView const& categories, BackgroundTree* tree) const;

 private:
  KeyTiles const& background_;
  std::vector<LeafRule> rules_;  ///< by number of features
};

}  // namespace kauri
