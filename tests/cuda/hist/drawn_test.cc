/// Random configurations from all available choices, by seed. A failure prints its whole configuration.
#include "hist/hist_fixture.h"

namespace kauri::testing {
namespace {

/// Picks one of several values at random.
class Choice {
 public:
  explicit Choice(std::uint64_t seed) : random_(seed) {}
  template <typename T>
  T Of(std::vector<T> const& some) {
    return some[random_.Below(static_cast<std::uint32_t>(some.size()))];
  }
  bool Chance(std::uint32_t one_in) { return random_.Below(one_in) == 0; }
  std::uint32_t Below(std::uint32_t bound) { return random_.Below(bound); }
  /// Sets the parameter with the given chance; otherwise it stays at its default.
  void Maybe(Params* params, char const* name, std::vector<char const*> const& values, std::uint32_t one_in = 3) {
    if (Chance(one_in)) params->emplace_back(name, Of(values));
  }

 private:
  Random random_;
};

Table DrawTable(Choice* choice) {
  Table table;
  table.n_rows = choice->Of<std::int64_t>({40, 64, 300, 700, 1500, 1500, 4000});
  table.n_cols = choice->Of<std::int64_t>({1, 2, 3, 5, 6, 8, 10, 13, 16, 20, 32, 33, 40, 70});
  table.missing =
      choice->Of<Missing>({Missing::kNone, Missing::kNone, Missing::kSome, Missing::kColumn, Missing::kMixed});
  table.values = choice->Of<Values>({Values::kNormal, Values::kNormal, Values::kFew, Values::kFlags, Values::kOneHot});
  table.sparse = choice->Chance(3);
  table.weights = choice->Chance(4);
  table.seed = choice->Below(1000000);
  for (std::int64_t column = 0; choice->Chance(2) && column < table.n_cols && column < 4; ++column) {
    table.levels.push_back(choice->Of<std::uint32_t>({1, 2, 3, 4, 8, 33, 300}));
  }
  return table;
}

void DrawGrowth(Choice* choice, Params* params) {
  auto const* depth = choice->Of<char const*>({"0", "2", "4", "6", "6", "9", "15"});
  params->emplace_back("max_depth", depth);
  if (std::string(depth) == "0") {
    params->emplace_back("max_leaves", choice->Of<char const*>({"5", "9", "33", "100"}));
  } else {
    choice->Maybe(params, "max_leaves", {"0", "3", "7", "31"});
  }
  choice->Maybe(params, "grow_policy", {"lossguide"}, 2);
  choice->Maybe(params, "max_bin", {"2", "3", "16", "64", "255", "257", "600", "65535"}, 2);
  choice->Maybe(params, "min_child_weight", {"0", "0.1", "5", "30"});
  choice->Maybe(params, "gamma", {"0.01", "1"}, 5);
  choice->Maybe(params, "lambda", {"0", "0.1", "10"});
  choice->Maybe(params, "alpha", {"0.1", "1"}, 5);
  choice->Maybe(params, "max_delta_step", {"0.05", "1"}, 4);
  choice->Maybe(params, "max_cat_to_onehot", {"1", "2", "9", "400"});
  choice->Maybe(params, "max_cat_threshold", {"1", "3", "400"});
  choice->Maybe(params, "min_data_in_leaf", {"2", "11", "60"}, 6);
  choice->Maybe(params, "extra_trees", {"1"}, 8);
  choice->Maybe(params, "path_smooth", {"0.5", "20"}, 8);
}

void DrawSampling(Choice* choice, Params* params) {
  choice->Maybe(params, "subsample", {"0.1", "0.5", "0.9"});
  choice->Maybe(params, "sampling_method", {"gradient_based"}, 4);
  choice->Maybe(params, "bagging_temperature", {"0.5", "2"}, 8);
  choice->Maybe(params, "gradient_bits", {"4", "8"}, 5);
  choice->Maybe(params, "colsample_bytree", {"0.1", "0.6"}, 5);
  choice->Maybe(params, "colsample_bylevel", {"0.1", "0.6"}, 5);
  choice->Maybe(params, "colsample_bynode", {"0.1", "0.6"}, 5);
  choice->Maybe(params, "num_parallel_tree", {"2", "3"}, 5);
  choice->Maybe(params, "seed", {"1", "99"});
}

void DrawObjective(Choice* choice, HistCase* given) {
  auto const* objective =
      choice->Of<char const*>({"reg:squarederror", "reg:squarederror", "binary:logistic", "multi:softprob",
                               "reg:absoluteerror", "count:poisson", "survival:aft", "rank:ndcg"});
  given->params.emplace_back("objective", objective);
  if (std::string(objective) == "multi:softprob")
    given->params.emplace_back("num_class", choice->Of<char const*>({"2", "3", "7"}));
  if (choice->Chance(3)) {
    given->gradients = choice->Of<Gradients>({Gradients::kNormal, Gradients::kHalfNegative, Gradients::kConstant,
                                              Gradients::kCoarse, Gradients::kFewRows, Gradients::kZero});
  }
}

HistCase Draw(std::uint64_t seed) {
  Choice choice(seed);
  HistCase given;
  given.name = "drawn";
  given.table = DrawTable(&choice);
  given.rounds = static_cast<int>(choice.Of<std::int64_t>({1, 2, 3}));
  DrawObjective(&choice, &given);
  DrawGrowth(&choice, &given.params);
  DrawSampling(&choice, &given.params);
  if (given.table.n_cols > 3)
    choice.Maybe(&given.params, "interaction_constraints", {"[[0]]", "[[0,1],[1,2]]", "[[0,2,3],[1]]"}, 5);
  if (given.table.levels.empty()) choice.Maybe(&given.params, "monotone_constraints", {"(1)", "(-1)"}, 4);
  choice.Maybe(&given.params, "random_strength", {"0.5", "3"}, 5);
  if (choice.Chance(8)) given.params.insert(given.params.end(), {{"booster", "dart"}, {"rate_drop", "0.5"}});
  return given;
}

class HistDrawn : public HistDeviceTest {
 protected:
  static void OfSeeds(std::uint64_t begin, std::uint64_t end, char const* method = "hist") {
    for (auto seed = begin; seed < end; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      auto given = Draw(seed);
      given.params.push_back({"tree_method", method});
      ExpectSame(given);
    }
  }
};

TEST_F(HistDrawn, Seeds0) { OfSeeds(0, 100); }
TEST_F(HistDrawn, Seeds100) { OfSeeds(100, 200); }
TEST_F(HistDrawn, Seeds200) { OfSeeds(200, 300); }
TEST_F(HistDrawn, Seeds300) { OfSeeds(300, 400); }

TEST_F(HistDrawn, OfSymmetric600) {
  for (std::uint64_t seed = 600; seed < 700; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto given = Draw(seed);
    given.table.levels.clear();
    given.params.insert(given.params.end(), {{"grow_policy", "symmetric"}, {"extra_trees", "0"}});
    ExpectSame(given);
  }
}

TEST_F(HistDrawn, OfApprox400) { OfSeeds(400, 500, "approx"); }
TEST_F(HistDrawn, OfApprox500) { OfSeeds(500, 600, "approx"); }

/// Most configurations train, and grow trees.
TEST_F(HistDrawn, AreWorthIt) {
  int n_grown = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto const cpu = TrainOn("cpu", Draw(seed));
    auto const& trees = cpu.model.trees;
    n_grown += std::any_of(trees.begin(), trees.end(), [](Tree const& tree) { return tree.NumNodes() > 3; }) ? 1 : 0;
  }
  EXPECT_GE(n_grown, 60);
}

}  // namespace
}  // namespace kauri::testing
