/// Position bias compared with the formulas of unbiased LambdaMART, pair by pair.
#include "objective/ranking/position_bias.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "objective/objective_fixture.h"

namespace kauri {
namespace {

MetaInfo Grouped(std::vector<float> labels, std::vector<std::int64_t> group_ptr) {
  auto info = MakeInfo(std::move(labels));
  info.group_ptr = std::move(group_ptr);
  return info;
}

/// Gradients and hessians of a round, from which biases are then learnt. For rank:pairwise without normalisations.
struct NaiveRound {
  std::vector<double> gradient;
  std::vector<double> hessian;

  NaiveRound(MetaInfo const& info, std::vector<float> const& scores, double power, std::vector<double>* plus,
             std::vector<double>* minus)
      : gradient(scores.size()), hessian(scores.size()) {
    std::vector<double> plus_cost(plus->size());
    std::vector<double> minus_cost(minus->size());
    for (std::size_t group = 0; group + 1 < info.group_ptr.size(); ++group) {
      auto const begin = static_cast<std::size_t>(info.group_ptr[group]);
      auto const end = static_cast<std::size_t>(info.group_ptr[group + 1]);
      for (auto high = begin; high < end; ++high) {
        for (auto low = begin; low < end; ++low) {
          if (!(info.labels[high] > info.labels[low])) continue;
          auto const margin = static_cast<double>(scores[high]) - static_cast<double>(scores[low]);
          auto const p = 1.0 / (1.0 + std::exp(-margin));
          auto const& t_plus = (*plus)[high - begin];
          auto const& t_minus = (*minus)[low - begin];
          gradient[high] -= (1.0 - p) / (t_plus * t_minus);
          gradient[low] += (1.0 - p) / (t_plus * t_minus);
          for (auto const row : {high, low}) hessian[row] += 2.0 * p * (1.0 - p) / (t_plus * t_minus);
          plus_cost[high - begin] += std::log(1.0 / (1.0 - p)) / t_minus;
          minus_cost[low - begin] += std::log(1.0 / (1.0 - p)) / t_plus;
        }
      }
    }
    for (std::size_t i = 0; i < plus->size(); ++i) {
      (*plus)[i] = std::pow(plus_cost[i] / plus_cost[0], power);
      (*minus)[i] = std::pow(minus_cost[i] / minus_cost[0], power);
    }
  }
};

/// Six rows are shown in each of many groups; every position is sometimes more and sometimes less relevant than others.
MetaInfo ManyGroups(std::int64_t n_groups) {
  auto labels = RandomValues(static_cast<std::size_t>(6 * n_groups), 0.0F, 2.999F, 1);
  for (auto& label : labels) label = std::floor(label);
  std::vector<std::int64_t> group_ptr;
  for (std::int64_t group = 0; group <= n_groups; ++group) group_ptr.push_back(6 * group);
  return Grouped(std::move(labels), std::move(group_ptr));
}

TEST(PositionBias, RoundsFollowTheFormulas) {
  auto const info = ManyGroups(40);
  for (auto const* norm : {"0", "1", "2.5"}) {
    auto const objective = MakeObjective("rank:pairwise", {{"lambdarank_unbiased", "1"},
                                                           {"lambdarank_bias_norm", norm},
                                                           {"lambdarank_normalization", "0"},
                                                           {"lambdarank_score_normalization", "0"}});
    ObjectiveState state;
    auto const learning = objective->Learning(&state);
    std::vector<double> plus(6, 1.0);
    std::vector<double> minus(6, 1.0);
    for (std::uint32_t round = 0; round < 4; ++round) {
      auto const scores = RandomValues(info.labels.size(), -1.0F, 1.0F, 10 + round);
      auto const pairs = GradientsOf(*learning, scores, info);
      NaiveRound const naive(info, scores, 1.0 / (1.0 + std::stod(norm)), &plus, &minus);
      for (std::size_t row = 0; row < pairs.size(); ++row) {
        EXPECT_NEAR(pairs[row].gradient, naive.gradient[row], 2e-6 * (1.0 + std::fabs(naive.gradient[row])));
        EXPECT_NEAR(pairs[row].hessian, naive.hessian[row], 2e-6 * (1.0 + naive.hessian[row]));
      }
      for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_NEAR(state.at("ti+").at(i), plus[i], 1e-5) << round << " " << i;
        EXPECT_NEAR(state.at("tj-").at(i), minus[i], 1e-5) << round << " " << i;
      }
    }
  }
}

TEST(PositionBias, SameBitsForAnyThreads) {
  auto const info = ManyGroups(3000);  // several blocks of groups
  auto const scores = RandomValues(info.labels.size(), -1.0F, 1.0F, 2);
  for (auto const* method : {"topk", "mean"}) {
    auto const objective =
        MakeObjective("rank:ndcg", {{"lambdarank_unbiased", "1"}, {"lambdarank_pair_method", method}});
    std::vector<ObjectiveState> states(3);
    std::vector<std::vector<GradientPair>> pairs(3);
    for (std::size_t run = 0; run < 3; ++run) {
      auto const learning = objective->Learning(&states[run]);
      for (int round = 0; round < 2; ++round) pairs[run] = GradientsOf(*learning, scores, info, run == 0 ? 1 : 8);
    }
    for (std::size_t run = 1; run < 3; ++run) {
      EXPECT_EQ(states[run], states[0]);
      EXPECT_EQ(std::memcmp(pairs[run].data(), pairs[0].data(), pairs[0].size() * sizeof(GradientPair)), 0);
    }
  }
}

TEST(PositionBias, WithoutAStateNothingIsLearnt) {
  auto const info = ManyGroups(5);
  auto const scores = RandomValues(info.labels.size(), -1.0F, 1.0F, 3);
  auto const unbiased = MakeObjective("rank:ndcg", {{"lambdarank_unbiased", "1"}});
  auto const plain = GradientsOf(*MakeObjective("rank:ndcg"), scores, info);
  auto const pairs = GradientsOf(*unbiased, scores, info);
  EXPECT_EQ(std::memcmp(plain.data(), pairs.data(), plain.size() * sizeof(GradientPair)), 0);
  ObjectiveState state;
  EXPECT_EQ(MakeObjective("rank:ndcg")->Learning(&state), nullptr);
}

TEST(PositionBias, PreparedStatesAreTheObjectivesOwn) {
  ObjectiveState state{{"other", {1.0F}}};
  MakeObjective("rank:ndcg")->PrepareState(&state);
  EXPECT_TRUE(state.empty());
  MakeObjective("rank:ndcg", {{"lambdarank_unbiased", "1"}})->PrepareState(&state);
  EXPECT_EQ(state, (ObjectiveState{{"ti+", {}}, {"tj-", {}}}));
}

TEST(PositionBias, PositionsThatWereNotTrackedHaveNone) {
  ObjectiveState const state{{"ti+", {1.0F, 0.5F, 0.0F}}, {"tj-", {1.0F, 0.25F}}};
  PositionBias const bias(state, 3);
  EXPECT_EQ(bias.Factor(1, 1), 8.0);
  EXPECT_EQ(bias.Factor(1, 2), 2.0);  // the second position is unknown: 1
  EXPECT_EQ(bias.Factor(2, 0), 1.0);  // a bias of 0 is not used as divisor
  EXPECT_EQ(bias.Factor(1, 3), 1.0);
  EXPECT_EQ(bias.LargestFactor(), 8.0);
  auto costs = bias.NoCosts();
  bias.AddCost(2, 1, 3.0, &costs);
  bias.AddCost(0, 3, 5.0, &costs);
  EXPECT_EQ(costs.relevant, (std::vector<double>{0.0, 0.0, 12.0}));
  EXPECT_EQ(costs.other, (std::vector<double>{0.0, 0.0, 0.0}));
}

}  // namespace
}  // namespace kauri
