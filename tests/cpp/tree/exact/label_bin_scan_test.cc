/// \file Splits of the exact method by label bins, compared with the errors of the best constants by the definition.
#include "tree/exact/label_bin_scan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/random_matrix.h"
#include "tree/absolute_error/naive_errors.h"
#include "tree/exact/exact_builder.h"

namespace kauri {
namespace {

using testing::NaiveGain;
using testing::Random;
using testing::Rows;

constexpr auto kMissing = std::numeric_limits<float>::quiet_NaN();

/// Returns fewer rows, because the definition loops over all rows for every boundary.
Rows MakeRows(int kind, double missing, std::uint64_t seed) {
  auto rows = testing::MakeRows(kind, missing, seed);
  rows.residuals.resize(500);
  rows.values.resize(500 * 3);
  return rows;
}

struct Grown {
  Tree tree;
  std::vector<std::int32_t> leaf_of_row;
};

TreeParam StumpParam() {
  TreeParam param;
  param.Init(std::vector<std::pair<std::string, std::string>>{});
  param.split_criterion = TreeParam::kAbsoluteError;
  param.max_depth = 1;
  param.min_child_weight = 0.0F;
  return param;
}

/// Grows twice with one state: state left by a tree must not affect the next one.
Grown Grow(Rows const& rows, TreeParam const& param = StumpParam(), int threads = 1) {
  Context ctx;
  ctx.threads = threads;
  auto const data = testing::MakeMatrix(rows.values, rows.n_cols, rows.sparse);
  ExactBuilder const builder(param);
  auto const state = builder.MakeState(ctx, *data);
  std::vector<FixedPair> const pairs(rows.residuals.size(), {1, 1});
  TreeTask task;
  task.gradients = {pairs, {}};
  task.errors = rows.Errors();
  Grown grown;
  grown.leaf_of_row.resize(pairs.size());
  for (int i = 0; i < 2; ++i) grown.tree = builder.Build(ctx, *data, task, state.get(), grown.leaf_of_row);
  return grown;
}

/// Returns the rows that reach a node.
Rows RowsOf(Rows const& rows, Tree const& tree, std::int32_t node) {
  auto chosen = rows;
  chosen.values.clear();
  chosen.residuals.clear();
  chosen.weights.clear();
  for (std::size_t row = 0; row < rows.residuals.size(); ++row) {
    auto const* const values = rows.values.data() + row * static_cast<std::size_t>(rows.n_cols);
    std::int32_t at = 0;
    while (at < node && tree.left[at] != kNoNode) {
      auto const value = values[tree.split_feature[at]];
      auto const goes_left = std::isnan(value) ? tree.default_left[at] != 0 : value < tree.split_value[at];
      at = tree.left[at] + (goes_left ? 0 : 1);
    }
    if (at != node) continue;
    chosen.values.insert(chosen.values.end(), values, values + rows.n_cols);
    chosen.residuals.push_back(rows.residuals[row]);
    if (!rows.weights.empty()) chosen.weights.push_back(rows.weights[row]);
  }
  return chosen;
}

/// Returns the largest gain over all boundaries between two values of all features, with missing rows on either side or
/// alone.
double LargestGain(Rows const& rows) {
  auto largest = 0.0;
  for (std::uint32_t feature = 0; feature < static_cast<std::uint32_t>(rows.n_cols); ++feature) {
    std::set<float> thresholds{std::numeric_limits<float>::infinity()};
    for (std::size_t row = 0; row < rows.residuals.size(); ++row) {
      auto const value = rows.values[row * static_cast<std::size_t>(rows.n_cols) + feature];
      if (!std::isnan(value)) thresholds.insert(value);
    }
    for (auto const threshold : thresholds) {
      for (auto const default_left : {false, true})
        largest = std::max(largest, NaiveGain(rows, feature, threshold, default_left));
    }
  }
  return largest;
}

/// Returns the gain of a node's split by the definition.
double GainOf(Rows const& rows, Tree const& tree, std::int32_t node) {
  return NaiveGain(rows, tree.split_feature[node], tree.split_value[node], tree.default_left[node] != 0);
}

TEST(LabelBinScan, LosesLittleOfWhatAnyPlaceGains) {
  for (int kind = 0; kind < 3; ++kind) {
    for (auto const missing : {0.0, 0.2}) {
      auto rows = MakeRows(kind, missing, 5);
      rows.sparse = missing > 0.0 && kind == 1;
      auto param = StumpParam();
      param.max_depth = 2;
      auto const tree = Grow(rows, param).tree;
      ASSERT_GE(tree.NumLeaves(), 3);  // a single row may be a leaf
      for (std::int32_t node = 0; node < 3; ++node) {
        if (tree.left[node] == kNoNode) continue;
        auto const of_node = RowsOf(rows, tree, node);
        auto const largest = LargestGain(of_node);
        EXPECT_GE(GainOf(of_node, tree, node), 0.99 * largest) << kind << " " << missing << " " << node;
        EXPECT_NEAR(tree.loss_change[node], largest, 0.2 * largest);
      }
    }
  }
}

TEST(LabelBinScan, QuantilesHaveSlopesOfTheirOwn) {
  for (auto const alpha : {0.1, 0.9}) {
    auto rows = MakeRows(0, 0.0, 7);
    rows.above = alpha;
    rows.below = 1.0 - alpha;
    EXPECT_GE(GainOf(rows, Grow(rows).tree, 0), 0.95 * LargestGain(rows)) << alpha;
  }
}

/// Tests the same stump as testing::ExpectTheStumpOfTenPoints, at the midpoint.
TEST(LabelBinScan, AStumpOnTenPointsByHand) {
  Rows rows;
  rows.values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  rows.residuals = {0, 0, 0, 0, 10, 10, 10, 10, 11, 19};
  auto const grown = Grow(rows);
  EXPECT_EQ(grown.tree.split_value[0], 4.5F);
  EXPECT_EQ(grown.tree.loss_change[0], 40.0F);
  EXPECT_TRUE(grown.tree.default_left[0] != 0);  // the default of columns without missing values
  EXPECT_EQ(grown.leaf_of_row, (std::vector<std::int32_t>{1, 1, 1, 1, 2, 2, 2, 2, 2, 2}));
}

TEST(LabelBinScan, MissingRowsGoWhereTheyFit) {
  Rows rows;
  rows.values = {1, 2, kMissing, kMissing, 3, 4};
  rows.residuals = {0, 0, 0, 0, 8, 8};
  auto const low = Grow(rows).tree;
  EXPECT_TRUE(low.default_left[0] != 0);
  EXPECT_EQ(low.split_value[0], 2.5F);
  rows.residuals = {0, 0, 8, 8, 8, 8};
  auto const high = Grow(rows).tree;
  EXPECT_FALSE(high.default_left[0] != 0);
  EXPECT_EQ(high.split_value[0], 2.5F);
  rows.residuals = {0, 0, 8, 8, 0, 0};  // the missing rows alone
  auto const alone = Grow(rows);
  EXPECT_EQ(alone.tree.loss_change[0], 16.0F);
  EXPECT_EQ(alone.leaf_of_row[0], alone.leaf_of_row[5]);
  EXPECT_NE(alone.leaf_of_row[0], alone.leaf_of_row[2]);
  rows.values = {1, 1, kMissing, kMissing, 1, 1};  // also for a column with a single value
  EXPECT_EQ(Grow(rows).tree.loss_change[0], 16.0F);
}

TEST(LabelBinScan, WholeWeightsAreRepeatedRows) {
  auto weighted = MakeRows(2, 0.1, 3);
  Random random(1);
  auto repeated = weighted;
  repeated.values.clear();
  repeated.residuals.clear();
  for (std::size_t row = 0; row < weighted.residuals.size(); ++row) {
    auto const times = static_cast<int>(random.Below(3));
    weighted.weights.push_back(static_cast<float>(times));
    auto const values = weighted.values.begin() + static_cast<std::ptrdiff_t>(row * 3);
    for (int i = 0; i < times; ++i) {
      repeated.values.insert(repeated.values.end(), values, values + 3);
      repeated.residuals.push_back(weighted.residuals[row]);
    }
  }
  auto const largest = LargestGain(repeated);
  EXPECT_NEAR(LargestGain(weighted), largest, 1e-9 * largest);
  EXPECT_GE(GainOf(weighted, Grow(weighted).tree, 0), 0.99 * largest);
  EXPECT_GE(GainOf(repeated, Grow(repeated).tree, 0), 0.99 * largest);
}

TEST(LabelBinScan, ChildrenHaveWhatTheyMustHave) {
  auto const rows = MakeRows(2, 0.2, 4);
  auto param = StumpParam();
  param.max_depth = 6;
  for (auto const by_count : {false, true}) {
    param.min_child_weight = by_count ? 0.0F : 40.0F;
    param.min_data_in_leaf = by_count ? 40 : 0;
    auto const grown = Grow(rows, param);
    std::vector<std::int64_t> counts(grown.tree.left.size());
    for (auto const leaf : grown.leaf_of_row) ++counts[leaf];
    EXPECT_GT(grown.tree.NumLeaves(), 4);
    for (std::size_t node = 0; node < counts.size(); ++node) {
      if (grown.tree.left[node] != kNoNode) continue;
      EXPECT_GE(counts[node], 40);
    }
  }
}

TEST(LabelBinScan, ThreadsDoNotMatter) {
  auto const rows = MakeRows(1, 0.2, 6);
  auto param = StumpParam();
  param.max_depth = 6;
  auto const one = Grow(rows, param, 1);
  for (auto const threads : {2, 4}) {
    auto const more = Grow(rows, param, threads);
    EXPECT_EQ(more.leaf_of_row, one.leaf_of_row);
    EXPECT_EQ(more.tree.split_value, one.tree.split_value);
    EXPECT_EQ(more.tree.loss_change, one.tree.loss_change);
  }
}

TEST(LabelBinScan, NothingToGainIsNoSplit) {
  Rows rows;
  rows.values = {1, 2, 3, 4};
  rows.residuals = {5, 5, 5, 5};
  EXPECT_EQ(Grow(rows).tree.NumLeaves(), 1);
  rows.residuals = {1, 2, 3, 4};
  rows.weights = {0, 0, 0, 0};
  EXPECT_EQ(Grow(rows).tree.NumLeaves(), 1);
}

}  // namespace
}  // namespace kauri
