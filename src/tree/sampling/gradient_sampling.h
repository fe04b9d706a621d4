/// \file Samples rows by the size of their gradients: sampling_method=gradient_based.
///
/// Minimal variance sampling (Ibragimov & Gusev 2019), with the regularised magnitude of Ou 2020, "Out-of-core GPU
/// gradient boosting", section 2.4: a row is used with probability p = min(1, magnitude / threshold), where magnitude =
/// sqrt(g^2 + 0.1 h^2). Its pair is divided by p, so that every sum over rows keeps its expectation. The threshold is
/// chosen such that the probabilities add up to the wanted number of rows.
/// 1. Magnitudes become integers below 2^30, so that sums do not depend on the order of rows.
/// 2. Counts and sums by bucket, 16 per octave, determine the bucket of the threshold.
/// 3. The rows of that bucket are sorted, and the threshold follows exactly.
/// 4. Every row draws independently, as in sampling.h.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"
#include "tree/sampling/gradient_threshold.h"

namespace kauri {

/// A range of consecutive outputs, or a single output.
struct OutputRange {
  OutputRange(std::int64_t only) : begin(only), end(only + 1) {}  // implicit: one output is a range
  OutputRange(std::int64_t first, std::int64_t last) : begin(first), end(last) {}

  std::int64_t begin;
  std::int64_t end;
};

struct GradientSample {
  std::vector<std::uint8_t> used;   ///< [n_rows], 1 = used; empty if all are used
  std::vector<GradientPair> pairs;  ///< [n_rows, outputs], divided by the row's probability; zero if not used
  std::vector<double> chances;      ///< [n_rows], defined for used rows; in (0, 1], except for weights: row_weights.h
};

/// Parameters of a draw of rows.
struct RowDraw {
  float rate;                          ///< in (0, 1), the expected share of rows
  std::uint64_t key;                   ///< RowSamplingKey
  Span<RowRange const> global_rows{};  ///< global_rows of MetaInfo, in a distributed run
};

/// Samples the rows of one tree. gradients: [n_rows, n_outputs], restricted to `outputs`. The squared magnitude of
/// several outputs is the sum of their squared magnitudes. Rows whose pair is zero are never used. In a distributed
/// run, the draw is the same as in one process with all rows. The result has the same bits for any number of threads.
/// \throws Error(kData) for a gradient or hessian that is not finite, naming the row.
GradientSample SampleByGradient(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs,
                                OutputRange outputs, RowDraw const& draw);

/// Returns the threshold t at which the sum of min(1, magnitude / t) is `n_wanted`; 0 if at most that many magnitudes
/// are positive. magnitudes: below 2^30; in a distributed run only this rank's, whereas n_wanted counts rows of all
/// ranks. n_wanted: positive.
double SamplingThreshold(Context const& ctx, Span<std::uint32_t const> magnitudes, double n_wanted);

}  // namespace kauri
