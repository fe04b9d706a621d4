#include "tree/categories/category_split.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>

#include "support/random_matrix.h"
#include "tree/categories/naive_category_split.h"

namespace kauri {
namespace {

using testing::NaiveCategorySearch;
using testing::NaiveCategorySplit;
using testing::NaiveColumn;
using testing::Random;

struct Case {
  NaiveColumn column;
  GainParam gain;
  CategoryRules rules;
};

/// Returns a case of small integers, whose sums tie often.
Case RandomCase(std::uint64_t seed, std::uint32_t max_categories) {
  Random random(seed);
  Case made;
  auto const n_categories = 1 + random.Below(max_categories);
  auto const step = 1 + static_cast<std::int32_t>(random.Below(3));
  for (std::uint32_t i = 0; i < n_categories; ++i) {
    made.column.categories.push_back(static_cast<std::int32_t>(i) * step + 2);
  }
  auto const n_rows = 1 + random.Below(60);
  auto const missing = random.Below(2) == 0 ? 0.0 : 0.3;
  for (std::uint32_t row = 0; row < n_rows; ++row) {
    auto const category = made.column.categories[random.Below(n_categories)];
    auto const is_missing = random.Uniform() < missing;
    made.column.values.push_back(is_missing ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(category));
    made.column.pairs.push_back(
        {static_cast<std::int32_t>(random.Below(9)) - 4, static_cast<std::int32_t>(random.Below(4))});
  }
  made.gain.lambda = random.Below(3) * 0.5;
  made.gain.alpha = random.Below(3) == 0 ? 1.0 : 0.0;
  made.gain.max_delta_step = random.Below(3) == 0 ? 0.5 : 0.0;
  made.gain.min_child_weight = random.Below(4);
  if (random.Below(2) == 0) {
    made.gain.categories = {random.Below(3) * 1.5, random.Below(3) * 2.0, random.Below(3) * 0.5, random.Below(4) * 2.0};
  }
  made.rules.max_onehot = static_cast<std::int32_t>(1 + random.Below(8));
  made.rules.max_partition = static_cast<std::int32_t>(1 + random.Below(10));
  return made;
}

std::vector<CategoryEntry> EntriesOf(NaiveColumn const& column) {
  std::map<std::int32_t, FixedSum> sums;
  for (std::size_t row = 0; row < column.values.size(); ++row) {
    if (column.values[row] == column.values[row]) {
      sums[static_cast<std::int32_t>(column.values[row])] += column.pairs[row];
    }
  }
  std::vector<CategoryEntry> entries;
  for (std::size_t i = 0; i < column.categories.size(); ++i) {
    auto const sum = sums[column.categories[i]];
    if (!(sum == FixedSum{})) entries.push_back({static_cast<std::int32_t>(i), sum});
  }
  return entries;
}

NaiveCategorySplit Found(Case const& made) {
  CategoryNode node;
  node.n_categories = static_cast<std::int32_t>(made.column.categories.size());
  for (auto const& pair : made.column.pairs) node.total += pair;
  node.node_gain = LeafGain(node.total, made.gain);
  auto entries = EntriesOf(made.column);
  auto const best = FindCategorySplit(made.gain, made.rules, node, 0.0, &entries);
  if (!best.IsValid()) return {};
  entries = EntriesOf(made.column);
  auto const right = RightCategories(made.gain, made.rules, made.column.categories, best, &entries);
  EXPECT_TRUE(best.left + best.right == node.total);
  return {best.loss_change, best.default_left, {right.begin(), right.end()}};
}

void ExpectSame(NaiveCategorySplit const& found, NaiveCategorySplit const& expected, std::string const& what) {
  EXPECT_EQ(found.loss_change, expected.loss_change) << what;
  EXPECT_EQ(found.default_left, expected.default_left) << what;
  EXPECT_EQ(found.right, expected.right) << what;
}

TEST(CategorySplit, EqualsTheDefinition) {
  int n_splits = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    auto const made = RandomCase(seed, seed % 2 == 0 ? 6 : 40);
    NaiveCategorySearch search(made.column, made.gain);
    auto const one_hot = static_cast<int>(made.column.categories.size()) < made.rules.max_onehot;
    auto const expected = one_hot ? search.OneHot() : search.Partition(made.rules.max_partition);
    ExpectSame(Found(made), expected, "seed " + std::to_string(seed));
    n_splits += expected.right.empty() ? 0 : 1;
  }
  EXPECT_GT(n_splits, 1000);
}

/// Without regularisation no set of categories is better than the best prefix of the sorted ones (Fisher 1958).
TEST(CategorySplit, NoSetIsBetterWithoutRegularisation) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    auto made = RandomCase(seed, 7);
    for (auto& pair : made.column.pairs) ++pair.hessian;
    made.gain = {0.0, 0.0, 0.0, 0.0, {}, false};
    made.rules = {1, 64};
    // The split of the missing rows from all others is a set that partitions leave out.
    for (auto& value : made.column.values) {
      if (!(value == value)) value = static_cast<float>(made.column.categories[0]);
    }
    auto const found = Found(made).loss_change;
    auto const best = NaiveCategorySearch(made.column, made.gain).AllSets().loss_change;
    EXPECT_NEAR(found, best, 1e-12 * (1.0 + best)) << "seed " << seed;
  }
}

