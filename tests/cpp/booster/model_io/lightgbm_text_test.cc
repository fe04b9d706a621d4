/// LightGBM's text models: a small one worked through by hand, its mirror image in what is refused, and damage of every
/// kind, which is refused with an Error or read, without other effects (run under sanitizers).
#include <cmath>
#include <functional>
#include <limits>

#include "booster/model_io/model_fixture.h"

namespace kauri {
namespace {

using testing::LeafValue;
using testing::Parse;
using testing::Refusal;

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

// Column 0 is a number, column 1 a category with the names "b", "a", "d", column 2 an ordered category with the names
// 10, 20, 30. The root of tree 0 asks for x0 <= 1.5, missing values to the right; its left child for the categories 0
// and 2 of column 1. Tree 1 asks for code 0 of column 2.
constexpr char const* kText =
    "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=2\n"
    "objective=binary sigmoid:2\nfeature_names=size colour grade\nfeature_infos=[0:9] -1:0:1:2 [0:2]\n"
    "tree_sizes=500 300\n\n"
    "Tree=0\nnum_leaves=3\nnum_cat=1\nsplit_feature=0 1\nsplit_gain=3 2\nthreshold=1.5 0\ndecision_type=8 1\n"
    "left_child=1 -1\nright_child=-2 -3\nleaf_value=0.25 0.5 1\nleaf_weight=1 1 1\nleaf_count=4 5 6\n"
    "internal_value=0 0\ninternal_count=15 10\ncat_boundaries=0 1\ncat_threshold=5\nis_linear=0\nshrinkage=0.1\n\n\n"
    "Tree=1\nnum_leaves=2\nnum_cat=0\nsplit_feature=2\nthreshold=0.5\ndecision_type=10\nleft_child=-1\n"
    "right_child=-2\nleaf_value=-1 2\nleaf_count=7 8\ninternal_count=15\nis_linear=0\nshrinkage=0.1\n\n\n"
    "end of trees\n\nfeature_importances:\nsize=1\n\nparameters:\n[boosting: gbdt]\nend of parameters\n\n"
    "pandas_categorical:[[\"b\", \"a\", \"d\"], [10, 20, 30]]\n";

std::string With(std::string const& old, std::string const& changed) {
  std::string text = kText;
  auto const at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), changed);
}

void ExpectSays(std::string const& text, std::string const& what) {
  auto const message = Refusal(text);
  EXPECT_NE(message.find(what), std::string::npos) << message;
}

TEST(LightGbmText, TheExampleIsReadAsWorkedOutByHand) {
  auto const model = Parse(kText);
  EXPECT_EQ(model.objective, "binary:logistic");
  EXPECT_EQ(model.base_score, std::vector<float>{0.5F});
  EXPECT_EQ(model.n_features, 3);
  EXPECT_EQ(model.NumIterations(), 2);
  EXPECT_EQ(model.feature_names, (std::vector<std::string>{"size", "colour", "grade"}));
  EXPECT_EQ(model.feature_types, (std::vector<std::string>{"q", "c", "c"}));
  EXPECT_EQ(model.categories.names[1].texts, (std::vector<std::string>{"b", "a", "d"}));
  EXPECT_EQ(model.categories.names[2].numbers, (std::vector<std::int64_t>{10, 20, 30}));
  auto const& first = model.trees[0];
  EXPECT_EQ(LeafValue(first, {std::nextafter(1.5F, 2.0F), 0, 0}), 1.0F);  // leaf values are multiplied by sigmoid
  EXPECT_EQ(LeafValue(first, {kNone, 0, 0}), 1.0F);
  EXPECT_EQ(LeafValue(first, {1.5F, 0, 0}), 0.5F);
  EXPECT_EQ(LeafValue(first, {1.5F, 2, 0}), 0.5F);
  EXPECT_EQ(LeafValue(first, {1.5F, 1, 0}), 2.0F);
  EXPECT_EQ(LeafValue(first, {1.5F, 7, 0}), 2.0F);
  EXPECT_EQ(LeafValue(first, {1.5F, kNone, 0}), 2.0F);
  auto const& second = model.trees[1];
  EXPECT_EQ(LeafValue(second, {0, 0, 0}), -2.0F);
  EXPECT_EQ(LeafValue(second, {0, 0, 2}), 4.0F);
  EXPECT_EQ(LeafValue(second, {0, 0, kNone}), -2.0F);
  EXPECT_EQ(first.sum_hessian[0], 15.0F);
}

