/// \file Gradients of one query group on the host.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/gradient.h"
#include "objective/ranking/position_bias.h"
#include "objective/ranking/rank_kernels.h"
#include "objective/ranking/rank_rule.h"

namespace kauri {

/// The rows of a group, not owning: [n] each.
struct GroupRows {
  std::int64_t group = 0;  ///< its number among the groups of all ranks
  std::int64_t n = 0;
  float const* scores = nullptr;
  float const* labels = nullptr;
  double weight = 1.0;  ///< scaled so that the mean over all groups is 1
};

/// Computes the gradients of one group after another, reusing its memory.
class GroupGradients {
 public:
  /// discounts: RankDiscount of every place that a group has; empty unless the target is ndcg.
  /// bias: the bias of positions, or nullptr for none.
  GroupGradients(LambdaRule const& rule, std::vector<double> const& discounts, PositionBias const* bias)
      : rule_(rule), discounts_(discounts), bias_(bias), costs_(bias == nullptr ? PositionCosts() : bias->NoCosts()) {}

  /// Returns the costs of all groups so far.
  PositionCosts const& Costs() const { return costs_; }
  /// Computes the gradients of one group. out: [n].
  void Compute(GroupRows const& rows, GradientPair* out);

 private:
  void PlaceRows(GroupRows const& rows);
  /// Sets the values of the places. Returns PairRule::change_scale, or 0 if no pair changes the target.
  double ScaleOfNdcg(GroupRows const& rows);
  double ScaleOfMap();
  double ScaleOf(GroupRows const& rows);
  /// Returns the sum of the pushes of the best places.
  double AddPairs(GroupRows const& rows, PairRule const& pairs);
  template <typename Change>
  double AddBestPairsOneByOne(Change const& change_of, PairRule const& pairs);
  template <typename Change>
  void AddSampledPairs(Change const& change_of, GroupRows const& rows, PairRule const& pairs);
  /// Returns the push of the pair.
  template <typename Change>
  double AddPair(Change const& change_of, std::int64_t upper, std::int64_t lower, PairRule const& pairs);
  void Write(double scale, GradientPair* out) const;

  LambdaRule rule_;
  std::vector<double> const& discounts_;
  PositionBias const* bias_;
  PositionCosts costs_;
  PlacedRows placed_;
  std::vector<std::uint64_t> keys_;          ///< [n] sort keys: value, then row
  std::vector<std::uint32_t> row_of_place_;  ///< [n]
  std::vector<std::uint32_t> place_of_row_;  ///< [n], for sampled pairs
  std::vector<std::uint32_t> row_by_label_;  ///< [n], for sampled pairs
  std::vector<double> ideal_;                ///< the relevances that count, in descending order
};

}  // namespace kauri
