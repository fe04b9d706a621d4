/// \file Dropout: the booster `dart`, and gbtree with rate_drop, one_drop or skip_drop (Rashmi and Gilad-Bachrach 2015,
/// "DART: Dropouts meet Multiple Additive Regression Trees").
///
/// A round (1) draws the trees of the model to drop; (2) takes gradients at the margins of the other trees; (3) grows
/// trees as gbtree does; (4) scales the dropped and the new trees, so that the model does not overshoot. The model
/// stores the weights of trees, as XGBoost defines them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kauri/booster.h"
#include "kauri/parameter.h"
#include "kauri/tree_param.h"

namespace kauri {

struct DartParam : public dmlc::Parameter<DartParam> {
  enum SampleType { kUniform = 0, kWeighted = 1 };
  enum NormalizeType { kTree = 0, kForest = 1 };
  int sample_type;
  int normalize_type;
  float rate_drop;
  bool one_drop;
  float skip_drop;

  DMLC_DECLARE_PARAMETER(DartParam) {
    DMLC_DECLARE_FIELD(sample_type)
        .set_default(kUniform)
        .add_enum("uniform", kUniform)
        .add_enum("weighted", kWeighted)
        .describe("Which trees a round with dropout leaves out: all alike, or in proportion to their weights.");
    DMLC_DECLARE_FIELD(normalize_type)
        .set_default(kTree)
        .add_enum("tree", kTree)
        .add_enum("forest", kForest)
        .describe(
            "What new trees weigh after k were left out: tree, each as much as one of them, about 1 / (k + eta); "
            "forest, as much as all of them together, 1 / (1 + eta). Trees of one round (classes, targets, "
            "num_parallel_tree) weigh alike, by XGBoost 3.4's rule.");
    DMLC_DECLARE_FIELD(rate_drop)
        .set_default(0.0F)
        .set_range(0.0F, 1.0F)
        .describe("Share of the trees that a round leaves out (dropout), with booster=gbtree too.");
    DMLC_DECLARE_FIELD(one_drop).set_default(false).describe(
        "A round leaves out at least one tree, with booster=gbtree too.");
    DMLC_DECLARE_FIELD(skip_drop)
        .set_default(0.0F)
        .set_range(0.0F, 1.0F)
        .describe("Chance that a round with dropout leaves out none, whatever one_drop says.");
  }
  void Validate() const {}
  /// Returns whether trees may be dropped. sample_type and normalize_type alone enable nothing.
  bool AsksForDropout() const { return rate_drop > 0.0F || one_drop || skip_drop > 0.0F; }
};

/// Returns the trees that a round drops, ascending. weights: [n_trees]. The draws are a pure function of `key`.
std::vector<std::int64_t> DrawDroppedTrees(DartParam const& param, std::vector<float> const& weights,
                                           std::uint64_t key);

/// Updates the weights after a round that dropped `dropped` and added n_new trees: `weights` grows by n_new. The step
/// of a new tree is eta, whatever their number (XGBoost's rule since 3.4).
void WeighTrees(DartParam const& param, std::vector<std::int64_t> const& dropped, std::int64_t n_new, float eta,
                std::vector<float>* weights);

std::unique_ptr<Booster> MakeDart(TrainingParams const& params);

}  // namespace kauri
