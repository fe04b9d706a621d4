/// The life of a booster: training, evaluation, files, buffers, attributes, dumps, slices.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "c_api/support.h"

namespace kauri::testing {
namespace {

std::vector<std::string> Strings(char const** strings, bst_ulong length) { return {strings, strings + length}; }

std::string Evaluate(Booster const& booster, Data const& data, int iteration) {
  DMatrixHandle matrix = data.get();
  char const* name = "train";
  char const* text = nullptr;
  EXPECT_OK(XGBoosterEvalOneIter(booster.get(), iteration, &matrix, &name, 1, &text));
  return text;
}

int Rounds(Booster const& booster) {
  int rounds = -1;
  EXPECT_OK(XGBoosterBoostedRounds(booster.get(), &rounds));
  return rounds;
}

TEST(BoosterHandles, TrainsEvaluatesAndCounts) {
  Problem const problem;
  auto booster = MakeBooster(problem.data, Logistic());
  bst_ulong n_features = 0;
  ASSERT_OK(XGBoosterGetNumFeature(booster.get(), &n_features));
  EXPECT_EQ(n_features, 4U);
  double previous = 1e9;
  for (int round = 0; round < 5; ++round) {
    ASSERT_OK(XGBoosterUpdateOneIter(booster.get(), round, problem.data.get()));
    auto const line = Evaluate(booster, problem.data, round);
    auto const start = "[" + std::to_string(round) + "]\ttrain-logloss:";
    ASSERT_EQ(line.substr(0, start.size()), start);
    auto const loss = std::stod(line.substr(start.size()));
    EXPECT_LT(loss, previous);
    previous = loss;
  }
  EXPECT_EQ(Rounds(booster), 5);
  ASSERT_OK(XGBoosterReset(booster.get()));
  EXPECT_EQ(Rounds(booster), 5);
  EXPECT_NEAR(std::stod(Evaluate(booster, problem.data, 4).substr(18)), previous, 1e-12);
}

TEST(BoosterHandles, MetricsKnowTheirDirection) {
  Problem const problem;
  auto booster = MakeBooster(problem.data, {{"eval_metric", "ndcg@3-"}});
  auto const direction = [&](char const* metric) {
    int higher = -1;
    EXPECT_OK(KauriBoosterHigherIsBetter(booster.get(), metric, &higher));
    return higher;
  };
  for (auto const* const up : {"ndcg@3-", "auc", "aucpr", "interval-regression-accuracy", "map@2"}) {
    EXPECT_EQ(direction(up), 1) << up;
  }
  for (auto const* const down : {"logloss", "mape", "quantile", "mine", "", "auc_gap", "prediction_error", "maple"}) {
    EXPECT_EQ(direction(down), 0) << down;
  }
  auto const knows = [&](char const* metric) {
    int known = -1;
    EXPECT_OK(KauriBoosterKnowsMetric(booster.get(), metric, &known));
    return known;
  };
  for (auto const* const built_in : {"ndcg@3-", "auc", "ndcg@5", "quantile"}) EXPECT_EQ(knows(built_in), 1) << built_in;
  for (auto const* const own : {"auc_gap", "mine", ""}) EXPECT_EQ(knows(own), 0) << own;
  int higher = -1;
  EXPECT_NE(KauriBoosterHigherIsBetter(booster.get(), nullptr, &higher), 0);
  EXPECT_NE(KauriBoosterHigherIsBetter(booster.get(), "auc", nullptr), 0);
}

/// Constraints of a distribution bind its mean and leave its scale free.
TEST(BoosterHandles, TheMeanOfADistributionIsMonotone) {
  constexpr std::size_t kRows = 800;
  auto const values = Features(kRows, 2);
  std::vector<float> labels;
  for (std::size_t row = 0; row < kRows; ++row) {
    auto const x = values[2 * row];
    labels.push_back(x + 4.0F * (1.0F - x) * (values[2 * row + 1] - 0.5F));
  }
  // The second column, which explains the labels, is hidden.
  std::vector<float> seen;
  for (std::size_t row = 0; row < kRows; ++row) seen.push_back(values[2 * row]);
  Params const params{{"objective", "dist:normal"}, {"monotone_constraints", "(1)"}, {"min_data_in_leaf", "20"}};
  auto const booster = Train(MakeData(seen, 1, labels), params, 30);
  std::vector<float> places;
  for (int i = 0; i <= 50; ++i) places.push_back(static_cast<float>(i) / 50.0F);
  auto const found = Predict(booster, MakeData(places, 1)).values;
  ASSERT_EQ(found.size(), 2 * places.size());
  for (std::size_t i = 1; i < places.size(); ++i) EXPECT_GE(found[2 * i], found[2 * i - 2]) << i;
  EXPECT_GT(found[2 * places.size() - 2], found[0] + 0.5F);
  EXPECT_GT(found[1], 3.0F * found[2 * places.size() - 1]);
}

TEST(BoosterHandles, RankingNeedsQueries) {
  Problem const problem;
  auto const booster = MakeBooster(problem.data, {{"objective", "rank:ndcg"}});
  EXPECT_EQ(XGBoosterUpdateOneIter(booster.get(), 0, problem.data.get()), -1);
  EXPECT_EQ(KauriGetLastErrorKind(), KAURI_ERROR_DATA);
  EXPECT_NE(std::string(XGBGetLastError()).find("the data set has no query groups"), std::string::npos);
  EXPECT_EQ(KauriBoosterRequireQueries(booster.get(), problem.data.get()), -1);
  EXPECT_NE(std::string(XGBGetLastError()).find("but the data have no queries"), std::string::npos);
  std::vector<unsigned> const sizes{150, 50};
  auto const with = MakeData(problem.values, 4, problem.labels);
  ASSERT_OK(XGDMatrixSetUIntInfo(with.get(), "group", sizes.data(), sizes.size()));
  EXPECT_OK(KauriBoosterRequireQueries(booster.get(), with.get()));
  EXPECT_OK(XGBoosterUpdateOneIter(booster.get(), 0, with.get()));
}

TEST(BoosterHandles, OwnGradientsEqualTheObjective) {
  Problem const problem;
  Params const params{{"max_depth", "3"}, {"base_score", "0.5"}};
  auto const expected = Train(problem.data, params, 3);
  for (auto const flat : {false, true}) {
    auto own = MakeBooster(problem.data, params);
    for (int round = 0; round < 3; ++round) {
      auto const margins = Predict(own, problem.data, R"({"type": 1, "training": true, "iteration_begin": 0,
                                   "iteration_end": 0, "strict_shape": false})");
      std::vector<float> gradients;
      std::vector<float> hessians(200, 1.0F);
      for (std::size_t i = 0; i < 200; ++i) gradients.push_back(margins.values[i] - problem.labels[i]);
      if (flat) {
        ASSERT_OK(XGBoosterBoostOneIter(own.get(), problem.data.get(), gradients.data(), hessians.data(), 200));
      } else {
        ASSERT_OK(XGBoosterTrainOneIter(own.get(), problem.data.get(), round, Vector(gradients).c_str(),
                                        Table(hessians, 1).c_str()));
      }
    }
    EXPECT_EQ(Predict(own, problem.data).values, Predict(expected, problem.data).values);
  }
}

TEST(BoosterHandles, TreesGrowOnOtherGradientsThanThoseOfTheirLeaves) {
  Problem const problem;
  std::vector<float> splits(200);
  std::vector<float> leaves(400);
  for (std::size_t i = 0; i < leaves.size(); ++i) leaves[i] = std::sin(static_cast<float>(i));
  for (std::size_t row = 0; row < splits.size(); ++row) splits[row] = leaves[2 * row] + leaves[2 * row + 1];
  std::vector<float> const one(200, 1.0F);
  std::vector<float> const two(400, 1.0F);
  auto const bytes_with = [&](std::string const& split_grad) {
    auto const booster = MakeBooster(problem.data, {{"multi_strategy", "multi_output_tree"}, {"num_target", "2"}});
    for (int round = 0; round < 2; ++round) {
      EXPECT_OK(XGBoosterTrainOneIterWithSplitGrad(booster.get(), problem.data.get(), round, split_grad.c_str(),
                                                   Table(one, 1).c_str(), Table(leaves, 2).c_str(),
                                                   Table(two, 2).c_str()));
    }
    EXPECT_EQ(Rounds(booster), 2);
    EXPECT_EQ(Predict(booster, problem.data).values.size(), 400U);
    bst_ulong length = 0;
    char const* bytes = nullptr;
    EXPECT_OK(XGBoosterSaveModelToBuffer(booster.get(), R"({"format": "ubj"})", &length, &bytes));
    return std::string(bytes, length);
  };
  EXPECT_EQ(bytes_with(Vector(splits)), bytes_with(Table(splits, 1)));
}

TEST(BoosterHandles, FilesAndBuffersKeepEveryBit) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 4);
  auto const expected = Predict(booster, problem.data).values;
  for (char const* format : {"json", "ubj"}) {
    auto const path = ::testing::TempDir() + "/kauri_c_api_model." + format;
    ASSERT_OK(XGBoosterSaveModel(booster.get(), path.c_str()));
    BoosterHandle handle = nullptr;
    ASSERT_OK(XGBoosterCreate(nullptr, 0, &handle));
    Booster const from_file(handle);
    ASSERT_OK(XGBoosterLoadModel(handle, path.c_str()));
    EXPECT_EQ(Predict(from_file, problem.data).values, expected) << format;
    std::filesystem::remove(path);

    bst_ulong length = 0;
    char const* bytes = nullptr;
    auto const config = std::string(R"({"format": ")") + format + "\"}";
    ASSERT_OK(XGBoosterSaveModelToBuffer(booster.get(), config.c_str(), &length, &bytes));
    ASSERT_OK(XGBoosterCreate(nullptr, 0, &handle));
    Booster const from_buffer(handle);
    ASSERT_OK(XGBoosterLoadModelFromBuffer(handle, bytes, length));
    EXPECT_EQ(Predict(from_buffer, problem.data).values, expected) << format;
  }
}