/// Worked by hand: categories 0, 1, 2 weigh 3, -3 and -1/2, and G^2 / H is 18 for {0}, 49 / 4 for {1, 2}, and 1 / 6 for
/// all.
TEST(CategorySplit, WorkedExample) {
  Case made;
  made.column.categories = {0, 1, 2};
  made.column.values = {0.0F, 1.0F, 2.0F};
  made.column.pairs = {{-6, 2}, {6, 2}, {1, 2}};
  made.gain = {0.0, 0.0, 0.0, 0.0, {}, false};
  made.rules = {4, 64};
  auto const gained = 18.0 + 49.0 / 4.0 - 1.0 / 6.0;
  ExpectSame(Found(made), {gained, true, {0}}, "one against the others");
  made.rules = {3, 64};
  ExpectSame(Found(made), {gained, true, {1, 2}}, "sets");
  made.rules = {3, 2};
  ExpectSame(Found(made), {gained, false, {1, 2}}, "one on the smaller side");
}

/// The missing rows differ from all others. Only a category without rows, the last one, can separate them.
TEST(CategorySplit, MissingAgainstAllOthers) {
  Case made;
  auto const nan = std::numeric_limits<float>::quiet_NaN();
  made.column.categories = {0, 1, 2};
  made.column.values = {0.0F, 1.0F, nan};
  made.column.pairs = {{-2, 2}, {-2, 2}, {4, 2}};
  made.gain = {0.0, 0.0, 0.0, 0.0, {}, false};
  made.rules = {4, 64};
  ExpectSame(Found(made), {16.0 / 4.0 + 16.0 / 2.0, false, {2}}, "the last without rows");
  made.column.values = {1.0F, 2.0F, nan};
  ExpectSame(Found(made), {16.0 / 4.0 + 16.0 / 2.0, false, {0}}, "the first without rows");
}

TEST(CategorySplit, FloorIsExclusive) {
  Case made;
  made.column.categories = {0, 1};
  made.column.values = {0.0F, 1.0F};
  made.column.pairs = {{-2, 2}, {2, 2}};
  made.gain.min_child_weight = 0.0;
  CategoryNode node;
  node.n_categories = 2;
  node.total = {0, 4};
  auto entries = EntriesOf(made.column);
  auto const best = FindCategorySplit(made.gain, made.rules, node, 0.0, &entries);
  ASSERT_TRUE(best.IsValid());
  EXPECT_FALSE(FindCategorySplit(made.gain, made.rules, node, best.loss_change, &entries).IsValid());
}

}  // namespace
}  // namespace kauri
