/// \file The booster `adaboost`: AdaBoost.M1 (Freund and Schapire, "A decision-theoretic generalization of on-line
/// learning and an application to boosting", 1997) over the trees of any tree method.
///
/// A round (1) gives every row its weight times e^(-y margin), with y = 2 label - 1. These are the gradients of the
/// exponential loss at any margins, so rounds that continue a model or start from base margins need no other state;
/// (2) grows a tree from gradients -weight y and hessians weight, with lambda = 0: its gain is the Gini gain;
/// (3) computes the error eps of the tree's votes (the signs of its leaves) from the values and weights of its leaves;
/// (4) sets every leaf to its vote times eta alpha / 2, alpha = ln((1 - eps) / eps), the step of least loss.
/// A tree without errors gets the alpha of eps = 1e-10. If all rows are already right by that margin, or if eps is not
/// below 1/2, the round adds a tree of zero leaves, and so do later rounds on the same data.
#pragma once

#include "kauri/registry.h"

namespace kauri {

/// Returns half of alpha, the step along the votes that lowers the exponential loss most. error: weighted fraction of
/// rows with a wrong vote. Returns 0 if `error` is not below 1/2.
double AdaBoostStep(double error);

void RegisterAdaBoost(Registries* registries);

}  // namespace kauri