TEST(BoosterHandles, SnapshotContinuesTraining) {
  Problem const problem;
  auto const whole = Train(problem.data, Logistic(), 6);
  auto const half = Train(problem.data, Logistic(), 3);
  bst_ulong length = 0;
  char const* bytes = nullptr;
  ASSERT_OK(XGBoosterSerializeToBuffer(half.get(), &length, &bytes));
  BoosterHandle handle = nullptr;
  ASSERT_OK(XGBoosterCreate(nullptr, 0, &handle));
  Booster const copy(handle);
  ASSERT_OK(XGBoosterUnserializeFromBuffer(handle, bytes, length));
  for (int round = 3; round < 6; ++round) ASSERT_OK(XGBoosterUpdateOneIter(handle, round, problem.data.get()));
  EXPECT_EQ(Predict(copy, problem.data).values, Predict(whole, problem.data).values);
}

TEST(BoosterHandles, ConfigurationRoundTrip) {
  Problem const problem;
  auto const booster = MakeBooster(problem.data, {{"max_depth", "2"}, {"eta", "0.05"}});
  bst_ulong length = 0;
  char const* text = nullptr;
  ASSERT_OK(XGBoosterSaveJsonConfig(booster.get(), &length, &text));
  std::string const saved(text, length);
  EXPECT_EQ(nlohmann::json::parse(saved)["learner"]["gradient_booster"]["tree_train_param"]["max_depth"], "2");
  auto const copy = MakeBooster(problem.data, {});
  ASSERT_OK(XGBoosterLoadJsonConfig(copy.get(), saved.c_str()));
  ASSERT_OK(XGBoosterSaveJsonConfig(copy.get(), &length, &text));
  EXPECT_EQ(std::string(text, length), saved);
}

