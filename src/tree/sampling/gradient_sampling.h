/// \file Rows drawn by the size of their gradients: sampling_method=gradient_based.
///
/// Minimal variance sampling (Ibragimov & Gusev 2019), with the regularised magnitude of Ou 2020, "Out-of-core GPU
/// gradient boosting", section 2.4: a row is used with chance p = min(1, magnitude / threshold), where magnitude =
/// sqrt(g^2 + 0.1 h^2), and its pair is divided by p, so that every sum over rows keeps its expectation. The threshold
/// is the one at which the chances add up to the wanted number of rows.
/// 1. Magnitudes become integers below 2^30, so that sums do not depend on their order.
/// 2. Counts and sums by bucket, 16 to an octave, tell the bucket of the threshold.
/// 3. The rows of that bucket are sorted, and the threshold follows exactly.
/// 4. Every row draws on its own, as in sampling.h.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"
#include "tree/sampling/gradient_threshold.h"

namespace kauri {

/// Consecutive outputs, or one.
struct OutputRange {
  OutputRange(std::int64_t only) : begin(only), end(only + 1) {}  // an output is a range
  OutputRange(std::int64_t first, std::int64_t last) : begin(first), end(last) {}

  std::int64_t begin;
  std::int64_t end;
};

struct GradientSample {
  std::vector<std::uint8_t> used;   ///< [n_rows], 1 = used; empty: all are
  std::vector<GradientPair> pairs;  ///< [n_rows, outputs], divided by the row's chance; zero where not used
  std::vector<double> chances;      ///< [n_rows], where used; in (0, 1], but for weights: row_weights.h
};

/// How rows are drawn.
struct RowDraw {
  float rate;                          ///< in (0, 1), the expected share of rows
  std::uint64_t key;                   ///< RowSamplingKey
  Span<RowRange const> global_rows{};  ///< MetaInfo's, in a group
};

/// The rows of one tree. gradients: [n_rows, n_outputs], of which some columns count. The squared magnitude of several
/// outputs is the sum of theirs. Rows whose pair is zero are never used. In a group it draws as one process does that
/// has all rows. Same bits for any number of threads. \throws Error(kData) for a gradient or hessian that is not
/// finite, naming the row.
GradientSample SampleByGradient(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs,
                                OutputRange outputs, RowDraw const& draw);

/// The threshold t at which the sum of min(1, magnitude / t) is `n_wanted`; 0 when as many magnitudes or fewer are
/// above zero. magnitudes: below 2^30, in a group this rank's, while n_wanted is of all ranks; n_wanted: above 0.
double SamplingThreshold(Context const& ctx, Span<std::uint32_t const> magnitudes, double n_wanted);

}  // namespace kauri
