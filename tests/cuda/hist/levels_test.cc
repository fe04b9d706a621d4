/// Trees whose levels are all queued at once: more levels than few rows may have, nodes that exist and nodes that do
/// not, the host's decisions on them, and trees of all kinds in sequence.
#include <cstring>
#include <string>
#include <vector>

#include "common/text/log.h"
#include "hist/hist_fixture.h"

namespace kauri::testing {
namespace {

using HistLevels = HistDeviceTest;

HistCase Deep(std::int64_t n_rows, std::int64_t n_cols, Params const& params = {}) {
  return CaseOf("levels at once", n_rows, n_cols, With({{"max_depth", "10"}, {"min_child_weight", "0"}}, params));
}

/// Numbers of rows equal to the places for nodes, one fewer, and tiles that end where segments do.
TEST_F(HistLevels, AnyNumberOfRows) {
  for (std::int64_t const n_rows : {1023, 1024, 1025, 2047, 2048, 2049, 6000, 70001}) ExpectSame(Deep(n_rows, 4));
}

TEST_F(HistLevels, AnyDepth) {
  for (auto const* depth : {"1", "2", "5", "8", "9", "11", "12", "13"}) {
    ExpectSame(Deep(20000, 30, {{"max_depth", depth}}));
  }
}

/// More columns than one block of threads searches, bundles, and codes of every form.
TEST_F(HistLevels, AnyColumns) {
  for (std::int64_t const n_cols : {1, 9, 300}) {
    for (auto const* bins : {"2", "256", "700"}) {
      for (bool const sparse : {false, true}) {
        auto given = Deep(3000, n_cols, {{"max_bin", bins}, {"max_depth", "9"}});
        given.table.sparse = sparse;
        given.table.values = n_cols == 300 ? Values::kOneHot : Values::kNormal;
        ExpectSame(given);
      }
    }
  }
}

/// Whole subtrees are absent: branches end early, and the host keeps even fewer.
TEST_F(HistLevels, NodesThatAreNotThere) {
  for (Params const& params :
       {Params{{"gamma", "3"}}, Params{{"min_child_weight", "30"}}, Params{{"path_smooth", "3"}},
        Params{{"alpha", "1"}, {"lambda", "0"}}, Params{{"max_delta_step", "0.2"}}, Params{{"subsample", "0.3"}},
        Params{{"colsample_bytree", "0.5"}}, Params{{"num_parallel_tree", "3"}, {"subsample", "0.5"}},
        Params{{"objective", "multi:softprob"}, {"num_class", "4"}}, Params{{"tree_method", "approx"}}}) {
    ExpectSame(Deep(4000, 7, params));
  }
  for (auto const kind : {Gradients::kZero, Gradients::kFewRows, Gradients::kHalfNegative, Gradients::kConstant}) {
    auto given = Deep(1500, 8);
    given.gradients = kind;
    ExpectSame(given);
  }
}

std::vector<std::string>* level_lines = nullptr;

/// The reason why the host takes part is logged once, whatever the number of trees, and not at all if it does not.
TEST_F(HistLevels, SaysWhyTheHostTakesPart) {
  std::vector<std::string> lines;
  level_lines = &lines;
  SetLogCallback([](char const* line) {
    if (std::strstr(line, "the host takes part") != nullptr) level_lines->push_back(line);
  });
  auto const train = [&](Params const& params) {
    auto const given = Deep(4000, 7, With({{"verbosity", "2"}}, params));
    EXPECT_EQ(TrainOn(kDevice, given).error, "");
  };
  train({});
  EXPECT_EQ(lines, std::vector<std::string>());
  train({{"max_leaves", "9"}});
  train({{"grow_policy", "symmetric"}});
  SetLogCallback(nullptr);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_NE(lines[0].find("as max_leaves counts"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("grow_policy=symmetric has one split"), std::string::npos) << lines[1];
}

/// The data kept from tree to tree fit the next one, however that is grown.
TEST_F(HistLevels, TreesOfAllWaysOneAfterTheOther) {
  auto const given = Deep(9000, 70);
  auto const train = [&](std::string const& device) {
    auto const data = MakeTable(given.table, KindOf(given));
    auto const learner = MakeLearner(ParamsFor(device, given.params));
    for (auto const* depth : {"6", "12", "3", "0", "10", "14", "6"}) {
      learner->SetParam("max_leaves", *depth == '0' ? "50" : "0");
      learner->SetParam("max_depth", depth);
      learner->SetParam("min_data_in_leaf", *depth == '3' ? "20" : "0");
      BoostRounds(given, data, learner.get());
    }
    return OutcomeOf(learner.get(), data);
  };
  EXPECT_TRUE(SameOutcome(train("cpu"), train(kDevice)));
}

}  // namespace
}  // namespace kauri::testing
