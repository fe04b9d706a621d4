/// Label tables with missing labels (NaN): the CPU's bytes and the CPU's digits, for every strategy and sampling.
#include "hist/hist_fixture.h"
#include "support/error.h"

namespace kauri::testing {
namespace {

using HistMissingLabels = HistDeviceTest;

HistCase Targets(std::string const& objective, Params const& more = {}) {
  HistCase given;
  given.name = "silent cells";
  given.table.n_rows = 1100;
  given.table.n_cols = 6;
  given.table.missing = Missing::kSome;
  given.params = With({{"objective", objective}, {"num_target", "3"}, {"max_depth", "4"}}, more);
  given.rounds = 3;
  return given;
}

/// Returns data without two of five labels, and without any in the last hundred rows. of: targets without any label.
std::shared_ptr<DataMatrix> WithSilence(HistCase const& given, std::vector<std::size_t> const& of = {}) {
  auto data = MakeTable(given.table, KindOf(given));
  auto& labels = data->MutableInfo()->labels;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    auto const is_missing_label =
        i * 7 % 5 > 2 || i > labels.size() - 300 || std::find(of.begin(), of.end(), i % 3) != of.end();
    if (is_missing_label) labels[i] = std::numeric_limits<float>::quiet_NaN();
  }
  return data;
}

void ExpectSameOf(HistCase const& given, std::vector<std::size_t> const& missing_targets = {}) {
  auto const cpu = TrainOn("cpu", given, WithSilence(given, missing_targets));
  EXPECT_EQ(cpu.error, "") << Text(given);
  EXPECT_TRUE(SameOutcome(cpu, TrainOn(kDevice, given, WithSilence(given, missing_targets)))) << Text(given);
  auto const full = TrainOn("cpu", given);
  EXPECT_NE(full.bytes, cpu.bytes) << Text(given);
}

TEST_F(HistMissingLabels, Objectives) {
  for (auto const* objective :
       {"reg:squarederror", "binary:logistic", "reg:absoluteerror", "reg:pseudohubererror", "reg:huber", "reg:fair",
        "count:poisson", "reg:gamma", "reg:tweedie", "binary:hinge", "binary:focal", "reg:squaredlogerror"}) {
    for (auto const* strategy : {"one_output_per_tree", "multi_output_tree"}) {
      ExpectSameOf(Targets(objective, {{"multi_strategy", strategy}}));
    }
  }
}

TEST_F(HistMissingLabels, SamplingsAndForests) {
  for (auto const* strategy : {"one_output_per_tree", "multi_output_tree"}) {
    for (auto const& more :
         {Params{{"subsample", "0.5"}}, Params{{"subsample", "0.4"}, {"sampling_method", "gradient_based"}},
          Params{{"num_parallel_tree", "2"}, {"subsample", "0.6"}},
          Params{{"booster", "dart"}, {"rate_drop", "0.4"}}}) {
      ExpectSameOf(Targets("reg:squarederror", With({{"multi_strategy", strategy}}, more)));
    }
  }
}

TEST_F(HistMissingLabels, OtherMethods) {
  for (auto const* method : {"exact", "approx"}) ExpectSameOf(Targets("binary:logistic", {{"tree_method", method}}));
}

TEST_F(HistMissingLabels, ATargetOfWhichNothingIsKnown) {
  for (auto const* strategy : {"one_output_per_tree", "multi_output_tree"}) {
    ExpectSameOf(Targets("reg:squarederror", {{"base_score", "0.5"}, {"multi_strategy", strategy}}), {1});
  }
  auto const given = Targets("reg:absoluteerror");
  auto const found = TrainOn(kDevice, given, WithSilence(given, {2}));
  ExpectParts(found.error, {"labels of target 2 are NaN in all 1100 rows"});
}

/// Metrics of each round, for a table without missing labels, a table with some, and a table that has only missing
/// ones.
TEST_F(HistMissingLabels, Metrics) {
  auto const given = Targets("binary:logistic", {{"eval_metric", "logloss"},
                                                 {"eval_metric", "error"},
                                                 {"eval_metric", "rmse"},
                                                 {"eval_metric", "auc"},
                                                 {"eval_metric", "r2"}});
  std::vector<std::vector<double>> values;
  for (std::string const device : {"cpu", kDevice}) {
    auto const train = WithSilence(given);
    auto const full = MakeTable(given.table, KindOf(given));
    auto const nothing = WithSilence(given, {0, 1, 2});
    auto const learner = MakeLearner(ParamsFor(device, given.params));
    values.emplace_back();
    for (int round = 0; round < 3; ++round) {
      learner->BoostRound(train, round);
      ExpectParts(MessageOf(ErrorKind::kData,
                            [&] {
                              learner->Evaluate({{"nothing", nothing}});
                            }),
                  {"all 3300 labels are NaN"});
      for (auto const& result : learner->Evaluate({{"train", train}, {"full", full}})) {
        values.back().push_back(result.value);
      }
    }
  }
  EXPECT_EQ(values[0], values[1]);
}

}  // namespace
}  // namespace kauri::testing
