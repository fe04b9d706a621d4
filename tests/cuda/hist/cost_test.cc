/// feature_cost: costs of columns, in every tree method.
#include "hist/hist_fixture.h"

namespace kauri::testing {
namespace {

/// Returns costs of zero, above the gain of any split, below most gains, and similar to gains.
std::string CostsOf(std::int64_t n_cols, std::int64_t shift) {
  char const* const costs[] = {"0", "1e30", "2", "30", "0.01", "150"};
  std::string text;
  for (std::int64_t col = 0; col < n_cols; ++col) {
    text += (col > 0 ? "," : "(") + std::string(costs[(col + shift) % 6]);
  }
  return text + ")";
}

class HistCosts : public HistDeviceTest {
 protected:
  static HistCase Of(char const* name, Params const& params, std::int64_t n_cols = 6) {
    return CaseOf(name, params, n_cols, 4);
  }
  static void ExpectSameWithCosts(std::vector<HistCase> const& cases) {
    for (auto const& given : cases) {
      for (std::int64_t shift = 0; shift < 4; ++shift) {
        auto costly = given;
        costly.params = With(given.params, {{"feature_cost", CostsOf(given.table.n_cols, shift)}});
        EXPECT_EQ(ExpectSame(costly).error, "");
      }
    }
  }
};

TEST_F(HistCosts, Growth) {
  ExpectSameWithCosts({Of("by levels", {}), Of("deep", {{"max_depth", "12"}, {"min_child_weight", "0"}}),
                       Of("by gain", {{"grow_policy", "lossguide"}, {"max_leaves", "30"}, {"max_depth", "0"}}),
                       Of("gamma", {{"gamma", "2"}}), Of("alpha", {{"alpha", "0.5"}}),
                       Of("steps", {{"max_delta_step", "0.4"}}), Of("rows", {{"min_data_in_leaf", "20"}}),
                       Of("draws", {{"extra_trees", "1"}})});
}

TEST_F(HistCosts, StorageAndCategories) {
  std::vector<HistCase> cases;
  for (auto const sparse : {false, true}) {
    cases.push_back(Of("many bins", {{"max_bin", "1000"}}, 9));
    cases.back().table.sparse = sparse;
    cases.push_back(Of("bundles", {}, 40));
    cases.back().table.values = Values::kOneHot;
    cases.back().table.missing = Missing::kNone;
    cases.back().table.sparse = sparse;
  }
  for (auto const* method : {"hist", "approx", "exact"}) {
    for (auto const* to_onehot : {"1", "1000"}) {
      cases.push_back(Of("categories", {{"tree_method", method}, {"max_cat_to_onehot", to_onehot}}));
      cases.back().table.levels = {3, 40, 300};
    }
  }
  ExpectSameWithCosts(cases);
}

TEST_F(HistCosts, SamplingAndConstraints) {
  ExpectSameWithCosts({Of("rows", {{"subsample", "0.5"}}),
                       Of("columns", {{"colsample_bynode", "0.5"}, {"colsample_bytree", "0.7"}}),
                       Of("monotone", {{"monotone_constraints", "(1,-1,1)"}}),
                       Of("interaction", {{"interaction_constraints", "[[0,1],[2,3]]"}}),
                       Of("forest", {{"num_parallel_tree", "3"}, {"subsample", "0.7"}}),
                       Of("classes", {{"objective", "multi:softprob"}, {"num_class", "3"}}),
                       Of("dart", {{"booster", "dart"}, {"rate_drop", "0.5"}})});
}

TEST_F(HistCosts, VectorLeaves) {
  Params const vectors{{"multi_strategy", "multi_output_tree"}, {"max_depth", "5"}};
  auto const with = [&](Params const& params) { return Of("vectors", With(vectors, params)); };
  auto categories = with({{"num_target", "3"}});
  categories.table.levels = {3, 40};
  ExpectSameWithCosts({with({{"num_target", "2"}}), with({{"num_target", "17"}}),
                       with({{"objective", "multi:softprob"}, {"num_class", "20"}}),
                       with({{"num_target", "3"}, {"subsample", "0.5"}, {"grow_policy", "lossguide"}}),
                       with({{"num_target", "3"}, {"monotone_constraints", "(1,-1)"}}), categories});
}

TEST_F(HistCosts, Exact) {
  std::vector<HistCase> cases;
  for (auto const missing : {Missing::kNone, Missing::kSome, Missing::kMixed}) {
    for (auto const values : {Values::kNormal, Values::kFew, Values::kFlags}) {
      cases.push_back(Of("exact", {{"tree_method", "exact"}}));
      cases.back().table.missing = missing;
      cases.back().table.values = values;
      cases.back().table.n_rows = 2500;
      cases.push_back(cases.back());
      cases.back().params = With(cases.back().params, {{"subsample", "0.4"}, {"max_depth", "11"}});
      cases.push_back(cases.back());
      cases.back().params = With(cases.back().params, {{"gamma", "1"}, {"min_data_in_leaf", "9"}});
      cases.back().table.sparse = true;
    }
  }
  cases.push_back(Of("many rows", {{"tree_method", "exact"}, {"max_depth", "8"}}, 3));
  cases.back().table.n_rows = 20000;
  cases.push_back(Of("approx", {{"tree_method", "approx"}}));
  ExpectSameWithCosts(cases);
}

/// Costs have their effect: the trees differ from trees without costs, and have no splits on columns that cost too
/// much.
TEST_F(HistCosts, KeepColumnsOut) {
  for (auto const* method : {"hist", "approx", "exact"}) {
    auto const free = Of("costs", {{"tree_method", method}}, 3);
    auto costly = free;
    costly.params = With(free.params, {{"feature_cost", "(1e30,0,5)"}});
    auto const without = ExpectSame(free).model;
    auto const with = ExpectSame(costly).model;
    auto const uses = [](Model const& model, std::uint32_t feature) {
      return std::any_of(model.trees.begin(), model.trees.end(), [&](Tree const& tree) {
        for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
          if (!tree.IsLeaf(node) && tree.split_feature[node] == feature) return true;
        }
        return false;
      });
    };
    EXPECT_TRUE(uses(without, 0));
    EXPECT_FALSE(uses(with, 0));
    EXPECT_TRUE(uses(with, 1));
  }
}

/// Costs that nearly overflow float32, and costs of columns that do not exist.
TEST_F(HistCosts, LargestAndWrong) {
  for (auto const* method : {"hist", "exact"}) {
    auto const costs = [&](char const* text) {
      return Of("costs", {{"tree_method", method}, {"feature_cost", text}}, 3);
    };
    EXPECT_EQ(ExpectSame(costs("(3.4e38,0,3.4e38)")).error, "");
    ExpectParts(ExpectSame(costs("(1,2)")).error, {"feature_cost has 2 values, the data have 3 features"});
  }
}

}  // namespace
}  // namespace kauri::testing