TEST(LightGbmText, LineEndsOfOtherSystemsAreRead) {
  std::string text;
  for (char const letter : std::string(kText)) text += letter == '\n' ? std::string("\r\n") : std::string(1, letter);
  EXPECT_EQ(SerialiseModel(Parse(text), ModelFormat::kUbjson), SerialiseModel(Parse(kText), ModelFormat::kUbjson));
}

TEST(LightGbmText, LinksAndMeans) {
  EXPECT_EQ(Parse(With("binary sigmoid:2", "poisson")).base_score, std::vector<float>{1.0F});
  EXPECT_EQ(Parse(With("binary sigmoid:2", "regression_l1")).objective, "reg:squarederror");
  auto const classes = Parse(
      With("per_iteration=1", "per_iteration=2")
          .replace(With("per_iteration=1", "per_iteration=2").find("binary sigmoid:2"), 16, "multiclass num_class:2"));
  EXPECT_EQ(classes.objective, "multi:softprob");
  EXPECT_EQ(classes.NumOutputs(), 2);
  EXPECT_EQ(classes.output_of_tree, (std::vector<std::int32_t>{0, 1}));
  auto const mean = Parse(With("label_index=0", "average_output\nlabel_index=0"));
  EXPECT_EQ(LeafValue(mean.trees[1], {0, 0, 2}), 2.0F);  // 2 sigmoid / 2 rounds
}

TEST(LightGbmText, WhatHasNoCounterpartIsNamed) {
  ExpectSays(With("is_linear=0", "is_linear=1"), "linear leaves");
  ExpectSays(With("decision_type=8", "decision_type=4"), "zero_as_missing");
  ExpectSays(With("binary sigmoid:2", "regression sqrt"), "'regression sqrt' has no counterpart");
  ExpectSays(With("[10, 20, 30]", "[1.5, 20, 30]"), "no whole numbers");
  ExpectSays(With("[10, 20, 30]", "[null, 20, 30]"), "category 'null' beside others");
  ExpectSays(With("[10, 20, 30]", "[{}, \"x\", \"y\"]"), "column 2 has the category");
  ExpectSays(With("[0:9] -1", "[0:2] -1"), "does not say which columns");
}

TEST(LightGbmText, NamesOfCategoriesKeepTheirKind) {
  auto const names = [](char const* levels) { return Parse(With("[10, 20, 30]", levels)).categories.names[2]; };
  EXPECT_EQ(names("[1.0, 2.0, 9007199254740993]").numbers, (std::vector<std::int64_t>{1, 2, 9007199254740993}));
  EXPECT_EQ(names("[false, true, \"x\"]").texts, (std::vector<std::string>{"False", "True", "x"}));
  EXPECT_EQ(names("[1, \"1.5\", \"x\"]").texts, (std::vector<std::string>{"1", "1.5", "x"}));
}

TEST(LightGbmText, DamageIsNamed) {
  ExpectSays("tree\nversion=v4\n", "no line of it begins with 'Tree='");
  ExpectSays(With("num_leaves=3", "num_leaves=4"), "3 values of 'leaf_value'; expected 4");
  ExpectSays(With("leaf_value=0.25", "leaf_value=x"), "'x' in 'leaf_value'");
  ExpectSays(With("leaf_value=0.25", "leaf_value=1e39"), "no finite 32-bit number");
  ExpectSays(With("leaf_value=0.25", "leaf_value=nan"), "no finite 32-bit number");
  ExpectSays(With("split_feature=0 1", "split_feature=0 3"), "splits on column 3");
  ExpectSays(With("split_feature=0 1", "split_feature=-1 1"), "splits on column -1");
  ExpectSays(With("left_child=1 -1", "left_child=0 -1"), "");  // a cycle
  ExpectSays(With("left_child=1 -1", "left_child=1 -4"), "child -4 of node 1");
  ExpectSays(With("left_child=1 -1", "left_child=2 -1"), "child 2 of node 0");
  ExpectSays(With("threshold=1.5 0", "threshold=1.5 1"), "names set 1 of categories");
  ExpectSays(With("threshold=1.5 0", "threshold=nan 0"), "");
  ExpectSays(With("decision_type=8 1", "decision_type=1 1"), "names set 1.5 of categories");
  ExpectSays(With("threshold=1.5 0\ndecision_type=8", "threshold=0 0\ndecision_type=1"), "belongs to another node");
  ExpectSays(With("cat_boundaries=0 1", "cat_boundaries=1 0"), "do not ascend");
  ExpectSays(With("cat_boundaries=0 1", "cat_boundaries=0 2"), "do not ascend");
  ExpectSays(With("max_feature_idx=2", "max_feature_idx=99999999999999999999"), "max_feature_idx='9999");
  ExpectSays(With("max_feature_idx=2", "max_feature_idx=2147483647"), "expected less than 2^31");
  ExpectSays(With("max_feature_idx=2", "max_feature_idx=3"), "4 columns and 3 names");
  ExpectSays(With("per_iteration=1", "per_iteration=3"), "2 trees and num_tree_per_iteration=3");
  ExpectSays(With("=size", "=\xFFsize"), "which is not UTF-8");
  ExpectSays(With("[[\"b\"", "[[\"b"), "no JSON");
  ExpectSays(With("[[\"b\", \"a\", \"d\"], [10, 20, 30]]", "{\"b\": 1}"), "no lists");
  ExpectSays(With("[[\"b\"", std::string(1'000'000, '[')), "no JSON");
}

