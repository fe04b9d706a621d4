/// Gradients of ranking compared with the definition: for every pair, swap the two rows and evaluate the metric again.
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "objective/objective_fixture.h"
#include "objective/ranking/rank_pair.h"

namespace kauri {
namespace {

struct RankCase {
  std::string name;
  std::int64_t best = 32;
  bool normalize = true;
  bool normalize_scores = true;
  bool exponential = true;

  ParamMap Params() const {
    return {{"lambdarank_num_pair_per_sample", std::to_string(best)},
            {"lambdarank_normalization", normalize ? "1" : "0"},
            {"lambdarank_score_normalization", normalize_scores ? "1" : "0"},
            {"ndcg_exp_gain", exponential ? "1" : "0"}};
  }
};

double Gain(RankCase const& given, double label) { return given.exponential ? std::exp2(label) - 1.0 : label; }

/// Returns the discounted gain of the first n rows.
double Dcg(RankCase const& given, std::vector<double> const& labels, std::int64_t n) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < n; ++i) sum += Gain(given, labels[i]) / std::log2(i + 2.0);
  return sum;
}

double AveragePrecision(std::vector<double> const& labels) {
  double found = 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    found += labels[i];
    sum += labels[i] * found / static_cast<double>(i + 1);
  }
  return sum / found;
}

/// Returns the target metric of labels in ranked order.
double TargetMetric(RankCase const& given, std::vector<double> const& ranked) {
  auto const n = static_cast<std::int64_t>(ranked.size());
  if (given.name == "rank:map") return AveragePrecision(ranked);
  auto ideal = ranked;
  std::sort(ideal.begin(), ideal.end(), std::greater<>());
  return Dcg(given, ranked, n) / Dcg(given, ideal, std::min(given.best, n));
}

struct Sums {
  std::vector<double> gradient;
  std::vector<double> hessian;
};

double ChangeBySwap(RankCase const& given, std::vector<double> ranked, std::size_t i, std::size_t j) {
  if (given.name == "rank:pairwise") return 1.0;
  auto const before = TargetMetric(given, ranked);
  std::swap(ranked[i], ranked[j]);
  return std::fabs(TargetMetric(given, ranked) - before);
}

/// Computes the gradients of one unweighted group.
Sums NaiveGradients(RankCase const& given, std::vector<float> const& scores, std::vector<float> const& labels) {
  auto const n = scores.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return scores[a] > scores[b]; });
  std::vector<double> ranked;
  for (auto const row : order) ranked.push_back(static_cast<double>(labels[row]));
  Sums sums{std::vector<double>(n), std::vector<double>(n)};
  double total = 0.0;
  for (std::size_t i = 0; i < std::min(n, static_cast<std::size_t>(given.best)); ++i) {
    for (auto j = i + 1; j < n; ++j) {
      if (ranked[i] == ranked[j]) continue;
      auto const high = ranked[i] > ranked[j] ? order[i] : order[j];
      auto const low = ranked[i] > ranked[j] ? order[j] : order[i];
      auto const margin = static_cast<double>(scores[high]) - static_cast<double>(scores[low]);
      auto change = ChangeBySwap(given, ranked, i, j);
      if (given.normalize_scores && scores[order.front()] != scores[order.back()]) change /= std::fabs(margin) + 0.01;
      auto const p = 1.0 / (1.0 + std::exp(-margin));
      sums.gradient[high] -= (1.0 - p) * change;
      sums.gradient[low] += (1.0 - p) * change;
      for (auto const row : {high, low}) sums.hessian[row] += 2.0 * std::max(p * (1.0 - p), 1e-16) * change;
      total += 2.0 * (1.0 - p) * change;
    }
  }
  auto const scale = given.normalize && total > 0.0 ? std::log2(1.0 + total) / total : 1.0;
  for (auto* values : {&sums.gradient, &sums.hessian}) {
    for (auto& value : *values) value *= scale;
  }
  return sums;
}

