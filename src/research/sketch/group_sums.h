/// \file Cuts from moments or cosines of rows that are spread over the ranks of a group, as one sum over the ranks
/// (thesis, section 3: what the sketches are for). The cuts are the same, byte for byte, for any number of ranks above
/// one and for any partition of the rows.
///
/// The algorithm.
/// 1. One pass over the rows finds counts and bounds, of which the group takes sums and maxima. Weights become integers
///    whose sum over all rows is below 2^62 (WeightUnit).
/// 2. A second pass maps each value to t in [-1, 1] by the bounds of all rows and adds up weight * t^k, or
///    weight * cos(k angle), each term rounded to an integer. Integers have the same sum in any order. A term is off by
///    half a unit at most, of which all weights together have about 2^61: less than rounding costs in float64 sums.
/// 3. One sum over the ranks gives all sums of all columns: 8 bytes * (order + 1) for a column. Columns of few distinct
///    values are gathered with their weights.
/// A single process reads its rows once and adds floats (data/sketch/power_sums.h), so its cuts may differ from those
/// of a group where two neighbouring values are equally good.
///
/// Also: MoveToValues, which moves cuts to values of the data, over all ranks.
#pragma once

#include <vector>

#include "data/sketch/sketch_cuts.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/tree_param.h"
#include "research/sketch/density_ranks.h"

namespace kauri {

struct GroupSumOptions {
  int order = 10;  ///< the highest moment or cosine, 2 .. kMaxMoment
  TreeParam::Density density = TreeParam::kMaxEntropy;
  DensityRanks ranks;
};

/// Returns the cuts of all features, [n_cols], on all ranks the same. weights: [n_rows], or empty. \throws
/// Error(kCollective) for messages that do not fit the columns, and the errors of MakeCutTask.
std::vector<FeatureCuts> GroupSumCuts(Context const& ctx, DataMatrix const& data, Span<float const> weights,
                                      GroupSumOptions const& options, int max_bin);

/// Moves each cut to the smallest value of the data in its bin, over all ranks. Drops bins without values, and their
/// cuts.
void MoveToValues(Context const& ctx, DataMatrix const& data, Span<float const> weights,
                  std::vector<FeatureCuts>* features);

}  // namespace kauri
