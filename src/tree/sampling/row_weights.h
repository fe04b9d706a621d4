/// \file The Bayesian bootstrap (Rubin 1981): random weights of rows instead of a sample of them.
///
/// A row's weight is (-ln u)^temperature with u uniform: exponential with mean 1 for temperature 1, and 1 for
/// temperature 0 (the name is from Prokhorenkova et al. 2018). It is rounded to a positive multiple of 1/1024, so that
/// neither the last bit of a logarithm matters nor a row is lost.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/sampling/gradient_sampling.h"
#include "tree/sampling/row_numbers.h"

namespace kauri {

/// Returns the weight of a row. temperature: in [0, 4]. number: from RowNumbers.
double BootstrapWeight(std::uint64_t key, std::int64_t number, double temperature);

/// Parameters of the weights of rows.
struct RowWeighing {
  double temperature;
  std::uint64_t key;  ///< RowWeightKey
  RowNumbers const& numbers;
};

/// Returns the pairs of one tree, multiplied by the weights of their rows, with the reciprocal weights as chances.
/// gradients: [n_rows, n_outputs], restricted to `outputs`. used: [n_rows] or empty, as returned by SampleRows; the
/// pairs of unused rows are zero. The result has the same bits for any number of threads and ranks.
GradientSample WeighRows(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs,
                         OutputRange outputs, RowWeighing const& weighing, std::vector<std::uint8_t> used);

}  // namespace kauri