MetaInfo GroupedInfo(std::vector<float> labels, std::vector<std::int64_t> const& sizes,
                     std::vector<float> weights = {}) {
  auto info = MakeInfo(std::move(labels), std::move(weights));
  info.group_ptr = {0};
  for (auto const size : sizes) info.group_ptr.push_back(info.group_ptr.back() + size);
  return info;
}

/// Returns labels from 0 to `largest`, with some equal scores.
MetaInfo RandomInfo(std::vector<std::int64_t> const& sizes, std::int64_t largest, std::uint32_t seed) {
  auto const n = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  auto labels = RandomValues(static_cast<std::size_t>(n), 0.0F, static_cast<float>(largest) + 0.999F, seed);
  for (auto& label : labels) label = std::floor(label);
  return GroupedInfo(std::move(labels), sizes);
}

std::vector<float> RandomScores(std::int64_t n, std::uint32_t seed) {
  auto scores = RandomValues(static_cast<std::size_t>(n), -3.0F, 3.0F, seed);
  for (auto& score : scores) score = std::round(score * 20.0F) / 20.0F;
  return scores;
}

std::vector<RankCase> TopKCases() {
  std::vector<RankCase> cases;
  for (auto const* name : {"rank:pairwise", "rank:ndcg", "rank:map"}) {
    for (std::int64_t const best : {1, 5, 32}) {
      for (bool const normalize : {false, true}) {
        for (bool const scores : {false, true}) cases.push_back({name, best, normalize, scores, best != 5});
      }
    }
  }
  return cases;
}

TEST(Rank, TopKFollowsTheDefinition) {
  std::vector<std::int64_t> const sizes{1, 2, 0, 7, 8, 9, 33, 64, 100};
  for (auto const& given : TopKCases()) {
    auto const info = RandomInfo(sizes, given.name == "rank:map" ? 1 : 4, 1);
    auto const scores = RandomScores(info.n_rows, 2);
    auto const pairs = GradientsOf(*MakeObjective(given.name, given.Params()), scores, info);
    for (std::size_t group = 0; group < sizes.size(); ++group) {
      auto const begin = info.group_ptr[group];
      auto const end = info.group_ptr[group + 1];
      auto const sums = NaiveGradients(given, {scores.begin() + begin, scores.begin() + end},
                                       {info.labels.begin() + begin, info.labels.begin() + end});
      for (auto row = begin; row < end; ++row) {
        auto const& pair = pairs[row];
        auto const at = static_cast<std::size_t>(row - begin);
        EXPECT_NEAR(pair.gradient, sums.gradient[at], 1e-6 * (1e-3 + std::fabs(sums.gradient[at]))) << given.name;
        EXPECT_NEAR(pair.hessian, sums.hessian[at], 1e-6 * (1e-3 + sums.hessian[at])) << given.name << row;
      }
    }
  }
}

/// Three rows with equal scores; every pair has the sigmoid 1/2.
TEST(Rank, WorkedExample) {
  auto const info = GroupedInfo({2.0F, 0.0F, 1.0F}, {3});
  auto const pairwise = GradientsOf(*MakeObjective("rank:pairwise", {{"lambdarank_normalization", "0"}}),
                                    std::vector<float>(3, 0.0F), info);
  std::vector<float> const gradients{-1.0F, 1.0F, 0.0F};
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_EQ(pairwise[row].gradient, gradients[row]);
    EXPECT_EQ(pairwise[row].hessian, 1.0F);
  }
  // Swapping two rows with gains 1 and 0 at the first two positions loses 1 - 1 / log2(3) of 1.
  auto const ndcg = GradientsOf(*MakeObjective("rank:ndcg", {{"lambdarank_normalization", "0"}}), {0.0F, 0.0F},
                                GroupedInfo({1.0F, 0.0F}, {2}));
  EXPECT_NEAR(ndcg[0].gradient, -0.5 * (1.0 - 1.0 / std::log2(3.0)), 1e-7);
  EXPECT_NEAR(ndcg[1].gradient, 0.5 * (1.0 - 1.0 / std::log2(3.0)), 1e-7);
}

