/// Gradients of rankings: the device's bits against the host's.
#include <cmath>
#include <numeric>

#include "cuda/objective/device_objective.h"
#include "kauri/objective.h"
#include "objective/ranking/rank_rule.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

MetaInfo MakeGroups(std::vector<std::int64_t> const& sizes, std::int64_t n_labels, bool weighted) {
  MetaInfo info;
  info.group_ptr = {0};
  for (auto const size : sizes) info.group_ptr.push_back(info.group_ptr.back() + size);
  info.n_rows = info.group_ptr.back();
  info.labels = UniformValues(static_cast<std::size_t>(info.n_rows), 0.0F, static_cast<float>(n_labels) * 0.9999F, 21);
  for (auto& label : info.labels) label = std::floor(label);
  if (weighted) info.weights = UniformValues(sizes.size(), 0.0F, 3.0F, 22);
  return info;
}

/// Returns scores, rounded so that some are equal.
std::vector<float> MakeScores(std::int64_t n, std::uint64_t seed) {
  auto scores = UniformValues(static_cast<std::size_t>(n), -3.0F, 3.0F, seed);
  for (auto& score : scores) score = std::round(score * 50.0F) / 50.0F;
  return scores;
}

class DeviceRankTest : public DeviceTest {
 protected:
  std::vector<GradientPair> OnTheDevice(Objective const& objective, std::vector<float> const& scores,
                                        MetaInfo const& info, Context const& ctx, std::int64_t iteration) const {
    auto const on_device = cuda::MakeDeviceObjective(objective);
    auto const labels = cuda::ToDevice(Cuda(), info.labels);
    auto const weights = cuda::ToDevice(Cuda(), info.weights);
    auto const group_ptr = cuda::ToDevice(Cuda(), info.group_ptr);
    auto const margins = cuda::ToDevice(Cuda(), scores);
    cuda::Buffer<GradientPair> out(Cuda(), scores.size());
    cuda::DeviceInfo device_info{info.n_rows, info.n_targets, labels.span(), weights.span(), group_ptr.span()};
    device_info.largest_group = LargestGroup(info.group_ptr);
    on_device->ComputeGradients(Cuda(), ctx, margins.span(), device_info, iteration, out.span());
    return Fetch(Cuda(), out);
  }

  void ExpectTheHostsBits(std::string const& name, ParamMap const& params, std::vector<float> const& scores,
                          MetaInfo const& info) const {
    auto const objective = GetRegistries().objectives.Find(name).make(params);
    auto ctx = OnDevice();
    ctx.seed = 17;
    std::vector<GradientPair> expected(scores.size());
    objective->ComputeGradients(ctx, scores, info, 3, expected);
    auto const found = OnTheDevice(*objective, scores, info, ctx, 3);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t row = 0; row < found.size(); ++row) {
      ASSERT_EQ(std::memcmp(&found[row], &expected[row], sizeof(GradientPair)), 0)
          << "row " << row << ": " << found[row].gradient << " " << found[row].hessian << ", host "
          << expected[row].gradient << " " << expected[row].hessian;
    }
  }
};

/// Every rule, on groups of 0 to 500 rows.
TEST_F(DeviceRankTest, GradientsHaveTheHostsBits) {
  std::vector<std::int64_t> sizes{0, 1, 2, 31, 32, 33, 127, 128, 129, 257, 500, 0};
  for (std::int64_t group = 0; group < 300; ++group) sizes.push_back(group * 37 % 140);
  for (auto const* name : {"rank:pairwise", "rank:ndcg", "rank:map"}) {
    for (bool const weighted : {false, true}) {
      auto const info = MakeGroups(sizes, std::string(name) == "rank:map" ? 2 : 5, weighted);
      auto const scores = MakeScores(info.n_rows, 23);
      for (auto const* method : {"topk", "mean"}) {
        for (auto const* n_pairs : {"1", "32", "70"}) {
          for (auto const* on : {"0", "1"}) {
            SCOPED_TRACE(std::string(name) + " " + method + " " + n_pairs + " " + on);
            ParamMap const params{{"lambdarank_pair_method", method},
                                  {"lambdarank_num_pair_per_sample", n_pairs},
                                  {"lambdarank_normalization", on},
                                  {"lambdarank_score_normalization", on},
                                  {"ndcg_exp_gain", on}};
            ExpectTheHostsBits(name, params, scores, info);
          }
        }
      }
    }
  }
}

TEST_F(DeviceRankTest, ExtremeScoresAndTies) {
  auto const info = MakeGroups({40, 1, 300}, 2, false);
  auto scores = MakeScores(info.n_rows, 24);
  std::vector<float> const extremes{0.0F, -0.0F, 88.7F, -200.0F, 3e38F, -3e38F, 1e-40F, 1.0F};
  for (std::size_t i = 0; i < scores.size(); i += 3) scores[i] = extremes[i / 3 % extremes.size()];
  for (auto const* name : {"rank:pairwise", "rank:ndcg", "rank:map"}) {
    ExpectTheHostsBits(name, {}, scores, info);
    ExpectTheHostsBits(name, {}, std::vector<float>(scores.size(), 0.5F), info);
  }
}