TEST(BoosterHandles, Attributes) {
  Problem const problem;
  auto const booster = MakeBooster(problem.data, {});
  char const* value = "?";
  int success = -1;
  ASSERT_OK(XGBoosterGetAttr(booster.get(), "note", &value, &success));
  EXPECT_EQ(success, 0);
  EXPECT_EQ(value, nullptr);
  ASSERT_OK(XGBoosterSetAttr(booster.get(), "note", "kia ora"));
  ASSERT_OK(XGBoosterSetAttr(booster.get(), "best_iteration", "3"));
  ASSERT_OK(XGBoosterGetAttr(booster.get(), "note", &value, &success));
  EXPECT_EQ(success, 1);
  EXPECT_STREQ(value, "kia ora");
  bst_ulong length = 0;
  char const** names = nullptr;
  ASSERT_OK(XGBoosterGetAttrNames(booster.get(), &length, &names));
  EXPECT_EQ(Strings(names, length), (std::vector<std::string>{"best_iteration", "note"}));
  ASSERT_OK(XGBoosterSetAttr(booster.get(), "note", nullptr));
  ASSERT_OK(XGBoosterGetAttrNames(booster.get(), &length, &names));
  EXPECT_EQ(length, 1U);
}

TEST(BoosterHandles, DumpsAndNames) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 2);
  bst_ulong length = 0;
  char const** trees = nullptr;
  ASSERT_OK(XGBoosterDumpModel(booster.get(), "", 0, &length, &trees));
  ASSERT_EQ(length, 2U);
  EXPECT_EQ(std::string(trees[0]).rfind("0:[f", 0), 0U) << trees[0];
  std::vector<char const*> names{"ash", "birch", "cedar", "douglas"};
  ASSERT_OK(XGBoosterSetStrFeatureInfo(booster.get(), "feature_name", names.data(), 4));
  ASSERT_OK(XGBoosterDumpModelEx(booster.get(), "", 1, "json", &length, &trees));
  auto const root = nlohmann::json::parse(trees[0]);
  EXPECT_TRUE(root.at("split") == "ash" || root.at("split") == "birch") << root;
  EXPECT_TRUE(root.contains("gain"));
  char const** stored = nullptr;
  ASSERT_OK(XGBoosterGetStrFeatureInfo(booster.get(), "feature_name", &length, &stored));
  EXPECT_EQ(Strings(stored, length), (std::vector<std::string>{"ash", "birch", "cedar", "douglas"}));
  std::vector<char const*> others{"w", "x", "y", "z"};
  std::vector<char const*> types{"q", "q", "q", "q"};
  ASSERT_OK(XGBoosterDumpModelWithFeatures(booster.get(), 4, others.data(), types.data(), 0, &length, &trees));
  EXPECT_TRUE(std::string(trees[0]).rfind("0:[w<", 0) == 0 || std::string(trees[0]).rfind("0:[x<", 0) == 0);
}

