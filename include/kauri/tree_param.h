/// \file Parameters that every tree method understands; names, defaults and meaning are XGBoost's.
#pragma once

#include <dmlc/parameter.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kauri/parameter.h"

namespace kauri {

struct TreeParam : public dmlc::Parameter<TreeParam> {
  float eta;
  float gamma;
  int max_depth;
  int max_leaves;
  float min_child_weight;
  int min_data_in_leaf;
  float max_delta_step;
  float lambda;
  float alpha;
  float subsample;
  int sampling_method;  ///< SamplingMethod
  float bagging_temperature;
  int gradient_bits;  ///< 0, 4 or 8
  float colsample_bytree;
  float colsample_bylevel;
  float colsample_bynode;
  int max_bin;
  int sketch;  ///< Sketch
  int sketch_size;
  int sketch_order;
  int sketch_density;  ///< Density
  int max_cat_to_onehot;
  int max_cat_threshold;
  float cat_smooth;  ///< negative: chosen by the number of rows
  float cat_l2;
  int min_data_per_group;
  bool extra_trees;
  float random_strength;
  float path_smooth;
  bool linear_tree;
  float linear_lambda;
  int grow_policy;                      ///< GrowPolicy
  int split_criterion;                  ///< SplitCriterion
  std::string monotone_constraints;     ///< read by ParseConstraints
  std::string interaction_constraints;  ///< read by ParseConstraints
  std::string feature_cost;             ///< read by ParseFeatureCost

  enum SamplingMethod { kUniform = 0, kGradientBased = 1, kByQuery = 2, kWithoutReplacement = 3 };
  enum Sketch { kExact = 0, kGk = 1, kMoments = 2, kKll = 3 };
  enum Density { kMaxEntropy = 0, kLegendre = 1, kCosine = 2 };
  enum SplitCriterion { kGradient = 0, kAbsoluteError = 1 };
  enum GrowPolicy { kDepthWise = 0, kLossGuide = 1, kSymmetric = 2 };

