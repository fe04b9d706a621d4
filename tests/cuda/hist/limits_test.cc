/// min_data_in_leaf, extra_trees and path_smooth: conditions on splits and leaves besides their sums, in every tree
/// method.
#include "hist/hist_fixture.h"

namespace kauri::testing {
namespace {

std::vector<Params> const kLimits{{{"min_data_in_leaf", "2"}},
                                  {{"min_data_in_leaf", "20"}},
                                  {{"min_data_in_leaf", "60"}},
                                  {{"extra_trees", "1"}},
                                  {{"extra_trees", "1"}, {"min_data_in_leaf", "20"}},
                                  {{"path_smooth", "3"}},
                                  {{"extra_trees", "1"}, {"min_data_in_leaf", "7"}, {"path_smooth", "30"}}};

class HistLimits : public HistDeviceTest {
 protected:
  /// Runs each case with each of the limits.
  static void ExpectSameWithLimits(std::vector<HistCase> const& cases) {
    for (auto const& given : cases) {
      for (auto const& limits : kLimits) {
        auto limited = given;
        limited.params = With(given.params, limits);
        ExpectSameTrees({limited});
      }
    }
  }
};

TEST_F(HistLimits, Growth) {
  ExpectSameWithLimits({CaseOf("by levels", {}), CaseOf("deep", {{"max_depth", "12"}, {"min_child_weight", "0"}}),
                        CaseOf("by gain", {{"grow_policy", "lossguide"}, {"max_leaves", "30"}, {"max_depth", "0"}}),
                        CaseOf("few leaves", {{"max_leaves", "9"}}), CaseOf("gamma", {{"gamma", "2"}})});
}

TEST_F(HistLimits, Storage) {
  std::vector<HistCase> cases;
  for (auto const missing : {Missing::kNone, Missing::kColumn, Missing::kMixed}) {
    for (auto const* max_bin : {"2", "256", "1000"}) {
      cases.push_back(CaseOf("dense", {{"max_bin", max_bin}}, 9));
      cases.back().table.missing = missing;
      cases.push_back(cases.back());
      cases.back().table.sparse = true;
    }
  }
  for (auto const sparse : {false, true}) {
    cases.push_back(CaseOf("bundles", {}, 40));
    cases.back().table.values = Values::kOneHot;
    cases.back().table.missing = Missing::kNone;
    cases.back().table.sparse = sparse;
    cases.push_back(cases.back());
    cases.back().name = "flags";
    cases.back().table.values = Values::kFlags;
  }
  ExpectSameWithLimits(cases);
}

TEST_F(HistLimits, Categories) {
  std::vector<HistCase> cases;
  for (auto const* to_onehot : {"1", "1000"}) {
    cases.push_back(CaseOf("categories", {{"max_cat_to_onehot", to_onehot}}));
    cases.back().table.levels = {3, 40, 300};
    cases.push_back(cases.back());
    cases.back().params.push_back({"grow_policy", "lossguide"});
  }
  ExpectSameWithLimits(cases);
}

TEST_F(HistLimits, SamplingAndConstraints) {
  auto no_gradients = CaseOf("rows without gradients", {{"min_child_weight", "0"}});
  no_gradients.gradients = Gradients::kFewRows;
  auto weighted = CaseOf("weights", {});
  weighted.table.weights = true;
  ExpectSameWithLimits({CaseOf("rows", {{"subsample", "0.5"}}),
                        CaseOf("rows by gradient", {{"subsample", "0.3"}, {"sampling_method", "gradient_based"}}),
                        CaseOf("columns", {{"colsample_bynode", "0.5"}, {"colsample_bytree", "0.7"}}),
                        CaseOf("interaction", {{"interaction_constraints", "[[0,1],[2,3]]"}}),
                        CaseOf("forest", {{"num_parallel_tree", "3"}, {"subsample", "0.7"}}),
                        CaseOf("classes", {{"objective", "multi:softprob"}, {"num_class", "3"}}),
                        CaseOf("dart", {{"booster", "dart"}, {"rate_drop", "0.5"}}), no_gradients, weighted});
}

/// path_smooth is refused with monotone constraints, with the same message.
TEST_F(HistLimits, Monotone) {
  for (auto const& limits : kLimits) {
    auto const params = With({{"monotone_constraints", "(1,-1,1)"}}, limits);
    auto const smooths = Value(params, "path_smooth", "0") != "0";
    EXPECT_EQ(ExpectSame(CaseOf("monotone", params)).error != "", smooths) << Text(params);
  }
}

TEST_F(HistLimits, VectorLeaves) {
  Params const vectors{{"multi_strategy", "multi_output_tree"}, {"max_depth", "5"}};
  auto const with = [&](Params const& params) { return CaseOf("vectors", With(vectors, params)); };
  auto categories = with({{"num_target", "3"}});
  categories.table.levels = {3, 40};
  auto many_bins = with({{"num_target", "2"}, {"max_bin", "999"}});
  many_bins.table.n_rows = 3000;
  auto one_hot = with({{"num_target", "3"}});
  one_hot.table.values = Values::kOneHot;
  one_hot.table.n_cols = 20;
  ExpectSameWithLimits({with({{"num_target", "2"}}), with({{"num_target", "17"}}),
                        with({{"objective", "multi:softprob"}, {"num_class", "20"}}),
                        with({{"num_target", "3"}, {"subsample", "0.5"}, {"grow_policy", "lossguide"}}), categories,
                        many_bins, one_hot});
  EXPECT_EQ(
      ExpectSame(with({{"num_target", "3"}, {"monotone_constraints", "(1,-1)"}, {"min_data_in_leaf", "30"}})).error,
      "");
}

TEST_F(HistLimits, Approx) {
  auto categories = CaseOf("categories", {{"tree_method", "approx"}});
  categories.table.levels = {3, 40};
  ExpectSameWithLimits({CaseOf("approx", {{"tree_method", "approx"}}), categories,
                        CaseOf("approx of samples", {{"tree_method", "approx"}, {"subsample", "0.5"}})});
}

TEST_F(HistLimits, Exact) {
  std::vector<HistCase> cases;
  for (auto const missing : {Missing::kNone, Missing::kSome, Missing::kMixed}) {
    for (auto const values : {Values::kNormal, Values::kFew, Values::kFlags}) {
      cases.push_back(CaseOf("exact", {{"tree_method", "exact"}}));
      cases.back().table.missing = missing;
      cases.back().table.values = values;
      cases.back().table.n_rows = 2500;
      cases.push_back(cases.back());
      cases.back().params = With(cases.back().params, {{"subsample", "0.4"}, {"max_depth", "11"}});
      cases.push_back(cases.back());
      cases.back().params = With(cases.back().params, {{"gamma", "1"}});
      cases.back().table.sparse = true;
    }
  }
  ExpectSameWithLimits(cases);
}

/// More entries than a tile, so that segments begin and end within one tile and continue over many.
TEST_F(HistLimits, ExactOfManyRows) {
  auto given = CaseOf("many rows", {{"tree_method", "exact"}, {"max_depth", "8"}}, 3);
  given.table.n_rows = 20000;
  auto complete = given;
  complete.table.missing = Missing::kNone;
  ExpectSameWithLimits({given, complete});
}

TEST_F(HistLimits, ExactRefusesCategories) {
  for (auto const* limit : {"min_data_in_leaf", "extra_trees"}) {
    auto given = CaseOf("exact", {{"tree_method", "exact"}, {limit, limit[0] == 'm' ? "9" : "1"}});
    given.table.levels = {5};
    EXPECT_EQ(TrainOn("cpu", given).error, "");
    ExpectParts(TrainOn(kDevice, given).error, {limit, "categorical columns", "device=cpu", "tree_method=hist"});
  }
}

/// Rows sampled by their gradients: equal ones, none, few, large and small ones, with one output and with many.
TEST_F(HistLimits, RowsByGradients) {
  Params const by_gradient{{"sampling_method", "gradient_based"}, {"min_child_weight", "0"}};
  for (auto const kind : {Gradients::kObjective, Gradients::kNormal, Gradients::kConstant, Gradients::kCoarse,
                          Gradients::kFewRows, Gradients::kHalfNegative, Gradients::kZero}) {
    for (auto const* rate : {"0.01", "0.3", "0.9"}) {
      for (auto const& outputs : std::vector<Params>{{},
                                                     {{"objective", "multi:softprob"}, {"num_class", "4"}},
                                                     {{"multi_strategy", "multi_output_tree"}, {"num_target", "3"}}}) {
        auto given = CaseOf("by gradients", With(With(by_gradient, outputs), {{"subsample", rate}}));
        given.gradients = kind;
        given.table.n_rows = 5000;
        ExpectSame(given);
      }
    }
  }
}

/// Rows sampled by query and weighted, which the host does for the device, in every tree method.
TEST_F(HistLimits, QueriesAndWeights) {
  std::vector<HistCase> cases;
  for (auto const* method : {"hist", "approx", "exact"}) {
    Params const ranking{{"objective", "rank:ndcg"}, {"tree_method", method}};
    Params const by_query{{"sampling_method", "by_query"}, {"subsample", "0.6"}};
    cases.push_back(CaseOf("by query", With(ranking, by_query)));
    cases.push_back(
        CaseOf("queries weighed", With(ranking, {{"sampling_method", "by_query"}, {"bagging_temperature", "1"}})));
    cases.push_back(CaseOf("both", With(With(ranking, by_query), {{"bagging_temperature", "0.5"}})));
    cases.push_back(
        CaseOf("rows weighed", {{"tree_method", method}, {"bagging_temperature", "1.5"}, {"subsample", "0.7"}}));
    cases.push_back(CaseOf(
        "classes weighed",
        {{"tree_method", method}, {"objective", "multi:softprob"}, {"num_class", "3"}, {"bagging_temperature", "1"}}));
  }
  Params const vectors{{"multi_strategy", "multi_output_tree"}, {"num_target", "3"}, {"bagging_temperature", "1"}};
  cases.push_back(CaseOf("vectors weighed", vectors));
  cases.push_back(CaseOf("vectors weighed and drawn", With(vectors, {{"subsample", "0.5"}})));
  Params const exactly{{"sampling_method", "without_replacement"}, {"subsample", "0.6"}};
  for (auto const* method : {"hist", "approx", "exact"}) {
    cases.push_back(CaseOf("an exact number", With({{"tree_method", method}}, exactly)));
    cases.push_back(CaseOf("and weighed", With({{"tree_method", method}, {"bagging_temperature", "1"}}, exactly)));
  }
  cases.push_back(CaseOf("vectors of an exact number",
                         With({{"multi_strategy", "multi_output_tree"}, {"num_target", "3"}}, exactly)));
  ExpectSameTrees(cases);
  auto const refused = CaseOf("no queries", {{"sampling_method", "by_query"}, {"subsample", "0.5"}});
  ExpectParts(ExpectSame(refused).error, {"sampling_method=by_query", "set qid or group"});
}

/// A learner that counts rows, then does not, then counts again: the data that it keeps follow.
TEST_F(HistLimits, ChangeFromTreeToTree) {
  for (auto const* method : {"hist", "approx", "exact"}) {
    for (auto const* n_targets : {"1", "3"}) {
      auto given = CaseOf("changes", {{"tree_method", method}, {"num_target", n_targets}});
      auto const is_vector = std::string(method) == "hist" && std::string(n_targets) == "3";
      if (is_vector) given.params.push_back({"multi_strategy", "multi_output_tree"});
      auto const train = [&](std::string const& device) {
        auto const data = MakeTable(given.table, KindOf(given));
        auto const learner = MakeLearner(ParamsFor(device, given.params));
        for (auto const* least : {"1", "40", "0", "40", "3", "1"}) {
          learner->SetParam("min_data_in_leaf", least);
          learner->SetParam("extra_trees", least[0] == '3' ? "1" : "0");
          BoostRounds(given, data, learner.get());
        }
        return OutcomeOf(learner.get(), data);
      };
      EXPECT_TRUE(SameOutcome(train("cpu"), train(kDevice))) << Text(given);
    }
  }
}

}  // namespace
}  // namespace kauri::testing
