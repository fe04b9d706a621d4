/// \file A tree compiled against the rows of a background, from which interventional contributions of any row are
/// computed (interventional.h).
///
/// DirectLeaf has the patterns of a background at one leaf, and contributions from pairs of a row and a pattern.
///
/// For a row x and a row r of the background, the leaf matters in some coalition only if each feature of its path is
/// satisfied by x or by r. Let A be the features that only x satisfies, B the features that only r satisfies, and a and
/// b their numbers. With the leaf's value v, the Shapley values of the game "features of the coalition come from x, the
/// others from r" are v (a-1)! b! / (a+b)! for features in A and -v a! (b-1)! / (a+b)! for features in B. The order in
/// which features join decides this: a feature of A adds the value if it is the last of A and comes before all of B.
///
/// BackgroundBatches are the trees of a range compiled against a background, in batches.
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "predictor/interventional/interventional_kernel.h"
#include "predictor/interventional/path_program.h"

namespace kauri {

/// The weights (k - 1)! l! / (k + l)! for k + l up to `most`. They are products of numbers below 1, so nothing
/// overflows.
class ShapleyWeights {
 public:
  explicit ShapleyWeights(std::uint32_t most);
  /// Returns the weight of k and l, k >= 1.
  double At(std::uint32_t k, std::uint32_t l) const { return weights_[std::size_t{k} * size_ + l]; }
  std::vector<double> const& All() const { return weights_; }
  std::uint32_t Size() const { return static_cast<std::uint32_t>(size_); }

 private:
  std::size_t size_;
  std::vector<double> weights_;  ///< [size, size], size = most + 1
};

/// The distinct patterns of a background at one leaf, ascending.
struct DirectLeaf {
  std::uint32_t n_features = 0;
  std::vector<std::uint32_t> missed;    ///< [n_patterns, planes]: complement of the pattern, its unsatisfied features
  std::vector<std::uint32_t> n_missed;  ///< [n_patterns], number of bits set in `missed`
  std::vector<double> weight;           ///< [n_patterns], number of rows times the value of one row
};

/// Collects patterns tile by tile. Memory is linear in the number of distinct patterns.
class DirectLeafBuilder {
 public:
  explicit DirectLeafBuilder(std::uint32_t n_features);
  /// Adds the patterns of a tile. planes: each [n_rows].
  void Add(std::vector<std::uint32_t const*> const& planes, std::int64_t n_rows);
  /// Returns the collected patterns. value: value of one row.
  DirectLeaf Finish(double value);

 private:
  void Merge();

  DirectLeaf leaf_;
  std::vector<std::int64_t> count_;  ///< by pattern
  std::size_t merge_at_ = 0;
};

/// Adds the contributions of the leaf's positions to sums[row * stride + position].
void AddDirect(DirectLeaf const& leaf, std::vector<std::uint32_t const*> const& planes, std::int64_t n_rows,
               ShapleyWeights const& weights, double* sums, std::int64_t stride);

class AlignedDoubles {
 public:
  /// Makes room for at least `size` doubles. The contents are lost when the memory grows.
  void Reserve(std::size_t size) {
    if (size <= size_) return;
    values_.reset();
    values_ = hwy::AllocateAligned<double>(size);
    if (values_ == nullptr) throw std::bad_alloc();
    size_ = size;
  }
  std::size_t Size() const { return size_; }
  double* Data() { return values_.get(); }
  double const* Data() const { return values_.get(); }

 private:
  hwy::AlignedFreeUniquePtr<double[]> values_;
  std::size_t size_ = 0;
};

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

/// \throws Error(kData) if the background has no rows.
void CheckBackground(DataView const& background);

class BackgroundBatches {
 public:
  /// Prepares batches of `trees`, which are numbered within the forest. Forest and background must outlive this.
  BackgroundBatches(Forest const& forest, KeyTiles const& background, TreeRange trees);

  /// Compiles the next batch of trees: a few per thread, so that their tables stay in cache. Returns false if no trees
  /// are left.
  bool Next(Context const& ctx);

  TreeRange Trees() const { return trees_; }
  BackgroundTree const& Tree(std::int64_t tree) const { return compiled_[tree - trees_.begin]; }
  CategoryConditionsView Categories() const { return categories_.View(); }
  /// Returns Shapley weights for paths of any length in the batch.
  ShapleyWeights const& Weights() const { return weights_; }
  /// Returns the means of the trees compiled so far over the background, [n_outputs].
  std::vector<double> const& Means() const { return means_; }
  PathCategories const& AllCategories() const { return categories_; }

 private:
  Forest const& forest_;
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