TEST(LightGbmText, SplitsOnOrderedCategoriesAreBounded) {
  // Each of many splits on one column of many levels would list them all.
  std::string levels = "0";
  for (int level = 1; level < 20'000; ++level) levels += "," + std::to_string(level);
  constexpr int kSplits = 5'001;
  std::string features, thresholds, kinds, left, right, values, counts;
  for (int node = 0; node < kSplits; ++node) {
    features += "0 ";
    thresholds += "19998.5 ";
    kinds += "2 ";
    left += std::to_string(-node - 1) + " ";
    right += std::to_string(node + 1 < kSplits ? node + 1 : -kSplits - 1) + " ";
    values += "1 ";
    counts += "1 ";
  }
  ExpectSays(
      "tree\nmax_feature_idx=0\nnum_tree_per_iteration=1\nobjective=regression\nfeature_names=x\n"
      "feature_infos=[0:9]\n\nTree=0\nnum_leaves=" +
          std::to_string(kSplits + 1) + "\nsplit_feature=" + features + "\nthreshold=" + thresholds +
          "\ndecision_type=" + kinds + "\nleft_child=" + left + "\nright_child=" + right + "\nleaf_value=" + values +
          "1\nleaf_count=" + counts + "1\ninternal_count=" + counts + "\n\n\nend of trees\n\npandas_categorical:[[" +
          levels + "]]\n",
      "list more than 100000000 categories");
}

/// Returns whether the bytes are refused. A model that is read must be sound.
bool IsRefused(std::string const& bytes) {
  std::vector<char> const exact(bytes.begin(), bytes.end());  // reading past the end is found by sanitizers
  try {
    auto const model = ParseModel({exact.data(), exact.size()});
    for (auto const& tree : model.trees) tree.Validate(model.n_features);
    return false;
  } catch (Error const& error) {
    EXPECT_EQ(error.Kind(), ErrorKind::kModel) << error.what();
    return true;
  }
}

TEST(LightGbmText, EveryTruncationIsRefusedOrRead) {
  std::string const text = kText;
  int n_refused = 0;
  for (std::size_t size = 0; size < text.size(); ++size) n_refused += IsRefused(text.substr(0, size)) ? 1 : 0;
  EXPECT_GT(n_refused, static_cast<int>(text.find("shrinkage")));
}

TEST(LightGbmText, EveryBitFlipIsRefusedOrRead) {
  std::string text = kText;
  int n_refused = 0;
  for (auto& letter : text) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      auto const flip = static_cast<char>(1U << bit);
      letter = static_cast<char>(letter ^ flip);
      n_refused += IsRefused(text) ? 1 : 0;
      letter = static_cast<char>(letter ^ flip);
    }
  }
  EXPECT_GT(n_refused, static_cast<int>(text.size()));
}

TEST(LightGbmText, EveryNumberMayBeReplaced) {
  std::string const text = kText;
  int n_refused = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (std::isdigit(static_cast<unsigned char>(text[at])) == 0) continue;
    for (auto const* number :
         {"", "-1", "-2147483649", "4294967296", "1e308", "inf", "nan", "0 0", "9223372036854775807"}) {
      n_refused += IsRefused(text.substr(0, at) + number + text.substr(at + 1)) ? 1 : 0;
    }
  }
  EXPECT_GT(n_refused, 100);
}

}  // namespace
}  // namespace kauri