/// Gradients computed by XGBoost 3.2.0 with its defaults, obtained from its trees of one split.
TEST(Rank, AsXGBoost) {
  auto const info = GroupedInfo({3.0F, 1.0F, 0.0F, 2.0F, 0.0F}, {5});
  std::vector<float> const scores{0.1F, 0.5F, -0.3F, -0.2F, 0.9F};
  std::vector<GradientPair> const ndcg{{-0.47353231F, 0.37052682F},
                                       {0.07990415F, 0.15523084F},
                                       {0.1287161F, 0.14814998F},
                                       {-0.15398849F, 0.16669086F},
                                       {0.41890054F, 0.25608373F}};
  std::vector<GradientPair> const pairwise{{-0.87972125F, 0.8393003F},
                                           {0.1053267F, 0.659605F},
                                           {1.07143457F, 1.1760057F},
                                           {-0.8606716F, 1.3342936F},
                                           {0.56363151F, 0.38439694F}};
  auto const ours_ndcg = GradientsOf(*MakeObjective("rank:ndcg"), scores, info);
  auto const ours_pairwise = GradientsOf(*MakeObjective("rank:pairwise"), scores, info);
  for (std::size_t row = 0; row < 5; ++row) {
    EXPECT_NEAR(ours_ndcg[row].gradient, ndcg[row].gradient, 1e-6F);
    EXPECT_NEAR(ours_ndcg[row].hessian, ndcg[row].hessian, 1e-6F);
    EXPECT_NEAR(ours_pairwise[row].gradient, pairwise[row].gradient, 1e-6F);
    EXPECT_NEAR(ours_pairwise[row].hessian, pairwise[row].hessian, 1e-6F);
  }
}

TEST(Rank, TiesKeepTheOrderOfTheRows) {
  // There is one top position, which the first of the equal scores gets.
  auto const pairs = GradientsOf(*MakeObjective("rank:pairwise", {{"lambdarank_num_pair_per_sample", "1"}}),
                                 {0.5F, 0.5F, 0.5F}, GroupedInfo({1.0F, 0.0F, 2.0F}, {3}));
  EXPECT_GT(pairs[0].hessian, 1.9F * pairs[1].hessian);
  EXPECT_GT(pairs[1].gradient, 0.0F);
  EXPECT_LT(pairs[2].gradient, 0.0F);
}

TEST(Rank, GroupsThatTeachNothing) {
  for (auto const* name : {"rank:pairwise", "rank:ndcg", "rank:map"}) {
    for (auto const* method : {"topk", "mean"}) {
      auto const info = GroupedInfo({1.0F, 0.0F, 0.0F, 0.0F, 1.0F, 1.0F}, {1, 0, 3, 2});
      auto const pairs = GradientsOf(*MakeObjective(name, {{"lambdarank_pair_method", method}}),
                                     {0.1F, 0.2F, -0.3F, 0.4F, 0.5F, 7.0F}, info);
      for (auto const& pair : pairs) {
        EXPECT_EQ(pair.gradient, 0.0F) << name;
        EXPECT_EQ(pair.hessian, 0.0F) << name;
      }
    }
  }
}

TEST(Rank, EmptyData) {
  auto const info = GroupedInfo({}, {});
  EXPECT_TRUE(GradientsOf(*MakeObjective("rank:ndcg"), {}, info).empty());
}

TEST(Rank, WeightsOfGroupsHaveMeanOne) {
  std::vector<std::int64_t> const sizes{5, 6, 7};
  auto info = RandomInfo(sizes, 3, 5);
  auto const scores = RandomScores(info.n_rows, 6);
  auto const objective = MakeObjective("rank:ndcg");
  auto const plain = GradientsOf(*objective, scores, info);
  info.weights = {1.0F, 0.0F, 3.0F};
  auto const weighted = GradientsOf(*objective, scores, info);
  for (std::size_t row = 0; row < weighted.size(); ++row) {
    auto const weight = row < 5 ? 0.75F : (row < 11 ? 0.0F : 2.25F);
    EXPECT_NEAR(weighted[row].gradient, weight * plain[row].gradient, 1e-6F);
    EXPECT_NEAR(weighted[row].hessian, weight * plain[row].hessian, 1e-6F);
  }
}

