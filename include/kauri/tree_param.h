/// \file Parameters that every tree method understands; names, defaults and meaning are XGBoost's.
#pragma once

#include <dmlc/parameter.h>

#include <cstdint>
#include <string>
#include <utility>

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
            "Smallest number of rows that a child must have, counted one by one: of the rows that the tree is learnt "
            "from, whatever their weights. 0 and 1 ask for nothing.");
    DMLC_DECLARE_FIELD(max_delta_step)
        .set_default(0.0F)
        .set_range(0.0F, 3.402823466e38F)
        .describe("Largest absolute weight of a leaf before the learning rate; 0 sets no limit.");
    DMLC_DECLARE_FIELD(lambda)
        .set_default(1.0F)
        .set_range(0.0F, 3.402823466e38F)
        .describe("L2 regularisation of leaf weights.");
    DMLC_DECLARE_FIELD(alpha)
        .set_default(0.0F)
        .set_range(0.0F, 3.402823466e38F)
        .describe("L1 regularisation of leaf weights.");
    DMLC_DECLARE_FIELD(subsample)
        .set_default(1.0F)
        .set_range(0.0F, 1.0F)
        .describe("Chance of a row to be used for a tree, in (0, 1].");
    DMLC_DECLARE_FIELD(sampling_method)
        .set_default(kUniform)
        .add_enum("uniform", kUniform)
        .add_enum("gradient_based", kGradientBased)
        .add_enum("by_query", kByQuery)
        .add_enum("without_replacement", kWithoutReplacement)
        .describe(
            "How subsample < 1 draws rows. uniform: all with the same chance; gradient_based: with a chance that grows "
            "with their gradients, which are scaled up in return (minimal variance sampling); by_query: the rows of a "
            "query, or of any group that qid tells, together; without_replacement: exactly subsample times the "
            "number of rows, rounded down.");
    DMLC_DECLARE_FIELD(bagging_temperature)
        .set_default(0.0F)
        .set_range(0.0F, 4.0F)
        .describe(
            "Bayesian bootstrap: for each tree a row's gradients are multiplied by a random weight, an exponential "
            "one of mean 1 to the power of this; 0: by none. With sampling_method=by_query, the rows of a query by the "
            "same.");
    DMLC_DECLARE_FIELD(colsample_bytree)
        .set_default(1.0F)
        .set_range(0.0F, 1.0F)
        .describe("Share of the columns drawn for each tree, in (0, 1].");
    DMLC_DECLARE_FIELD(colsample_bylevel)
        .set_default(1.0F)
        .set_range(0.0F, 1.0F)
        .describe("Share of the tree's columns drawn for each level, in (0, 1].");
    DMLC_DECLARE_FIELD(colsample_bynode)
        .set_default(1.0F)
        .set_range(0.0F, 1.0F)
        .describe("Share of the level's columns drawn for each node, in (0, 1].");
    DMLC_DECLARE_FIELD(max_bin).set_default(256).set_range(2, 65535).describe(
        "Largest number of bins of a feature in histogram methods.");
    DMLC_DECLARE_FIELD(sketch)
        .set_default(kExact)
        .add_enum("exact", kExact)
        .add_enum("gk", kGk)
        .add_enum("moments", kMoments)
        .add_enum("kll", kKll)
        .describe(
            "Where histogram methods take the quantiles of a feature from: exact sorts it; gk summarises blocks of "
            "rows, with a bound on ranks; kll keeps values that are left by chance, with a bound that holds for 99 of "
            "100; moments keeps power sums, without a bound: not for features with far outliers.");
    DMLC_DECLARE_FIELD(sketch_size)
        .set_default(0)
        .set_lower_bound(0)
        .describe("How many values sketch=kll keeps of the highest weight, at least 2; 0: 8 max_bin.");
    DMLC_DECLARE_FIELD(sketch_order)
        .set_default(10)
        .set_range(2, 15)
        .describe("The highest power that sketch=moments adds up.");
    DMLC_DECLARE_FIELD(sketch_density)
        .set_default(kMaxEntropy)
        .add_enum("max_entropy", kMaxEntropy)
        .add_enum("legendre", kLegendre)
        .add_enum("cosine", kCosine)
        .describe(
            "The distribution that sketch=moments makes of its sums: the one of the largest entropy; a series of "
            "Legendre polynomials, quicker and less accurate; or a series of cosines, whose sums take a pass more.");
    DMLC_DECLARE_FIELD(max_cat_to_onehot)
        .set_default(32)
        .set_lower_bound(1)
        .describe(
            "A categorical feature with fewer categories is split one category against the others; one with as many or "
            "more by a set of them. XGBoost's is 4.");
    DMLC_DECLARE_FIELD(max_cat_threshold)
        .set_default(64)
        .set_lower_bound(1)
        .describe("Fewer categories than this are tried on the smaller side of a split by a set of categories.");
    DMLC_DECLARE_FIELD(cat_smooth)
        .set_default(-1.0F)
        .set_range(-1.0F, 3.402823466e38F)
        .describe(
            "Where a split by a set puts the categories of a node in order: added to the hessian of each, and those "
            "with fewer rows than this, as their share of the hessian tells, are taken for categories without rows. "
            "-1: a hundredth of all rows, but from 10 to 200.");
    DMLC_DECLARE_FIELD(cat_l2)
        .set_default(0.0F)
        .set_range(0.0F, 3.402823466e38F)
        .describe("Added to lambda in splits at categorical features, and in the weights of their children.");
    DMLC_DECLARE_FIELD(min_data_per_group)
        .set_default(0)
        .set_lower_bound(0)
        .describe(
            "Of sets of categories, one is tried only when it has at least this many more rows than the last one "
            "tried, and leaves as many; rows are told by their hessian.");
    DMLC_DECLARE_FIELD(extra_trees)
        .set_default(false)
        .describe(
            "Whether a node looks at one threshold of each feature, drawn at random, in place of all (extremely "
            "randomised trees): in histogram methods one of those between its rows' bins, in exact one between its "
            "least and its largest value, in symmetric trees, whose leaves must hold vectors, one for each level.");
    DMLC_DECLARE_FIELD(random_strength)
        .set_default(0.0F)
        .set_range(0.0F, 3.402823466e38F)
        .describe(
            "Noise on the gains that the features of a node compete with, in units of what a split without meaning "
            "gains; it fades as the model grows. Recorded gains, and those that gamma is asked of, are without it; 0: "
            "none. Devices have it with hist and approx.");
    DMLC_DECLARE_FIELD(path_smooth)
        .set_default(0.0F)
        .set_range(0.0F, 3.402823466e38F)
        .describe(
            "Draws the weight of a node of n rows towards its parent's: n / path_smooth parts of its own, 1 part of "
            "the "
            "parent's. Splits stay as they are without it; 0: none (without monotone constraints).");
    DMLC_DECLARE_FIELD(linear_tree)
        .set_default(false)
        .describe(
            "Whether each leaf holds a linear function of the numerical features on its path, fitted to the gradients "
            "of its rows once the tree has grown, in place of a constant (CPU).");
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
            "the same split in all nodes of a level, the one with the largest sum of gains "
            "(tree_method=hist; vector leaves with extra_trees=1 alone).");
    DMLC_DECLARE_FIELD(split_criterion)
        .set_default(kGradient)
        .add_enum("gradient", kGradient)
        .add_enum("absolute_error", kAbsoluteError)
        .describe(
            "What splits are chosen by: the gain that gradients and hessians promise; or by how much the errors of the "
            "best constants fall, for reg:absoluteerror and reg:quantileerror, by 64 bins of the residuals "
            "(tree_method=exact, or hist on the CPU).");
    DMLC_DECLARE_FIELD(monotone_constraints)
        .set_default("()")
        .describe(
            "Per feature 1: predictions may not fall as it grows, -1: may not rise, 0: free; as in (1,0,-1). "
            "Features beyond the list are free.");
    DMLC_DECLARE_FIELD(interaction_constraints)
        .set_default("")
        .describe("Lists of features that may appear on one path of a tree, as in [[0,1],[2,3]]; empty: all may.");
    DMLC_DECLARE_FIELD(feature_cost)
        .set_default("()")
        .describe(
            "Per feature what its first use costs, in units of gain, as in (0,2.5,0): a split at a feature that the "
            "model does not use yet must gain so much more, and its recorded gain is what remains.");
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

  ParamMap all;    ///< all parameters as text, from which a component reads its own
  TreeParam tree;  ///< the parameters of trees, parsed once for all components
};

}  // namespace kauri
