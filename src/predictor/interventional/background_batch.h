/// \file The trees of a range compiled against a background, in batches.
#pragma once

#include <cstdint>
#include <vector>

#include "predictor/interventional/background_tree.h"

namespace kauri {

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
