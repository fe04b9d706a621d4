/// \file The trees of a range compiled against a background, some at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "predictor/interventional/background_tree.h"

namespace kauri {

/// \throws Error(kData) for a background without rows.
void CheckBackground(DataView const& background);

class BackgroundBatches {
 public:
  /// trees: numbered within the forest; forest and background must outlive this.
  BackgroundBatches(Forest const& forest, KeyTiles const& background, TreeRange trees);

  /// Compiles the trees after the current ones: some for each thread, so that their tables stay in cache. False: there
  /// are none left.
  bool Next(Context const& ctx);

  TreeRange Trees() const { return trees_; }
  BackgroundTree const& Tree(std::int64_t tree) const { return compiled_[tree - trees_.begin]; }
  CategoryConditionsView Categories() const { return categories_.View(); }
  /// For paths of any length in the batch.
  ShapleyWeights const& Weights() const { return weights_; }
  /// Of the trees so far over the background, [n_outputs].
  std::vector<double> const& Means() const { return means_; }
  PathCategories const& AllCategories() const { return categories_; }

 private:
  Forest const& forest_;
  BackgroundCompiler compiler_;
  PathCategories categories_;
  TreeRange rest_;
  TreeRange trees_;
  std::vector<BackgroundTree> compiled_;  ///< the first of them are in use; memory stays for the next batch
  ShapleyWeights weights_;
  std::vector<double> means_;
};

}  // namespace kauri
