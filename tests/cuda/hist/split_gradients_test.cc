/// Trees whose splits and leaves use different gradients: the CPU's bytes, with any sampling.
#include "booster/booster_fixture.h"
#include "hist/hist_fixture.h"

namespace kauri::testing {
namespace {

constexpr std::int64_t kRows = 900;
constexpr std::int64_t kOutputs = 3;

/// Returns random pairs, [n_rows, n_columns].
std::vector<GradientPair> MakePairs(std::int64_t n_columns, std::uint64_t seed) {
  Random random(seed);
  std::vector<GradientPair> pairs;
  for (std::int64_t i = 0; i < kRows * n_columns; ++i) {
    pairs.push_back({random.Normal(), static_cast<float>(0.5 + random.Uniform())});
  }
  return pairs;
}

/// Returns a model trained in rounds of both kinds, and the margins that training has kept.
std::pair<std::string, std::vector<float>> TrainOn(std::string const& device, std::int64_t n_columns,
                                                   Params const& params) {
  std::shared_ptr<DataMatrix> const data = MakeMatrix({kRows, 6, 0.1, 0, false, 5});
  auto learner = MakeLearner(With({{"device", device},
                                   {"multi_strategy", "multi_output_tree"},
                                   {"num_target", std::to_string(kOutputs)},
                                   {"max_depth", "4"}},
                                  params));
  for (int round = 0; round < 4; ++round) {
    auto const seed = 10 + static_cast<std::uint64_t>(round);
    auto const splits = MakePairs(n_columns, seed);
    auto const leaves = MakePairs(kOutputs, 100 + seed);
    if (round == 2) {
      learner->BoostRound(data, round, leaves);
    } else {
      learner->BoostRound(data, round, SplitGradients{splits, n_columns, leaves});
    }
  }
  return {Bytes(learner.get()), learner->PredictTraining(data, Predicting(PredictKind::kMargin)).values};
}

using HistSplitGradients = HistDeviceTest;

TEST_F(HistSplitGradients, AreTheCpus) {
  std::vector<Params> const cases{
      {},
      {{"subsample", "0.5"}},
      {{"subsample", "0.5"}, {"sampling_method", "gradient_based"}},
      {{"subsample", "0.5"}, {"sampling_method", "without_replacement"}},
      {{"bagging_temperature", "1"}},
      {{"num_parallel_tree", "2"}, {"subsample", "0.7"}},
      {{"grow_policy", "lossguide"}, {"max_leaves", "5"}},
      {{"booster", "dart"}, {"rate_drop", "0.5"}},
  };
  for (std::int64_t const n_columns : {1, 2, 3}) {
    for (auto const& params : cases) {
      auto const host = TrainOn("cpu", n_columns, params);
      auto const device = TrainOn("cuda", n_columns, params);
      auto const& what = params.empty() ? std::string("plain") : params.back().first + "=" + params.back().second;
      EXPECT_TRUE(host.first == device.first) << what << ", " << n_columns << " columns";
      EXPECT_TRUE(SameFloats(host.second, device.second)) << what << ", " << n_columns << " columns";
    }
  }
}

TEST_F(HistSplitGradients, OfAWrongSizeAreRefused) {
  std::shared_ptr<DataMatrix> const data = MakeMatrix({kRows, 6, 0.1, 0, false, 5});
  auto learner = MakeLearner(
      {{"device", "cuda"}, {"multi_strategy", "multi_output_tree"}, {"num_target", std::to_string(kOutputs)}});
  auto const one = MakePairs(1, 1);
  auto const message = MessageOf([&] { learner->BoostRound(data, 0, SplitGradients{one, 1, one}); });
  EXPECT_NE(message.find("should be equal to the number of"), std::string::npos) << message;
}

}  // namespace
}  // namespace kauri::testing
