/// \file The ranks of a column whose distribution is known: even steps of rank.
#pragma once

#include <cstddef>
#include <vector>

#include "data/sketch/rank_cuts.h"
#include "research/sketch/moment_density.h"

namespace kauri {

/// Sizes of the ranks that are computed from a density.
struct DensityRanks {
  std::size_t max_distinct = 256;  ///< columns of at most this number of distinct values are kept exactly
  std::size_t n_ranks = 1024;      ///< number of ranks of other columns
};

/// Bounds and total weight of a column.
struct ColumnExtent {
  float min;
  float max;
  double weight;
};

/// Returns the values at even steps of rank of a distribution (research/sketch/moment_density.h) over [min, max].
/// Requires min < max.
inline ColumnRanks RanksOfCdf(std::vector<double> const& cdf, ColumnExtent const& extent, std::size_t n_ranks) {
  std::vector<double> shares;
  auto const n = static_cast<double>(n_ranks);
  for (std::size_t i = 1; i < n_ranks; ++i) shares.push_back(static_cast<double>(i) / n);
  auto const places = InvertCdf(cdf, shares);
  ColumnRanks ranks{{extent.min}, {0.0}};
  auto const middle = 0.5 * (static_cast<double>(extent.min) + extent.max);
  auto const half = 0.5 * (static_cast<double>(extent.max) - extent.min);
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto const value = static_cast<float>(middle + half * places[i]);
    if (value <= ranks.values.back()) continue;
    ranks.values.push_back(value);
    ranks.below.push_back(shares[i] * extent.weight);
  }
  ranks.below.push_back(extent.weight);
  return ranks;
}

}  // namespace kauri
