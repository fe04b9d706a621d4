/// Categorical columns: one category against the others, and sets of categories.
#include "hist/hist_fixture.h"

namespace kauri::testing {
namespace {

using HistCategories = HistDeviceTest;

HistCase Of(std::vector<std::uint32_t> levels, Missing missing, Params const& params = {}) {
  HistCase given;
  given.name = "categories";
  given.table.n_rows = 3000;
  given.table.n_cols = static_cast<std::int64_t>(levels.size()) + 2;
  given.table.levels = std::move(levels);
  given.table.missing = missing;
  given.params = params;
  return given;
}

TEST_F(HistCategories, NumbersOfLevels) {
  for (std::uint32_t const n_levels : {1U, 2U, 3U, 4U, 5U, 31U, 32U, 33U, 64U, 65U, 255U, 256U, 257U, 300U, 1000U}) {
    for (auto const missing : {Missing::kNone, Missing::kSome}) {
      ExpectSameTrees({Of({n_levels}, missing), Of({n_levels, 3}, missing, {{"grow_policy", "lossguide"}})});
    }
  }
}

/// A level tests one category against the others.
TEST_F(HistCategories, SymmetricTrees) {
  Params const symmetric{{"grow_policy", "symmetric"}};
  std::vector<Params> const choices{{},
                                    {{"max_depth", "9"}, {"min_child_weight", "0"}},
                                    {{"cat_l2", "8"}, {"max_delta_step", "0.4"}},
                                    {{"min_data_in_leaf", "25"}},
                                    {{"random_strength", "2"}, {"feature_cost", "(2,0,1,5,0)"}},
                                    {{"subsample", "0.5"}, {"colsample_bynode", "0.6"}},
                                    {{"monotone_constraints", "(1,-1)"}, {"min_data_in_leaf", "4"}},
                                    {{"objective", "multi:softprob"}, {"num_class", "3"}}};
  for (auto const missing : {Missing::kNone, Missing::kSome, Missing::kMixed}) {
    for (auto const& params : choices) {
      auto given = Of({2, 12, 300}, missing, With(symmetric, params));
      ExpectSameTrees({given});
      given.table.sparse = true;
      ExpectSameTrees({given});
    }
    for (std::uint32_t const n_levels : {1U, 31U, 33U, 255U, 257U, 1000U}) {
      ExpectSameTrees({Of({n_levels}, missing, symmetric)});
    }
  }
}

TEST_F(HistCategories, OnlyCategories) {
  for (auto const missing : {Missing::kNone, Missing::kSome, Missing::kMixed}) {
    auto given = Of({2, 7, 40, 300}, missing, {{"max_depth", "8"}});
    given.table.n_cols = 4;
    ExpectSameTrees({given});
  }
}

/// Parameters for the number of categories from which sets are searched, and for their size.
TEST_F(HistCategories, OneAgainstTheOthersAndSets) {
  for (auto const* to_onehot : {"1", "4", "10", "1001"}) {
    for (auto const* threshold : {"1", "2", "5", "64", "2000"}) {
      ExpectSameTrees({Of({3, 9, 10, 11, 400}, Missing::kSome,
                          {{"max_cat_to_onehot", to_onehot}, {"max_cat_threshold", threshold}})});
    }
  }
}

TEST_F(HistCategories, WithOtherParameters) {
  std::vector<Params> const choices{{{"max_depth", "12"}, {"min_child_weight", "0"}},
                                    {{"max_bin", "16"}},
                                    {{"max_bin", "1024"}},
                                    {{"grow_policy", "lossguide"}, {"max_leaves", "30"}, {"max_depth", "0"}},
                                    {{"gamma", "2"}, {"alpha", "0.5"}, {"lambda", "3"}, {"max_delta_step", "0.5"}},
                                    {{"subsample", "0.5"}, {"colsample_bynode", "0.6"}},
                                    {{"subsample", "0.3"}, {"sampling_method", "gradient_based"}},
                                    {{"interaction_constraints", "[[0,2,3],[1,4]]"}},
                                    {{"monotone_constraints", "(1,-1)"}},
                                    {{"objective", "multi:softprob"}, {"num_class", "3"}},
                                    {{"num_parallel_tree", "3"}, {"subsample", "0.7"}}};
  for (auto const& params : choices) ExpectSameTrees({Of({2, 12, 200}, Missing::kSome, params)});
}

/// Categories tie if hessians are few: the order of their codes decides.
TEST_F(HistCategories, Ties) {
  for (auto const kind : {Gradients::kCoarse, Gradients::kConstant, Gradients::kHalfNegative, Gradients::kFewRows}) {
    auto given = Of({4, 30, 500}, Missing::kSome, {{"min_child_weight", "0"}, {"lambda", "500"}});
    given.gradients = kind;
    given.table.n_rows = 900;
    ExpectSameTrees({given});
  }
}

/// A monotone constraint on a category is refused with the same message.
TEST_F(HistCategories, MonotoneCategoriesAreRefused) {
  EXPECT_NE(ExpectSame(Of({5}, Missing::kNone, {{"monotone_constraints", "(0,0,1)"}})).error, "");
}

TEST_F(HistCategories, SparseRows) {
  for (auto const missing : {Missing::kSome, Missing::kMixed}) {
    auto given = Of({3, 20, 300}, missing);
    given.table.sparse = true;
    given.table.n_cols = 20;
    ExpectSameTrees({given});
  }
}

}  // namespace
}  // namespace kauri::testing