TEST(BoosterHandles, FeatureScoreCountsSplits) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 3);
  bst_ulong n_features = 0;
  bst_ulong dim = 0;
  bst_ulong const* shape = nullptr;
  char const** names = nullptr;
  float const* scores = nullptr;
  ASSERT_OK(XGBoosterFeatureScore(booster.get(), R"({"importance_type": "weight"})", &n_features, &names, &dim, &shape,
                                  &scores));
  ASSERT_EQ(dim, 1U);
  ASSERT_EQ(shape[0], n_features);
  float total = 0;
  for (bst_ulong i = 0; i < n_features; ++i) total += scores[i];
  bst_ulong length = 0;
  char const** trees = nullptr;
  ASSERT_OK(XGBoosterDumpModel(booster.get(), "", 0, &length, &trees));
  float splits = 0;
  for (auto const& tree : Strings(trees, length))
    splits += static_cast<float>(std::count(tree.begin(), tree.end(), '['));
  EXPECT_EQ(total, splits);
}

TEST(BoosterHandles, SlicesAndTheirReturnCodes) {
  Problem const problem;
  auto const booster = Train(problem.data, Logistic(), 5);
  ASSERT_OK(XGBoosterSetAttr(booster.get(), "best_iteration", "2"));
  BoosterHandle handle = nullptr;
  ASSERT_EQ(XGBoosterSlice(booster.get(), 0, 3, 1, &handle), 0) << XGBGetLastError();
  Booster const slice(handle);
  EXPECT_EQ(Rounds(slice), 3);
  char const* attribute = nullptr;
  int found = 0;
  ASSERT_OK(XGBoosterGetAttr(slice.get(), "best_iteration", &attribute, &found));
  ASSERT_EQ(found, 1);
  EXPECT_STREQ(attribute, "2");
  for (auto const& [begin, end, step] : {std::array{0, 2, 1}, std::array{1, 5, 1}, std::array{0, 5, 2}}) {
    ASSERT_EQ(XGBoosterSlice(booster.get(), begin, end, step, &handle), 0) << XGBGetLastError();
    Booster const without_best(handle);
    ASSERT_OK(XGBoosterGetAttr(without_best.get(), "best_iteration", &attribute, &found));
    EXPECT_EQ(found, 0) << begin << ":" << end << ":" << step;
  }
  EXPECT_EQ(Predict(slice, problem.data).values, Predict(booster, problem.data, PredictConfig(0, false, 0, 3)).values);
  ASSERT_EQ(XGBoosterSlice(booster.get(), 1, 0, 2, &handle), 0) << XGBGetLastError();
  Booster const every_second(handle);
  EXPECT_EQ(Rounds(every_second), 2);
  struct Case {
    int begin, end, step, code;
  };
  for (auto const& bad : std::vector<Case>{
           {0, 6, 1, -2}, {4, 2, 1, -2}, {0, -1, 1, -2}, {0, 2, 3, -2}, {2, 2, 1, -1}, {-1, 2, 1, -1}, {0, 2, 0, -1}}) {
    handle = nullptr;
    EXPECT_EQ(XGBoosterSlice(booster.get(), bad.begin, bad.end, bad.step, &handle), bad.code)
        << bad.begin << ":" << bad.end << ":" << bad.step;
    EXPECT_EQ(handle, nullptr);
  }
}

