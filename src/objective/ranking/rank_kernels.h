/// \file The loop over the pairs of the best places, compiled for several vector widths and chosen at run time. Every
/// width gives the same bits, see rank_pair.h.
#pragma once

#include <cstdint>
#include <vector>

#include "objective/ranking/rank_pair.h"

namespace kauri {

/// Number of lower rows that are processed together.
constexpr std::int64_t kPairLanes = 8;
constexpr std::int64_t PaddedToLanes(std::int64_t n) { return (n + kPairLanes - 1) / kPairLanes * kPairLanes; }

/// The rows of a group by place, in columns. Elements past `n_rows` may be read, but are meaningless and never added.
struct PlacedRows {
  std::int64_t n_rows = 0;
  std::vector<double> score;
  std::vector<double> relevance;
  std::vector<double> value;
  std::vector<double> gradient;  ///< sums of GradientOfPair
  std::vector<double> hessian;
  std::vector<double> push;  ///< pairs of one upper row, scratch memory
  std::vector<double> pair_hessian;

  /// Makes room for n rows, with sums of 0. Memory only grows.
  void Resize(std::int64_t n);
  PlacedRow At(std::int64_t place) const {
    auto const index = static_cast<std::size_t>(place);
    return {score[index], relevance[index], value[index]};
  }
  /// Adds the gradient to both rows of a pair.
  void Add(std::int64_t upper, std::int64_t lower, PairGradient const& pair) {
    auto const up = static_cast<std::size_t>(upper);
    auto const low = static_cast<std::size_t>(lower);
    auto const signed_push = PairSign(relevance[up], relevance[low]) * pair.push;
    gradient[up] -= signed_push;
    gradient[low] += signed_push;
    hessian[up] += pair.hessian;
    hessian[low] += pair.hessian;
  }
};

/// Adds all pairs whose upper row is at one of the first `n_best` places. Returns the sum of their pushes.
double AddBestPairs(RankTarget target, PairRule const& rule, std::int64_t n_best, PlacedRows* rows);

}  // namespace kauri
