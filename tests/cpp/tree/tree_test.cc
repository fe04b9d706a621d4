#include "kauri/tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "kauri/error.h"
#include "tree/growth/tree_common.h"

namespace kauri {
namespace {

/// Returns 0 -> (1, 2), 2 -> (3, 4): two features, leaves 1, 3, 4.
Tree MakeTree() {
  Tree tree;
  tree.ExpandNode(0, {1, 0.5F, true, 3.0F});
  tree.SetNodeStatistics(0, 0.25F, 10.0F);
  tree.ExpandNode(2, {0, -1.0F, false, 2.0F});
  for (std::int32_t node = 1; node < 5; ++node) {
    tree.SetNodeStatistics(node, static_cast<float>(node), static_cast<float>(10 - node));
    if (tree.IsLeaf(node)) tree.SetLeafValue(node, 0.5F * static_cast<float>(node));
  }
  return tree;
}

TEST(Tree, StartsAsOneLeaf) {
  Tree const tree;
  EXPECT_EQ(tree.NumNodes(), 1);
  EXPECT_EQ(tree.NumLeaves(), 1);
  EXPECT_EQ(tree.MaxDepth(), 0);
  EXPECT_TRUE(tree.IsLeaf(0));
  EXPECT_TRUE(tree.CategoriesOf(0).empty());
  EXPECT_NO_THROW(tree.Validate(0));
}

TEST(Tree, ExpandAppendsTwoLeaves) {
  auto const tree = MakeTree();
  EXPECT_EQ(tree.left, (std::vector<std::int32_t>{1, -1, 3, -1, -1}));
  EXPECT_EQ(tree.right, (std::vector<std::int32_t>{2, -1, 4, -1, -1}));
  EXPECT_EQ(tree.parent, (std::vector<std::int32_t>{-1, 0, 0, 2, 2}));
  EXPECT_EQ(tree.split_feature[0], 1U);
  EXPECT_EQ(tree.default_left, (std::vector<std::uint8_t>{1, 0, 0, 0, 0}));
  EXPECT_EQ(tree.NumLeaves(), 3);
  EXPECT_EQ(tree.MaxDepth(), 2);
  EXPECT_NO_THROW(tree.Validate(2));
}

TEST(Tree, ExpandRefusesInnerAndUnknownNodes) {
  auto tree = MakeTree();
  for (std::int32_t const node : {0, 2, -1, 5}) EXPECT_THROW(tree.ExpandNode(node, {}), Error) << node;
}

struct Damage {
  char const* what;  ///< part of the message
  std::function<void(Tree*)> apply;
};

TEST(Tree, ValidateNamesTheDamage) {
  auto const nan = std::numeric_limits<float>::quiet_NaN();
  auto const inf = std::numeric_limits<float>::infinity();
  std::vector<Damage> const damages{
      {"0 nodes", [](Tree* t) { t->left.clear(); }},
      {"'right' has 4", [](Tree* t) { t->right.pop_back(); }},
      {"'parent' has 6", [](Tree* t) { t->parent.push_back(0); }},
      {"'split_feature' has 4", [](Tree* t) { t->split_feature.pop_back(); }},
      {"'split_value' has 0", [](Tree* t) { t->split_value.clear(); }},
      {"'default_left' has 4", [](Tree* t) { t->default_left.pop_back(); }},
      {"'is_categorical' has 4", [](Tree* t) { t->is_categorical.pop_back(); }},
      {"'base_weight' has 4", [](Tree* t) { t->base_weight.pop_back(); }},
      {"'loss_change' has 4", [](Tree* t) { t->loss_change.pop_back(); }},
      {"'sum_hessian' has 4", [](Tree* t) { t->sum_hessian.pop_back(); }},
      {"'category_begin' has 0", [](Tree* t) { t->categories.push_back(1); }},
      {"has child 0", [](Tree* t) { t->left[2] = 0; }},
      {"has child 2", [](Tree* t) { t->left[2] = 2; }},
      {"has child 5", [](Tree* t) { t->right[2] = 5; }},
      {"has child -7", [](Tree* t) { t->right[2] = -7; }},
      {"has child -1", [](Tree* t) { t->right[0] = -1; }},
      {"names 2 as its parent", [](Tree* t) { t->left[0] = 3; }},
      {"names 1 as its parent", [](Tree* t) { t->parent[3] = 1; }},
      {"as both of its children", [](Tree* t) { t->right[2] = 3; }},
      {"can be reached", [](Tree* t) { t->left[2] = t->right[2] = -1; }},
      {"no left one", [](Tree* t) { t->left[2] = -1; }},
      {"the root names 3", [](Tree* t) { t->parent[0] = 3; }},
      {"splits on feature 2", [](Tree* t) { t->split_feature[2] = 2; }},
      {"splits on feature 4294967295", [](Tree* t) { t->split_feature[0] = 0xFFFFFFFFU; }},
      {"threshold nan", [nan](Tree* t) { t->split_value[2] = nan; }},
      {"threshold inf", [inf](Tree* t) { t->split_value[0] = inf; }},
      {"leaf 4 has value nan", [nan](Tree* t) { t->split_value[4] = nan; }},
      {"leaf 1 has value -inf", [inf](Tree* t) { t->split_value[1] = -inf; }},
      {"stores no category sets", [](Tree* t) { t->is_categorical[0] = 1; }},
  };
  for (auto const& damage : damages) {
    auto tree = MakeTree();
    damage.apply(&tree);
    try {
      tree.Validate(2);
      ADD_FAILURE() << damage.what << ": accepted";
    } catch (Error const& error) {
      EXPECT_EQ(error.Kind(), ErrorKind::kModel);
      EXPECT_NE(std::string(error.what()).find(damage.what), std::string::npos) << error.what();
    }
  }
}

Tree MakeCategorical(std::int64_t begin, std::int64_t count, std::vector<std::int32_t> const& categories) {
  auto tree = MakeTree();
  tree.category_begin.assign(5, 0);
  tree.category_count.assign(5, 0);
  tree.is_categorical[2] = 1;
  tree.split_value[2] = std::numeric_limits<float>::quiet_NaN();  // as in older files
  tree.category_begin[2] = begin;
  tree.category_count[2] = count;
  tree.categories = categories;
  return tree;
}

TEST(Tree, CategoricalSplits) {
  auto const tree = MakeCategorical(1, 2, {9, 3, 5});
  EXPECT_NO_THROW(tree.Validate(2));
  auto const categories = tree.CategoriesOf(2);
  EXPECT_EQ(std::vector<std::int32_t>(categories.begin(), categories.end()), (std::vector<std::int32_t>{3, 5}));
  EXPECT_TRUE(tree.CategoriesOf(0).empty());
  auto const max = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(MakeCategorical(2, 2, {9, 3, 5}).Validate(2), Error);
  EXPECT_THROW(MakeCategorical(-1, 2, {9, 3, 5}).Validate(2), Error);
  EXPECT_THROW(MakeCategorical(1, -1, {9, 3, 5}).Validate(2), Error);
  EXPECT_THROW(MakeCategorical(max, max, {9, 3, 5}).Validate(2), Error);
  EXPECT_THROW(MakeCategorical(0, 2, {9, 3, 5}).Validate(2), Error);
  EXPECT_THROW(MakeCategorical(0, 2, {3, 3, 5}).Validate(2), Error);
  EXPECT_THROW(MakeCategorical(0, 2, {-3, 3, 5}).Validate(2), Error);
}

TEST(Tree, PruneWorksUpwardsAndRenumbers) {
  // 0 -> (1, 2); 1 -> (3, 4) weak; 2 -> (5, 6) strong; 4 -> (7, 8) weak.
  Tree tree;
  tree.ExpandNode(0, {0, 0.0F, false, 0.1F});
  tree.ExpandNode(1, {1, 1.0F, true, 0.5F});
  tree.ExpandNode(2, {2, 2.0F, true, 5.0F});
  tree.ExpandNode(4, {3, 3.0F, false, 0.9F});
  for (std::int32_t node = 0; node < 9; ++node) tree.SetNodeStatistics(node, static_cast<float>(node), 1.0F);
  auto const new_id = PruneTree(1.0F, 0.5F, &tree);
  EXPECT_EQ(new_id, (std::vector<std::int32_t>{0, 1, 2, 1, 1, 3, 4, 1, 1}));
  EXPECT_NO_THROW(tree.Validate(4));
  EXPECT_EQ(tree.left, (std::vector<std::int32_t>{1, -1, 3, -1, -1}));  // a weak root with a strong child stays
  EXPECT_EQ(tree.split_value[1], 0.5F);
  EXPECT_EQ(tree.base_weight, (std::vector<float>{0.0F, 1.0F, 2.0F, 5.0F, 6.0F}));
  EXPECT_EQ(tree.loss_change, (std::vector<float>{0.1F, 0.0F, 5.0F, 0.0F, 0.0F}));
}

TEST(Tree, PruneKeepsASplitWithExactlyGamma) {
  for (float const gamma : {1.0F, 1.0000001F}) {
    Tree tree;
    tree.ExpandNode(0, {0, 0.0F, false, 1.0F});
    PruneTree(gamma, 1.0F, &tree);
    EXPECT_EQ(tree.NumNodes(), gamma == 1.0F ? 3 : 1);
  }
}

}  // namespace
}  // namespace kauri