TEST(Rank, PairsOfTwoRowsAreDrawnTwice) {
  auto const info = GroupedInfo({0.0F, 1.0F}, {2});
  std::vector<float> const scores{0.3F, -0.2F};
  for (auto const* name : {"rank:pairwise", "rank:ndcg", "rank:map"}) {
    auto const best = GradientsOf(*MakeObjective(name, {{"lambdarank_normalization", "0"}}), scores, info);
    for (auto const* n_pairs : {"1", "3"}) {
      ParamMap params{{"lambdarank_pair_method", "mean"}, {"lambdarank_num_pair_per_sample", n_pairs}};
      auto const mean = GradientsOf(*MakeObjective(name, params), scores, info);
      params["lambdarank_normalization"] = "0";
      auto const sums = GradientsOf(*MakeObjective(name, params), scores, info);
      for (std::size_t row = 0; row < 2; ++row) {
        EXPECT_NEAR(mean[row].gradient, 2.0F * best[row].gradient, 1e-6F) << name;
        EXPECT_NEAR(sums[row].hessian, 2.0F * std::stof(n_pairs) * best[row].hessian, 1e-5F) << name;
      }
    }
  }
}

/// With equal scores each pair adds 1/2 to the hessians of its two rows, so hessians count pairs.
TEST(Rank, PartnersAreUniformOverOtherLabels) {
  auto const info = GroupedInfo({0.0F, 0.0F, 1.0F, 2.0F, 2.0F, 2.0F}, {6});
  auto const objective =
      MakeObjective("rank:pairwise", {{"lambdarank_pair_method", "mean"}, {"lambdarank_num_pair_per_sample", "1"}});
  std::vector<double> pairs_of_row(6, 0.0);
  int const n_rounds = 4000;
  std::vector<GradientPair> out(6);
  for (int round = 0; round < n_rounds; ++round) {
    objective->ComputeGradients(Context{}, std::vector<float>(6, 0.0F), info, round, out);
    for (std::size_t row = 0; row < 6; ++row) pairs_of_row[row] += 2.0 * static_cast<double>(out[row].hessian);
  }
  // Counts the row's own pair and the pairs of rows that sampled it: rows of label 0 are among 5 (for label 1) and 3
  // (for label 2).
  std::vector<double> const expected{1 + 1 / 5.0 + 3 / 3.0, 1 + 1 / 5.0 + 3 / 3.0, 1 + 2 / 4.0 + 3 / 3.0,
                                     1 + 2 / 4.0 + 1 / 5.0, 1 + 2 / 4.0 + 1 / 5.0, 1 + 2 / 4.0 + 1 / 5.0};
  for (std::size_t row = 0; row < 6; ++row) EXPECT_NEAR(pairs_of_row[row] / n_rounds, expected[row], 0.06) << row;
}

TEST(Rank, DrawsDependOnSeedRoundAndGroup) {
  auto const info = RandomInfo({50, 50}, 3, 9);
  auto const objective = MakeObjective("rank:pairwise", {{"lambdarank_pair_method", "mean"}});
  auto const hessians = [&](std::uint64_t seed, std::int64_t iteration) {
    Context ctx;
    ctx.seed = seed;
    std::vector<GradientPair> out(100);
    objective->ComputeGradients(ctx, std::vector<float>(100, 0.0F), info, iteration, out);
    std::vector<float> values;
    for (auto const& pair : out) values.push_back(pair.hessian);
    return values;
  };
  EXPECT_EQ(hessians(1, 2), hessians(1, 2));
  EXPECT_NE(hessians(1, 2), hessians(1, 3));
  EXPECT_NE(hessians(1, 2), hessians(2, 2));
}