TEST_F(DeviceRankTest, OneLargeGroup) {
  auto const info = MakeGroups({100003}, 2, false);
  auto const scores = MakeScores(info.n_rows, 25);
  for (auto const* name : {"rank:pairwise", "rank:ndcg", "rank:map"}) {
    for (auto const* method : {"topk", "mean"}) {
      ExpectTheHostsBits(name, {{"lambdarank_pair_method", method}}, scores, info);
    }
  }
}

/// Rounds that learn the bias of positions, compared by their gradients and the learned biases.
class DeviceBiasTest : public DeviceRankTest {
 protected:
  void ExpectTheHostsRounds(std::string const& name, ParamMap params, MetaInfo const& info, int n_rounds,
                            bool must_learn = true) const {
    params["lambdarank_unbiased"] = "1";
    auto const objective = GetRegistries().objectives.Find(name).make(params);
    ObjectiveState on_host;
    ObjectiveState on_device;
    auto const host = objective->Learning(&on_host);
    auto const device = objective->Learning(&on_device);
    auto ctx = OnDevice();
    ctx.seed = 19;
    for (int round = 0; round < n_rounds; ++round) {
      auto const scores = MakeScores(info.n_rows, static_cast<std::uint64_t>(30 + round));
      std::vector<GradientPair> expected(scores.size());
      host->ComputeGradients(ctx, scores, info, round, expected);
      auto const found = OnTheDevice(*device, scores, info, ctx, round);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t row = 0; row < found.size(); ++row) {
        ASSERT_EQ(std::memcmp(&found[row], &expected[row], sizeof(GradientPair)), 0) << round << ", row " << row;
      }
      ASSERT_EQ(on_device, on_host) << round;
    }
    std::vector<float> const ones(on_host.at("ti+").size(), 1.0F);
    EXPECT_EQ(ones.empty(), info.n_rows == 0);
    // Costs are relative to the costs of the first position.
    EXPECT_TRUE(!must_learn || ones.size() <= 1 || on_host != (ObjectiveState{{"ti+", ones}, {"tj-", ones}}))
        << "nothing was learnt";
  }
};

TEST_F(DeviceBiasTest, RoundsHaveTheHostsBits) {
  std::vector<std::int64_t> sizes{0, 2, 1, 31, 32, 33, 127, 128, 129, 257, 500, 0};
  for (std::int64_t group = 0; group < 300; ++group) sizes.push_back(group * 37 % 45);
  for (auto const* name : {"rank:pairwise", "rank:ndcg", "rank:map"}) {
    for (bool const weighted : {false, true}) {
      auto const info = MakeGroups(sizes, std::string(name) == "rank:map" ? 2 : 5, weighted);
      for (auto const* method : {"topk", "mean"}) {
        for (auto const* n_pairs : {"1", "32", "150"}) {
          SCOPED_TRACE(std::string(name) + " " + method + " " + n_pairs);
          auto const* on = weighted ? "1" : "0";
          ExpectTheHostsRounds(name,
                               {{"lambdarank_pair_method", method},
                                {"lambdarank_num_pair_per_sample", n_pairs},
                                {"lambdarank_normalization", on},
                                {"lambdarank_score_normalization", on}},
                               info, 3);
        }
      }
    }
  }
}

TEST_F(DeviceBiasTest, OneLargeGroupAndMany) {
  // Possibly none of the first 32 rows is at one of the 32 best places, so nothing may be learned.
  ExpectTheHostsRounds("rank:ndcg", {}, MakeGroups({20011}, 3, false), 2, false);
  ExpectTheHostsRounds("rank:ndcg", {{"lambdarank_num_pair_per_sample", "300"}}, MakeGroups({1009}, 3, false), 2);
  ExpectTheHostsRounds("rank:ndcg", {}, MakeGroups(std::vector<std::int64_t>(20000, 3), 3, true), 2);
}

TEST_F(DeviceBiasTest, NoRows) { ExpectTheHostsRounds("rank:ndcg", {}, MakeGroups({}, 2, false), 1, false); }

TEST_F(DeviceBiasTest, LargestGroupMustBeKnown) {
  ObjectiveState state;
  auto const learning =
      GetRegistries().objectives.Find("rank:ndcg").make({{"lambdarank_unbiased", "1"}})->Learning(&state);
  auto const on_device = cuda::MakeDeviceObjective(*learning);
  cuda::Buffer<float> const values(Cuda(), 3);
  cuda::Buffer<GradientPair> const out(Cuda(), 3);
  cuda::DeviceInfo const info{3, 1, values.span(), {}};
  auto const message = MessageOf(ErrorKind::kInternal, [&] {
    on_device->ComputeGradients(Cuda(), OnDevice(), values.span(), info, 0, out.span());
  });
  EXPECT_NE(message.find("largest query group"), std::string::npos) << message;
}

TEST_F(DeviceRankTest, NoRows) { ExpectTheHostsBits("rank:ndcg", {}, {}, MakeGroups({}, 2, false)); }

TEST_F(DeviceRankTest, WrongSizesAreInternalErrors) {
  auto const info = MakeGroups({3}, 2, false);
  auto const objective = GetRegistries().objectives.Find("rank:ndcg").make({});
  auto const message =
      MessageOf(ErrorKind::kInternal, [&] { OnTheDevice(*objective, std::vector<float>(4), info, OnDevice(), 0); });
  EXPECT_NE(message.find("expected 3 margins and gradient pairs on the device"), std::string::npos) << message;
}

}  // namespace
}  // namespace kauri::testing
