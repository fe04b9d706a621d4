/// \file How large the noise of random_strength is (gain_noise.h), after CatBoost's parameter of that name.
///
/// Its standard deviation is random_strength times the gain of chance times a decay.
/// 1. The gain of chance is (sum of g^2) / (sum of h) over the rows that the tree is learnt from. A child of n rows
/// whose
///    gradients have nothing to do with the split has a sum of gradients of variance n mean(g^2), so that its gain
///    G^2 / H is that quotient in the mean, whatever n is: the noise is as large as what splits without meaning gain,
///    near the root and far from it. A loss times c has gains, and noise, times c. With vectors in leaves it is the sum
///    over the outputs, as their gain is.
/// 2. The decay is n / (n + exp(eta * rounds)), n being all rows: 1 at first, 1/2 once the rounds so far, times the
///    learning rate, are ln(n), and then gone soon: a model that has learnt much has no use for chance.
/// CatBoost's deviation has the decay, but the square root of mean(g^2), as its scores are on the scale of roots.
#pragma once

#include <vector>

#include "kauri/context.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"
#include "tree/growth/square_sum.h"

namespace kauri {

/// Of each output of a task the sum of g^2 over its rows, of all ranks, in squares of the gradients' unit. The same for
/// any threads and ranks. Costs a look at each row.
std::vector<double> SumSquares(Context const& ctx, TreeTask const& task);
/// The same of what this rank's rows have: of_outputs [n_outputs].
std::vector<double> SumSquares(Context const& ctx, std::vector<SquareSum> of_outputs);

/// chance_gain: as above. place: its `n_rows` is asked for.
double NoiseDeviation(TreeParam const& param, TreePlace const& place, double chance_gain);

}  // namespace kauri
