/// gradient_bits: the device rounds pairs as the host does, adds them up as two bytes, and renews leaf values from sums
/// of pairs that are not rounded. Models have the bytes of the CPU's in every way of growing a tree.
#include "cuda/tree/cut_rows.h"
#include "hist/hist_fixture.h"
#include "support/many_devices.h"

namespace kauri::testing {
namespace {

using RoundedOnDevice = HistDeviceTest;

void ExpectSameWithBits(HistCase given, std::vector<char const*> const& bits = {"8", "4"}) {
  auto const params = given.params;
  for (auto const* number : bits) {
    given.params = With(params, {{"gradient_bits", number}});
    ExpectSame(given);
  }
}

TEST_F(RoundedOnDevice, AnyNumberOfRowsAndColumns) {
  for (std::int64_t const n_rows : {1, 2, 31, 33, 900, 6000, 140001}) {
    ExpectSameWithBits(CaseOf("rows", n_rows, 6, {{"objective", "binary:logistic"}}));
  }
  for (std::int64_t const n_cols : {1, 4, 5, 8, 9, 16, 17, 28, 32, 33, 70}) {
    ExpectSameWithBits(CaseOf("columns", 20000, n_cols, {{"max_depth", "7"}}));
  }
}

/// The leaves of up to 12,288 nodes are summed in shared memory, by more threads from 1,025 nodes on. The leaves of
/// larger trees are summed in the device's memory.
TEST_F(RoundedOnDevice, AnyDepth) {
  for (auto const* depth : {"1", "3", "6", "9", "12", "16"}) {
    ExpectSameWithBits(CaseOf("depth", 60000, 9, {{"max_depth", depth}, {"min_child_weight", "0"}}));
  }
}

TEST_F(RoundedOnDevice, AnyColumns) {
  for (auto const* bins : {"2", "16", "256", "700"}) {
    for (bool const sparse : {false, true}) {
      auto given = CaseOf("bins", 9000, 20, {{"max_bin", bins}, {"objective", "binary:logistic"}});
      given.table.sparse = sparse;
      ExpectSameWithBits(given);
    }
  }
  auto one_hot = CaseOf("one-hot", 4000, 300, {});
  one_hot.table.values = Values::kOneHot;
  one_hot.table.sparse = true;
  ExpectSameWithBits(one_hot);
  auto categories = CaseOf("categories", 7000, 6, {{"max_cat_to_onehot", "5"}});
  categories.table.levels = {3, 40, 300};
  ExpectSameWithBits(categories);
  categories.params.emplace_back("cat_l2", "2");
  ExpectSameWithBits(categories);
}

TEST_F(RoundedOnDevice, WhatIsAskedOfTrees) {
  for (Params const& params : {Params{{"grow_policy", "lossguide"}, {"max_leaves", "30"}, {"max_depth", "0"}},
                               Params{{"grow_policy", "symmetric"}},
                               Params{{"max_leaves", "9"}},
                               Params{{"gamma", "3"}},
                               Params{{"min_child_weight", "30"}},
                               Params{{"alpha", "1"}, {"lambda", "0"}},
                               Params{{"max_delta_step", "0.2"}},
                               Params{{"path_smooth", "3"}},
                               Params{{"monotone_constraints", "(1,-1)"}},
                               Params{{"subsample", "0.5"}},
                               Params{{"subsample", "0.4"}, {"sampling_method", "gradient_based"}},
                               Params{{"subsample", "0.4"}, {"sampling_method", "without_replacement"}},
                               Params{{"bagging_temperature", "1"}},
                               Params{{"colsample_bytree", "0.5"}},
                               Params{{"colsample_bynode", "0.5"}},
                               Params{{"min_data_in_leaf", "40"}},
                               Params{{"extra_trees", "1"}},
                               Params{{"random_strength", "2"}},
                               Params{{"num_parallel_tree", "3"}},
                               Params{{"booster", "dart"}, {"rate_drop", "0.5"}},
                               Params{{"seed", "9"}}}) {
    for (std::int64_t const n_rows : {700, 9000}) {
      ExpectSameWithBits(CaseOf("asked", n_rows, 6, With({{"objective", "binary:logistic"}}, params), 3));
    }
  }
}

/// The trees of a round grow together, or one by one.
TEST_F(RoundedOnDevice, SeveralOutputs) {
  for (Params const& params :
       {Params{}, Params{{"num_parallel_tree", "2"}}, Params{{"subsample", "0.5"}}, Params{{"max_depth", "11"}}}) {
    ExpectSameWithBits(
        CaseOf("classes", 5000, 9,
               With({{"objective", "multi:softprob"}, {"num_class", "5"}, {"min_child_weight", "0"}}, params), 3));
  }
  ExpectSameWithBits(CaseOf("targets", 3000, 6, {{"num_target", "4"}}));
}

TEST_F(RoundedOnDevice, PairsOfACaller) {
  for (auto const kind : {Gradients::kNormal, Gradients::kZero, Gradients::kFewRows, Gradients::kHalfNegative,
                          Gradients::kConstant, Gradients::kCoarse}) {
    for (std::int64_t const n_rows : {600, 8000}) {
      auto given = CaseOf("pairs", n_rows, 8, {});
      given.gradients = kind;
      ExpectSameWithBits(given);
    }
  }
}

TEST_F(RoundedOnDevice, SeveralDevices) {
  KAURI_SKIP_UNLESS(NumDevices() >= 2, "one CUDA device");
  auto given = CaseOf("devices", 2 * cuda::kFewestRowsOfShard + 77, 9, {{"objective", "binary:logistic"}});
  for (Params const& params : {Params{}, Params{{"subsample", "0.6"}}, Params{{"grow_policy", "lossguide"}}}) {
    for (auto const* bits : {"8", "4"}) {
      given.params = With(With({{"objective", "binary:logistic"}}, params), {{"gradient_bits", bits}});
      auto const cpu = TrainOn("cpu", given);
      EXPECT_TRUE(SameOutcome(cpu, TrainOn("cuda:0,1", given))) << Text(given);
    }
  }
}

}  // namespace
}  // namespace kauri::testing
