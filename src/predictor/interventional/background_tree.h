/// \file A tree compiled against the rows of a background, from which interventional contributions of any row are
/// computed (interventional.h).
///
/// BackgroundBatches are the trees of a range compiled against a background, in batches.
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "predictor/interventional/direct_leaf.h"
#include "predictor/interventional/interventional_kernel.h"
#include "predictor/interventional/path_program.h"
#include "predictor/shap/quadrature_forest.h"

namespace kauri {

class AlignedIntegers {
 public:
  /// Makes room for at least `size` integers. The contents are lost when the memory grows.
  void Reserve(std::size_t size) {
    if (size <= size_) return;
    values_.reset();
    values_ = hwy::AllocateAligned<std::int64_t>(size);
    if (values_ == nullptr) throw std::bad_alloc();
    size_ = size;
  }
  std::size_t Size() const { return size_; }
  std::int64_t* Data() { return values_.get(); }
  std::int64_t const* Data() const { return values_.get(); }

 private:
  hwy::AlignedFreeUniquePtr<std::int64_t[]> values_;
  std::size_t size_ = 0;
};

struct BackgroundTree {
  PathProgram program;
  double mean = 0.0;                      ///< mean of the program's leaves over the background
  std::vector<std::int64_t> table_begin;  ///< by leaf, index into tables; unused without a table
  AlignedIntegers tables;                 ///< in the layout of AddValues or AddParts
  std::vector<std::int64_t> pair_begin;   ///< by leaf, index into pair_tables; unused without pairs
  AlignedIntegers pair_tables;            ///< in the layout of AddPairValues or AddPairParts (SpreadsPairs)
  std::vector<DirectLeaf> direct;         ///< by leaf; empty unless kPairs

  std::int64_t* PairTable(std::size_t leaf) { return pair_tables.Data() + pair_begin[leaf]; }
  std::int64_t const* PairTable(std::size_t leaf) const { return pair_tables.Data() + pair_begin[leaf]; }
};

/// Returns the range of each output, [n_outputs]: a power of two above all sums of contributions of the trees, which
/// are numbered within the forest. \throws Error(kModel) as Forest::LargestLeaf.
std::vector<double> OutputRanges(Forest const& forest, TreeRange trees);

/// Divides the values of all leaves by the range of their output. Exact, as is the multiplication of sums and means by
/// the range.
void DivideLeaves(double range, PathProgram* program);

/// Returns an upper bound of the bytes of a tree's tables before it is compiled.
std::int64_t MostTableBytes(Forest const& forest, std::int64_t tree, QuadratureGoal goal, PairLayout layout);

/// Compiles trees against a background; holds the rules that the tables of all trees share. Immutable.
class BackgroundCompiler {
 public:
  /// background: at least one row; must outlive this. scale: units of 1.
  BackgroundCompiler(KeyTiles const& background, QuadratureGoal goal, double scale, PairLayout layout);
  /// Compiles a program. tree (out): reuses the memory of its previous contents.
  void Compile(PathProgram program, CategoryConditionsView const& categories, BackgroundTree* tree) const;

 private:
  KeyTiles const& background_;
  bool with_pairs_;
  double scale_;
  PairLayout layout_;
  std::vector<LeafRule> rules_;  ///< by number of features
};

/// \throws Error(kData) if the background has no rows.
void CheckBackground(DataView const& background);

class BackgroundBatches {
 public:
  /// Prepares batches of `trees`, which are numbered within the forest. Forest and background must outlive this.
  BackgroundBatches(Forest const& forest, KeyTiles const& background, TreeRange trees, QuadratureGoal goal = {},
                    PairLayout layout = PairLayout::kSpread);

  /// Compiles the next batch of trees: a few per thread, so that their tables stay in cache. Returns false if no trees
  /// are left.
  bool Next(Context const& ctx);

  TreeRange Trees() const { return trees_; }
  PairLayout Layout() const { return layout_; }
  BackgroundTree const& Tree(std::int64_t tree) const { return compiled_[tree - trees_.begin]; }
  CategoryConditionsView Categories() const { return categories_.View(); }
  /// Returns weights for paths of any length in the batch, and the units of the tables.
  DirectWeights Weights() const { return weights_.View(kUnitsOfOne); }
  std::vector<double> const& AllWeights() const { return weights_.All(); }
  /// Returns OutputRanges of all trees, by which the leaves of the compiled trees are divided.
  std::vector<double> const& Ranges() const { return ranges_; }
  /// Returns the means of the trees compiled so far over the background, [n_outputs], divided by the ranges.
  std::vector<double> const& Means() const { return means_; }
  PathCategories const& AllCategories() const { return categories_; }

 private:
  Forest const& forest_;
  QuadratureGoal goal_;
  PairLayout layout_;
  std::vector<double> ranges_;
  BackgroundCompiler compiler_;
  PathCategories categories_;
  TreeRange rest_;
  TreeRange trees_;
  /// Compiled trees of the batch; surplus entries keep their memory for the next batch.
  std::vector<BackgroundTree> compiled_;
  ShapleyWeights weights_;
  std::vector<double> means_;
};

}  // namespace kauri