  DMLC_DECLARE_PARAMETER(TreeParam) {
    DMLC_DECLARE_FIELD(eta)
        .set_default(0.3F)
        .set_range(0.0F, 3.402823466e38F)
        .describe("Learning rate: each tree's leaf values are multiplied by it.");
    DMLC_DECLARE_FIELD(gamma)
        .set_default(0.0F)
        .set_range(0.0F, 3.402823466e38F)
        .describe("Smallest loss reduction that a split must bring.");
    DMLC_DECLARE_FIELD(max_depth)
        .set_default(6)
        .set_range(0, 1 << 20)
        .describe("Largest depth of a tree; 0 sets no limit.");
    DMLC_DECLARE_FIELD(max_leaves)
        .set_default(0)
        .set_lower_bound(0)
        .describe("Largest number of leaves; 0 sets no limit. The exact method ignores it.");
    DMLC_DECLARE_FIELD(min_child_weight)
        .set_default(1.0F)
        .set_range(0.0F, 3.402823466e38F)
        .describe("Smallest sum of hessians that a child must have.");
    DMLC_DECLARE_FIELD(min_data_in_leaf)
        .set_default(0)
        .set_lower_bound(0)
        .describe(
            "Smallest number of rows that a child must have, whatever their weights. Only the rows that the tree is "
            "trained on count. 0 and 1 set no limit.");
    DMLC_DECLARE_FIELD(max_delta_step)
        .set_default(0.0F)
        .set_range(0.0F, 3.402823466e38F)
        .describe("Largest absolute value of a leaf before the learning rate; 0 sets no limit.");
    DMLC_DECLARE_FIELD(lambda)
        .set_default(1.0F)
        .set_range(0.0F, 3.402823466e38F)
        .describe("L2 regularisation of leaf values.");
    DMLC_DECLARE_FIELD(alpha)
        .set_default(0.0F)
        .set_range(0.0F, 3.402823466e38F)
        .describe("L1 regularisation of leaf values.");
    DMLC_DECLARE_FIELD(subsample)
        .set_default(1.0F)
        .set_range(0.0F, 1.0F)
        .describe(
            "Expected fraction of the rows that each tree is trained on, in (0, 1]; sampling_method says how they are "
            "chosen.");
    DMLC_DECLARE_FIELD(sampling_method)
        .set_default(kUniform)
        .add_enum("uniform", kUniform)
        .add_enum("gradient_based", kGradientBased)
        .add_enum("by_query", kByQuery)
        .add_enum("without_replacement", kWithoutReplacement)
        .describe(
            "How subsample < 1 chooses rows. uniform: every row with the same probability. gradient_based: with a "
            "probability that grows with the gradient; the gradients of the chosen rows are scaled up in return "
            "(minimal variance sampling). by_query: the rows of a query, or of any group that qid states, together. "
            "without_replacement: exactly subsample times the number of rows, rounded down.");
    DMLC_DECLARE_FIELD(bagging_temperature)
        .set_default(0.0F)
        .set_range(0.0F, 4.0F)
        .describe(
            "Bayesian bootstrap: for each tree, the gradients of a row are multiplied by a random weight from the "
            "exponential distribution of mean 1, raised to this power. 0: no weights. With sampling_method=by_query, "
            "all rows of a query have the same weight.");
    DMLC_DECLARE_FIELD(gradient_bits)
        .set_default(0)
        .set_range(0, 8)
        .describe(
            "Bits to which gradients and hessians are rounded, at random but without bias, before the splits of a tree "
            "are searched: 8 or 4; 0: they are not rounded. Devices add up rounded gradients faster. Leaf values come "
            "from gradients that are not rounded, except with monotone_constraints, path_smooth or cat_l2 "
            "(tree_method=hist).");
    DMLC_DECLARE_FIELD(colsample_bytree)
        .set_default(1.0F)
        .set_range(0.0F, 1.0F)
        .describe("Fraction of the columns that each tree may use, chosen at random, in (0, 1].");
    DMLC_DECLARE_FIELD(colsample_bylevel)
        .set_default(1.0F)
        .set_range(0.0F, 1.0F)
        .describe("Fraction of the tree's columns that each level may use, chosen at random, in (0, 1].");
    DMLC_DECLARE_FIELD(colsample_bynode)
        .set_default(1.0F)
        .set_range(0.0F, 1.0F)
        .describe("Fraction of the level's columns that each node may use, chosen at random, in (0, 1].");
    DMLC_DECLARE_FIELD(max_bin).set_default(256).set_range(2, 65535).describe(
        "Largest number of bins of a feature in histogram methods.");
    DMLC_DECLARE_FIELD(sketch)
        .set_default(kExact)
        .add_enum("exact", kExact)
        .add_enum("gk", kGk)
        .add_enum("moments", kMoments)
        .add_enum("kll", kKll)
        .describe(
            "How histogram methods find the quantiles of a feature. exact: by sorting. gk: from summaries of blocks of "
            "rows, with a bound on the error in rank. kll: from values that are kept at random, with a bound that "
            "holds in 99 of 100 cases. moments: from sums of powers, without a bound; not for features with extreme "
            "outliers.");
    DMLC_DECLARE_FIELD(sketch_size)
        .set_default(0)
        .set_lower_bound(0)
        .describe("Number of values of the highest weight that sketch=kll keeps, at least 2; 0: 8 max_bin.");
    DMLC_DECLARE_FIELD(sketch_order)
        .set_default(10)
        .set_range(2, 15)
        .describe("Highest power that sketch=moments sums.");
    DMLC_DECLARE_FIELD(sketch_density)
        .set_default(kMaxEntropy)
        .add_enum("max_entropy", kMaxEntropy)
        .add_enum("legendre", kLegendre)
        .add_enum("cosine", kCosine)
        .describe(
            "Distribution that sketch=moments fits to its sums. max_entropy: the one with the largest entropy. "
            "legendre: a series of Legendre polynomials, faster and less accurate. cosine: a series of cosines, whose "
            "sums need one more pass over the data.");
    DMLC_DECLARE_FIELD(max_cat_to_onehot)
        .set_default(32)
        .set_lower_bound(1)
        .describe(
            "A categorical feature with fewer categories than this is split one category against the others, any other "
            "feature by a set of categories. XGBoost's default is 4.");
    DMLC_DECLARE_FIELD(max_cat_threshold)
        .set_default(64)
        .set_lower_bound(1)
        .describe("The smaller side of a split by a set has fewer categories than this.");
    DMLC_DECLARE_FIELD(cat_smooth)
        .set_default(-1.0F)
        .set_range(-1.0F, 3.402823466e38F)
        .describe(
            "For splits by a set of categories: added to each category's hessian before the categories of a node are "
            "sorted. A category with fewer rows than this, estimated from its share of the hessian, is treated as one "
            "without rows. -1: one hundredth of all rows, but at least 10 and at most 200.");
    DMLC_DECLARE_FIELD(cat_l2)
        .set_default(0.0F)
        .set_range(0.0F, 3.402823466e38F)
        .describe("Added to lambda in splits at categorical features, and in the values of their children.");
    DMLC_DECLARE_FIELD(min_data_per_group)
        .set_default(0)
        .set_lower_bound(0)
        .describe(
            "For splits by a set of categories: a set is tried only if it has at least this many more rows than the "
            "last set that was tried, and leaves at least as many. Rows are estimated from the hessian.");
    DMLC_DECLARE_FIELD(extra_trees)
        .set_default(false)
        .describe(
            "Whether a node considers one random threshold of each feature instead of all thresholds (extremely "
            "randomised trees). Histogram methods choose among the bins of the node's rows, exact between the smallest "
            "and the largest value. Symmetric trees, whose leaves must hold vectors, choose one threshold for each "
            "level.");
    DMLC_DECLARE_FIELD(random_strength)
        .set_default(0.0F)
        .set_range(0.0F, 3.402823466e38F)
        .describe(
            "Noise on the gains by which the features of a node compete, in units of the gain of a meaningless split. "
            "It fades as the model grows. Recorded gains, and gains that are compared with gamma, are without noise. "
            "0: none. Devices support it with hist and approx.");
    DMLC_DECLARE_FIELD(path_smooth)
        .set_default(0.0F)
        .set_range(0.0F, 3.402823466e38F)
        .describe(
            "Moves the value of a node of n rows towards its parent's value, with the weights n / path_smooth for the "
            "node and 1 for the parent. Splits are chosen without it. Not with monotone constraints. 0: none.");
    DMLC_DECLARE_FIELD(linear_tree)
        .set_default(false)
        .describe(
            "Whether each leaf holds a linear function of the numerical features on its path instead of a constant. It "
            "is fitted to the gradients of the leaf's rows once the tree has grown (CPU).");
    DMLC_DECLARE_FIELD(linear_lambda)
        .set_default(0.0F)
        .set_range(0.0F, 3.402823466e38F)
        .describe("L2 regularisation of the slopes of linear leaves, in the features' own units; see linear_tree.");
    DMLC_DECLARE_FIELD(grow_policy)
        .set_default(kDepthWise)
        .add_enum("depthwise", kDepthWise)
        .add_enum("lossguide", kLossGuide)
        .add_enum("symmetric", kSymmetric)
        .describe(
            "depthwise splits level by level; lossguide splits the leaf with the largest gain first; symmetric makes "
            "the same split in all nodes of a level, the one with the largest sum of gains (tree_method=hist; with "
            "vector leaves only if extra_trees=1).");
    DMLC_DECLARE_FIELD(split_criterion)
        .set_default(kGradient)
        .add_enum("gradient", kGradient)
        .add_enum("absolute_error", kAbsoluteError)
        .describe(
            "How splits are chosen. gradient: by the gain that gradients and hessians predict. absolute_error: by how "
            "much the errors of the best constants fall, for reg:absoluteerror and reg:quantileerror, over 64 bins of "
            "the residuals (tree_method=exact, or hist on the CPU).");
    DMLC_DECLARE_FIELD(monotone_constraints)
        .set_default("()")
        .describe(
            "For each feature 1 (predictions must not fall as it grows), -1 (they must not rise) or 0 (free), as in "
            "(1,0,-1). Features beyond the list are free.");
    DMLC_DECLARE_FIELD(interaction_constraints)
        .set_default("")
        .describe("Lists of features that may appear on one path of a tree, as in [[0,1],[2,3]]; empty: all may.");
    DMLC_DECLARE_FIELD(feature_cost)
        .set_default("()")
        .describe(
            "For each feature the cost of its first use, in units of gain, as in (0,2.5,0). A split at a feature that "
            "the model does not use yet must gain this much more, and its recorded gain is what remains.");
    DMLC_DECLARE_ALIAS(eta, learning_rate);
    DMLC_DECLARE_ALIAS(gamma, min_split_loss);
    DMLC_DECLARE_ALIAS(lambda, reg_lambda);
    DMLC_DECLARE_ALIAS(alpha, reg_alpha);
  }

  /// \throws Error(kParameter): zero sampling rates; two ways of weighting rows; invalid costs.
  void Validate() const;
};

/// The parameters of a training: the input of the factories of boosters, tree methods and updaters. `tree` is what they
/// use of the parameters of trees, and may differ from the text in `all`.
struct TrainingParams {
  TrainingParams() : TrainingParams(ParamMap()) {}
  /// Parses the parameters of trees. \throws Error(kParameter).
  explicit TrainingParams(ParamMap params) : all(std::move(params)), tree(ParseParameters<TreeParam>(all)) {}

  ParamMap all;                            ///< all parameters as text, from which a component reads its own
  TreeParam tree;                          ///< the parameters of trees, parsed once for all components
  std::vector<std::uint8_t> free_outputs;  ///< Objective::FreeOutputs
};

}  // namespace kauri