TEST(BoosterHandles, MeansOfSeveral) {
  Problem const problem;
  auto const first = Train(problem.data, Logistic(), 4);
  auto const second = Train(problem.data, Logistic(), 4);
  std::vector<BoosterHandle> const both = {first.get(), second.get()};
  BoosterHandle handle = nullptr;
  ASSERT_OK(KauriBoosterAverage(both.data(), both.size(), &handle));
  Booster const mean(handle);
  EXPECT_EQ(Rounds(mean), 4);
  auto const means = Predict(mean, problem.data).values;
  auto const expected = Predict(first, problem.data).values;
  ASSERT_EQ(means.size(), expected.size());
  for (std::size_t i = 0; i < means.size(); ++i) EXPECT_NEAR(means[i], expected[i], 1e-6F) << i;
  EXPECT_EQ(KauriBoosterAverage(both.data(), 0, &handle), -1);
  EXPECT_EQ(KauriBoosterAverage(nullptr, 2, &handle), -1);
  EXPECT_EQ(KauriBoosterAverage(both.data(), 2, nullptr), -1);
  BoosterHandle const broken[] = {first.get(), nullptr};
  EXPECT_EQ(KauriBoosterAverage(broken, 2, &handle), -1);
}

}  // namespace
}  // namespace kauri::testing
