/// \file Gradients of one query group on the host.
///
/// GatherGroups returns the query groups of all ranks in one place, for results that several ranks cannot add up
/// exactly. WeightScale scales the weights of query groups for ranking objectives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collective/all_rows.h"
#include "kauri/context.h"
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

/// Returns the labels, margins, sizes and weights of the groups of all ranks, in their order, on every rank: 8 bytes
/// per row and 24 per group. Groups without weights have the weight 1. margins: the margins of the rows of this rank.
/// \throws Error(kData) as QueryOrder.
AllLabels GatherGroups(Context const& ctx, MetaInfo const& info, Span<float const> margins);

/// Returns the factor that scales the weights of groups to a mean of 1; 1 without weights. weights: the weights of this
/// rank's groups. n_mine, n_groups: the number of groups of this rank and of all ranks. \throws Error(kData) if they
/// add up to 0, and if some ranks have weights and others have none.
double WeightScale(Context const& ctx, std::string const& objective, std::vector<float> const& weights,
                   std::int64_t n_mine, std::int64_t n_groups);

/// \throws Error(kData) for groups that all have weight 0.
[[noreturn]] void FailNoGroupWeight(std::string const& objective, std::int64_t n_groups);

}  // namespace kauri
