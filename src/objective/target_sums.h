/// \file Sums over rows of a numerator and a denominator for each target.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collective/row_sums.h"
#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

/// Sums in float64. The default value is zero for any number of targets.
struct TargetSums {
  std::vector<double> numerator;
  std::vector<double> denominator;

  TargetSums() = default;
  explicit TargetSums(std::int64_t n_targets);
  /// Restores sums from the output of AppendTo.
  explicit TargetSums(Span<double const> doubles);

  std::int64_t NumTargets() const { return static_cast<std::int64_t>(numerator.size()); }
  void Add(std::int64_t target, double top, double bottom);
  TargetSums& operator+=(TargetSums const& other);
  void AppendTo(std::vector<double>* doubles) const;
  /// \throws Error(kCollective) unless there are sums of n_targets targets.
  void Require(std::int64_t n_targets) const;
  /// Returns -numerator / denominator, for sums of gradients and hessians; 0 if there is no hessian.
  float NewtonStep(std::int64_t target) const;
};

/// The term that one element, a row's value for one target, adds to the sums of its target.
struct TargetTerm {
  double top;
  double bottom;
};

/// Returns the sums over the elements of all ranks (collective/row_sums.h); empty without rows. sum_of(begin, end): the
/// sum over a block of elements of this rank, in their order. term_of(element): the term of one element.
template <typename SumOf, typename TermOf>
TargetSums SumTargets(Context const& ctx, MetaInfo const& info, ItemBlocks blocks, SumOf&& sum_of, TermOf&& term_of) {
  auto const add_up = [](BlockValues<TargetTerm> const& block) {
    TargetSums sums(block.per_row);
    for (std::int64_t i = 0; i < block.n; ++i) {
      sums.Add((block.first + i) % block.per_row, block.values[i].top, block.values[i].bottom);
    }
    return sums;
  };
  auto sums = SumRows<TargetSums>(ctx, info, blocks, sum_of, term_of, add_up);
  if (info.n_rows > 0) sums.Require(blocks.per_row);
  return sums;
}

/// Returns the sums of gradients and hessians over all ranks. pairs: [n_rows, n_targets]; a rank without rows need not
/// know n_targets.
TargetSums SumByTarget(Context const& ctx, MetaInfo const& info, Span<GradientPair const> pairs);

/// Returns the weighted mean of the known labels of each target, [n_targets] of the ranks that have rows; 0 without
/// rows.
/// \throws Error(kData) if the weights add up to 0, or for a target without known labels.
std::vector<float> MeanLabels(Context const& ctx, MetaInfo const& info, std::string const& objective);

}  // namespace kauri
