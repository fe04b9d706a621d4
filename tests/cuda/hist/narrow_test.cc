/// Features with few codes, each of which one thread searches for splits, alone and together with other features. Tests
/// conditions on splits besides their gain, and the sums that must be completed for bundles and missing values.
#include "hist/hist_fixture.h"

namespace kauri::testing {
namespace {

using HistNarrow = HistDeviceTest;

HistCase Narrow(Values values, Params const& params = {}, std::int64_t n_cols = 200) {
  HistCase given;
  given.name = "narrow features";
  given.table.n_rows = 3000;
  given.table.n_cols = n_cols;
  given.table.values = values;
  given.params = params;
  return given;
}

/// Fewer and more columns than a block has threads, bundled and not, with and without missing values.
TEST_F(HistNarrow, AnyColumns) {
  for (auto const values : {Values::kOneHot, Values::kFlags, Values::kFew, Values::kOnes}) {
    for (std::int64_t const n_cols : {63, 64, 128, 129, 700}) {
      for (auto const missing : {Missing::kNone, Missing::kMixed}) {
        for (bool const sparse : {false, true}) {
          auto given = Narrow(values, {}, n_cols);
          given.table.missing = missing;
          given.table.sparse = sparse;
          ExpectSame(given);
        }
      }
    }
  }
}

/// With two or three bins a column is narrow, unless it has missing values.
TEST_F(HistNarrow, FewBins) {
  for (auto const* bins : {"2", "3", "4", "5"}) {
    for (auto const missing : {Missing::kNone, Missing::kSome, Missing::kMixed}) {
      auto given = Narrow(Values::kNormal, {{"max_bin", bins}}, 90);
      given.table.missing = missing;
      ExpectSame(given);
    }
  }
}

TEST_F(HistNarrow, WhateverIsAskedOfSplits) {
  std::string signs = "(1";
  std::string costs = "[0.1";
  for (int column = 1; column < 200; ++column) {
    signs += column % 3 == 0 ? ",0" : column % 3 == 1 ? ",-1" : ",1";
    costs += ",0.0" + std::to_string(column % 7);
  }
  for (auto const values : {Values::kOneHot, Values::kFlags}) {
    for (Params const& params :
         {Params{{"monotone_constraints", signs + ")"}}, Params{{"feature_cost", costs + "]"}},
          Params{{"colsample_bynode", "0.5"}, {"colsample_bytree", "0.7"}},
          Params{{"grow_policy", "lossguide"}, {"max_leaves", "40"}, {"max_depth", "0"}}, Params{{"extra_trees", "1"}},
          Params{{"min_data_in_leaf", "9"}}, Params{{"random_strength", "1"}},
          Params{{"alpha", "0.5"}, {"max_delta_step", "0.3"}}, Params{{"min_child_weight", "12"}}}) {
      auto given = Narrow(values, params);
      given.table.missing = Missing::kMixed;
      ExpectSame(given);
    }
  }
}

}  // namespace
}  // namespace kauri::testing