TEST(Rank, SameBitsForAnyThreadsAndVectors) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t group = 0; group < 60; ++group) sizes.push_back(group * 37 % 140);
  for (auto const* name : {"rank:pairwise", "rank:ndcg", "rank:map"}) {
    for (auto const* method : {"topk", "mean"}) {
      auto const info = RandomInfo(sizes, std::string(name) == "rank:map" ? 1 : 4, 3);
      auto const scores = RandomScores(info.n_rows, 4);
      auto const objective = MakeObjective(name, {{"lambdarank_pair_method", method}});
      auto const pairs = GradientsOf(*objective, scores, info);
      auto const expect_same = [&](std::vector<GradientPair> const& other) {
        EXPECT_EQ(std::memcmp(pairs.data(), other.data(), pairs.size() * sizeof(GradientPair)), 0) << name << method;
      };
      for (int const threads : {2, 8}) expect_same(GradientsOf(*objective, scores, info, threads));
      for (auto remaining = hwy::SupportedTargets(); remaining != 0; remaining &= remaining - 1) {
        hwy::SetSupportedTargetsForTest(remaining & -remaining);
        expect_same(GradientsOf(*objective, scores, info));
      }
      hwy::SetSupportedTargetsForTest(0);
    }
  }
}

/// Sums of values on the grid must not depend on the order.
TEST(Rank, SumsOnTheGridAreExact) {
  for (double const bound : {1.0, 0.75, 1e-9, 3.7e5}) {
    auto const values = RandomValues(1000, 0.0F, 1.0F, 11);
    ExactGrid const grid(bound * 1000);
    double forward = 0.0;
    double backward = 0.0;
    long double exact = 0.0L;
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto const rounded = grid.Round(static_cast<double>(values[i]) / 3.0 * bound);
      EXPECT_NEAR(rounded, static_cast<double>(values[i]) / 3.0 * bound, bound * 1e-12);
      forward += rounded;
      exact += static_cast<long double>(rounded);
      backward += grid.Round(static_cast<double>(values[values.size() - 1 - i]) / 3.0 * bound);
    }
    EXPECT_EQ(forward, backward);
    EXPECT_EQ(static_cast<long double>(forward), exact);
  }
}

TEST(Rank, ExtremeScoresStayFinite) {
  auto const info = GroupedInfo({0.0F, 4.0F, 2.0F, 31.0F}, {4});
  for (auto const* name : {"rank:pairwise", "rank:ndcg"}) {
    for (auto const& pair : GradientsOf(*MakeObjective(name), {3e38F, -3e38F, 0.0F, 1e-45F}, info)) {
      EXPECT_TRUE(std::isfinite(pair.gradient)) << name;
      EXPECT_TRUE(std::isfinite(pair.hessian)) << name;
      EXPECT_GE(pair.hessian, 0.0F) << name;
    }
  }
}

TEST(Rank, IsRegisteredWithItsNamesAndMetrics) {
  using Saved = std::map<std::string, std::string>;
  EXPECT_EQ(MakeObjective("rank:ndcg")->DefaultMetric(), "ndcg@32");
  EXPECT_EQ(MakeObjective("rank:pairwise", {{"lambdarank_num_pair_per_sample", "7"}})->DefaultMetric(), "ndcg@7");
  EXPECT_EQ(MakeObjective("rank:map", {{"lambdarank_pair_method", "mean"}})->DefaultMetric(), "map");
  auto const objective = MakeObjective("rank:map", {{"lambdarank_pair_method", "mean"}, {"ndcg_exp_gain", "0"}});
  EXPECT_EQ(objective->Name(), "rank:map");
  EXPECT_EQ(objective->ParamKey(), "lambdarank_param");
  EXPECT_EQ(objective->SaveParams(), (Saved{{"lambdarank_bias_norm", "1"},
                                            {"lambdarank_normalization", "1"},
                                            {"lambdarank_num_pair_per_sample", "4294967295"},
                                            {"lambdarank_pair_method", "mean"},
                                            {"lambdarank_score_normalization", "1"},
                                            {"lambdarank_unbiased", "0"},
                                            {"ndcg_exp_gain", "0"}}));
  EXPECT_EQ(MakeObjective("rank:ndcg")->EstimateBaseScore(Context{}, GroupedInfo({1.0F}, {1})),
            std::vector<float>{0.0F});
}

}  // namespace
}  // namespace kauri
