/// \file The booster `gblinear`: every round updates the weights of a linear model once, feature by feature.
#pragma once

#include <memory>

#include "kauri/booster.h"
#include "kauri/parameter.h"
#include "kauri/tree_param.h"

namespace kauri {

struct GbLinearParam : public dmlc::Parameter<GbLinearParam> {
  enum Updater { kShotgun = 0, kCoordDescent = 1 };
  enum Selector { kCyclic = 0, kShuffle = 1, kRandom = 2, kGreedy = 3, kThrifty = 4 };
  int updater;
  int feature_selector;
  int top_k;
  float eta;
  float lambda;
  float alpha;
  float tolerance;

  DMLC_DECLARE_PARAMETER(GbLinearParam) {
    DMLC_DECLARE_FIELD(updater)
        .set_default(kShotgun)
        .add_enum("shotgun", kShotgun)
        .add_enum("coord_descent", kCoordDescent)
        .describe(
            "How gblinear moves its weights: both by coordinate descent, one feature after another, with threads "
            "sharing the rows; shotgun knows the selectors cyclic and shuffle only. No result depends on threads.");
    DMLC_DECLARE_FIELD(feature_selector)
        .set_default(kCyclic)
        .add_enum("cyclic", kCyclic)
        .add_enum("shuffle", kShuffle)
        .add_enum("random", kRandom)
        .add_enum("greedy", kGreedy)
        .add_enum("thrifty", kThrifty)
        .describe(
            "The features' order in a round of gblinear: as they are; shuffled; drawn with replacement; greedy, "
            "each time the one that would move most; thrifty, by how far each would move when the round begins.");
    DMLC_DECLARE_FIELD(top_k).set_default(0).set_lower_bound(0).describe(
        "How many features a round of greedy or thrifty moves; 0: all.");
    DMLC_DECLARE_FIELD(eta).set_default(0.5F).set_lower_bound(0.0F).describe(
        "gblinear: the share of each step that is taken.");
    DMLC_DECLARE_FIELD(lambda).set_default(0.0F).set_lower_bound(0.0F).describe(
        "gblinear: L2 penalty on weights, per unit of row weight.");
    DMLC_DECLARE_FIELD(alpha).set_default(0.0F).set_lower_bound(0.0F).describe(
        "gblinear: L1 penalty on weights, per unit of row weight.");
    DMLC_DECLARE_FIELD(tolerance).set_default(0.0F).set_lower_bound(0.0F).describe(
        "gblinear: a round that would move no weight by more than this moves none; 0: every round counts.");
    DMLC_DECLARE_ALIAS(eta, learning_rate);
    DMLC_DECLARE_ALIAS(lambda, reg_lambda);
    DMLC_DECLARE_ALIAS(alpha, reg_alpha);
  }
  /// Checks the combination. \throws Error(kParameter) for a selector that the updater does not support.
  void Validate() const;
};

std::unique_ptr<Booster> MakeGbLinear(TrainingParams const& params);

ParameterTable GbLinearParameters();

}  // namespace kauri
