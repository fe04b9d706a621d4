/// \file The Bayesian bootstrap (Rubin 1981): random weights of rows in place of a draw among them.
///
/// A row's weight is (-ln u)^temperature, u uniform: exponential with mean 1 for temperature 1, and 1 for 0
/// (Prokhorenkova et al. 2018 call it so). It is rounded to a multiple of 1/1024, of at least that, so that neither the
/// last bit of a logarithm decides anything nor a row is lost.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/sampling/gradient_sampling.h"
#include "tree/sampling/row_numbers.h"

namespace kauri {

/// temperature in [0, 4]; number: as RowNumbers has it.
double BootstrapWeight(std::uint64_t key, std::int64_t number, double temperature);

/// How rows are weighed.
struct RowWeighing {
  double temperature;
  std::uint64_t key;  ///< RowWeightKey
  RowNumbers const& numbers;
};

/// The pairs of one tree, multiplied by the weights of their rows, and the reciprocals of these for chances.
/// gradients: [n_rows, n_outputs], of which some columns count; used: [n_rows] or empty, as SampleRows returns it: the
/// pairs of rows not used are zero. Same bits for any number of threads and ranks.
GradientSample WeighRows(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs,
                         OutputRange outputs, RowWeighing const& weighing, std::vector<std::uint8_t> used);

}  // namespace kauri
