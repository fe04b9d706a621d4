/// \file Computes the size of the noise of random_strength (gain_noise.h), modelled on CatBoost's parameter of that
/// name.
///
/// Its standard deviation is random_strength times the chance gain times a decay.
/// 1. The chance gain is (sum of g^2) / (sum of h) over the training rows. Consider a child of n rows whose gradients
///    are unrelated to the split. Its sum of gradients has variance n mean(g^2), so its gain G^2 / H equals that
///    quotient on average, for any n. The noise is thus as large as the gain of meaningless splits, near the root and
///    far from it. Scaling the loss scales gains and noise alike. For vector leaves it is the sum over the outputs,
///    like their gain.
/// 2. The decay is n / (n + exp(eta * rounds)), where n is the number of all rows. It starts at 1, reaches 1/2 when the
///    number of rounds so far times the learning rate is ln(n), and vanishes soon after: a well-trained model does not
///    benefit from noise.
/// CatBoost's deviation has the same decay, but the square root of mean(g^2), because its scores are on the scale of
/// roots.
#pragma once

#include <vector>

#include "kauri/context.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"
#include "tree/growth/square_sum.h"

namespace kauri {

/// Returns for each output of a task the sum of g^2 over the rows of all ranks, in squares of the gradients' unit. The
/// result does not depend on threads or ranks. Costs one pass over the rows.
std::vector<double> SumSquares(Context const& ctx, TreeTask const& task);
/// Does the same, given the sums of this rank's rows, of_outputs [n_outputs].
std::vector<double> SumSquares(Context const& ctx, std::vector<SquareSum> of_outputs);

/// Returns the standard deviation of the noise. chance_gain: as above. place: only `n_rows` and `iteration` are used.
double NoiseDeviation(TreeParam const& param, TreePlace const& place, double chance_gain);

}  // namespace kauri
