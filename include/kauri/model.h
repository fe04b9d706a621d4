/// \file The trained model: exactly the content of a model file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kauri/categories.h"
#include "kauri/tree.h"

namespace kauri {

/// Half-open ranges of boosting iterations or of trees.
struct IterationRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;  ///< 0: up to the last
};
struct TreeRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// The model of booster=gblinear. The margin of an output is its start plus its bias plus the sum over features of
/// weight times value; a missing value adds nothing.
struct LinearPart {
  std::vector<float> weights;  ///< [n_features + 1, n_outputs], the last row the biases; empty: not linear
  std::int64_t n_rounds = 0;   ///< number of rounds that trained the weights
};

struct Model {
  std::int64_t n_features = 0;
  std::int64_t n_classes = 0;  ///< 0 unless multi-class
  std::int64_t n_targets = 1;
  std::vector<float> base_score{0.5F};  ///< output space; one for all outputs, or [n_outputs]
  bool base_score_estimated = true;     ///< boost_from_average of the file

  std::string objective = "reg:squarederror";
  std::string objective_param_key;                            ///< e.g. reg_loss_param; empty: none
  std::map<std::string, std::string> objective_params;        ///< e.g. scale_pos_weight -> "1"
  std::map<std::string, std::vector<float>> objective_state;  ///< e.g. ti+ -> position biases; empty for most

  std::string booster = "gbtree";
  std::int64_t n_parallel_trees = 1;
  std::vector<Tree> trees;
  std::vector<std::int32_t> output_of_tree;    ///< [n_trees]; tree_info of the file; 0 for vector leaves
  std::vector<std::int64_t> iteration_ptr{0};  ///< [n_iterations + 1], into trees
  std::vector<float> tree_weights;             ///< dart; empty = all 1, missing tail = 1
  LinearPart linear;                           ///< gblinear, which has no trees
  std::vector<std::string> feature_names;
  std::vector<std::string> feature_types;
  ModelCategories categories;
  std::map<std::string, std::string> attributes;

  std::int64_t NumOutputs() const { return n_classes > 1 ? n_classes : n_targets; }
  /// Returns the number of columns that trees may split on: the features, then the columns that only the model has.
  std::int64_t NumTreeFeatures() const { return n_features + categories.NumAddedColumns(); }
  bool IsLinear() const { return !linear.weights.empty(); }
  std::int64_t NumIterations() const {
    return IsLinear() ? linear.n_rounds : static_cast<std::int64_t>(iteration_ptr.size()) - 1;
  }
  /// Returns whether a tree has a vector in each leaf (multi_strategy=multi_output_tree); other trees may have numbers.
  bool HasVectorLeaves() const;
  /// Returns whether a leaf of a tree has slopes (linear_tree).
  bool HasLinearLeaves() const;
  /// \throws Error(kParameter), which says that `what` needs constants in all leaves, if HasLinearLeaves().
  void RequireConstantLeaves(char const* what) const;
  float TreeWeight(std::int64_t tree) const {
    auto const index = static_cast<std::size_t>(tree);
    return index < tree_weights.size() ? tree_weights[index] : 1.0F;
  }
  /// Returns the trees of the iterations; none for a linear model. \throws Error(kParameter) when begin > end, begin <
  /// 0 or end is past the last iteration, and for a part of the iterations of a linear model.
  TreeRange TreesOf(IterationRange iterations) const;
};

}  // namespace kauri
