/// \file Derived columns that only the model has, from combinations and further classes: worked by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "data/categories/category_view.h"
#include "data/data_test_support.h"
#include "data/matrix_view.h"
#include "kauri/ordered_encoding.h"

namespace kauri {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t kStep = std::int64_t{1} << 24U;  // distance of the cells of two adjacent positions of a base

/// Returns an encoding in which columns 0, 1 and 3 have the categories {2, 5}, {0, 7} and {4}. Combinations are 0 with
/// 1, and these with 3. Means of the labels include one row of the prior, 1.
std::shared_ptr<OrderedEncoding> MakeEncoding() {
  auto encoding = std::make_shared<OrderedEncoding>();
  encoding->settings.most_combined = 3;
  encoding->columns = {{{2, 5}, {{4, 1}, {0, 3}}}, {{0, 7}, {{2, 2}, {2, 2}}}, {}, {{4}, {{4, 4}}}};
  encoding->combinations = {{0, 1, {0, kStep + 1}, {{5, 1}, {0, 2}}}, {4, 3, {0}, {{7, 1}}}};
  encoding->totals = {{4, 4}};
  encoding->n_rows = 4;
  return encoding;
}

float ValueOf(float labels, float weights) { return (labels + 1.0F) / (weights + 1.0F); }

TEST(OrderedEncoding, PositionsAndMembers) {
  auto const encoding = MakeEncoding();
  EXPECT_EQ(encoding->PositionOf(0, 5), 1);
  EXPECT_EQ(encoding->PositionOf(0, 3), kUnknownPosition);
  EXPECT_EQ(encoding->MembersOf(1), (std::vector<std::int32_t>{1}));
  EXPECT_EQ(encoding->MembersOf(5), (std::vector<std::int32_t>{0, 1, 3}));
  EXPECT_EQ(encoding->NumPositions(1), 2U);
  EXPECT_EQ(encoding->NumPositions(4), 2U);
  auto const& pair = encoding->combinations[0];
  EXPECT_EQ(pair.PositionOf(1, 1), 1);
  EXPECT_EQ(pair.PositionOf(1, 0), kUnknownPosition);
  EXPECT_EQ(pair.PositionOf(kUnknownPosition, 0), kUnknownPosition);
  EXPECT_EQ(pair.PositionOf(kMissingPosition, kUnknownPosition), kMissingPosition);
  EXPECT_EQ(pair.PositionOf(kUnknownPosition, kMissingPosition), kMissingPosition);
  auto other = *encoding;
  EXPECT_TRUE(other == *encoding);
  other.combinations[1].sums[0].labels = 8;
  EXPECT_FALSE(other == *encoding);
}

/// Returns the same columns and the pair with three classes: 4, 1 and 3 of 8 rows, and a prior that counts as two rows.
std::shared_ptr<OrderedEncoding> MakeClasses() {
  auto encoding = std::make_shared<OrderedEncoding>();
  encoding->settings.strength = 2.0F;
  encoding->settings.most_combined = 2;
  encoding->settings.n_numbers = 3;
  encoding->columns = {{{2, 5}, {{3, 4}, {1, 4}, {0, 4}, {1, 4}, {0, 4}, {3, 4}}},
                       {{0, 7}, {{4, 8}, {1, 8}, {3, 8}, {0, 0}, {0, 0}, {0, 0}}},
                       {},
                       {{4}, {{2, 3}, {0, 3}, {1, 3}}}};
  encoding->combinations = {{0, 1, {0, kStep}, {{3, 4}, {1, 4}, {0, 4}, {1, 4}, {0, 4}, {3, 4}}}};
  encoding->totals = {{4, 8}, {1, 8}, {3, 8}};
  encoding->n_rows = 8;
  return encoding;
}

/// Returns the share of a class, with the prior's two rows counted in the class and in total.
float ShareOf(std::int64_t number, double rows, double of) {
  double const priors[] = {4.0 / 8, 1.0 / 8, 3.0 / 8};
  return static_cast<float>((rows + 2 * priors[number]) / (of + 2));
}

TEST(OrderedEncoding, ClassesHaveANumberEach) {
  EXPECT_EQ(NumbersOf(0), 1);
  EXPECT_EQ(NumbersOf(2), 1);  // the rest of 1 is the other class's
  EXPECT_EQ(NumbersOf(3), 3);
  auto const encoding = MakeClasses();
  EXPECT_EQ(encoding->EncodedColumns(), (std::vector<std::size_t>{0, 1, 3, 4}));
  EXPECT_EQ(encoding->ValueAt({0, 2}, 1), ShareOf(2, 3, 4));
  EXPECT_EQ(encoding->ValueAt({4, 0}, 1), ShareOf(0, 1, 4));
  EXPECT_EQ(encoding->ValueAt({1, 1}, kUnknownPosition), 0.125F);
  EXPECT_TRUE(std::isnan(encoding->ValueAt({1, 1}, kMissingPosition)));
  std::vector<std::size_t> columns;
  std::vector<std::int64_t> numbers;
  for (auto const& added : encoding->AddedColumns()) {
    columns.push_back(added.column);
    numbers.push_back(added.number);
  }
  EXPECT_EQ(columns, (std::vector<std::size_t>{4, 0, 0, 1, 1, 3, 3, 4, 4}));
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{0, 1, 2, 1, 2, 1, 2, 1, 2}));
  EXPECT_EQ(encoding->NumAddedColumns(), 9);
  EXPECT_EQ(MakeEncoding()->NumAddedColumns(), 2);
  auto other = *encoding;
  EXPECT_TRUE(other == *encoding);
  other.totals[2].labels = 4;
  EXPECT_FALSE(other == *encoding);
}

TEST(AddedColumns, HaveTheNumbersOfClasses) {
  auto const encoding = MakeClasses();
  AddedColumns const added(*encoding);
  EXPECT_EQ(added.Members(), (std::vector<std::size_t>{0, 1, 3}));
  ASSERT_EQ(added.Count(), 9U);
  ASSERT_EQ(added.NumPositions(), 4U);
  std::vector<std::int32_t> positions{1, 0, kUnknownPosition, -9};
  std::vector<float> numbers(9);
  added.Fill(positions, numbers);
  EXPECT_EQ(numbers, (std::vector<float>{ShareOf(0, 1, 4), ShareOf(1, 0, 4), ShareOf(2, 3, 4), ShareOf(1, 1, 8),
                                         ShareOf(2, 3, 8), ShareOf(1, 0, 0), ShareOf(2, 0, 0), ShareOf(1, 0, 4),
                                         ShareOf(2, 3, 4)}));
  positions = {kMissingPosition, 0, 0, -9};
  added.Fill(positions, numbers);
  EXPECT_TRUE(std::isnan(numbers[0]));
  EXPECT_TRUE(std::isnan(numbers[2]));
  EXPECT_EQ(numbers[4], ShareOf(2, 3, 8));
  EXPECT_EQ(numbers[6], ShareOf(2, 1, 3));
  EXPECT_TRUE(std::isnan(numbers[8]));
}

TEST(AddedColumns, FillsThemInOrder) {
  auto const encoding = MakeEncoding();
  AddedColumns const combined(*encoding);
  EXPECT_EQ(combined.Members(), (std::vector<std::size_t>{0, 1, 3}));
  ASSERT_EQ(combined.Count(), 2U);
  std::vector<std::int32_t> positions{0, 0, 0, -9, -9};
  std::vector<float> numbers(2);
  combined.Fill(positions, numbers);
  EXPECT_EQ(numbers, (std::vector<float>{ValueOf(5, 1), ValueOf(7, 1)}));
  positions = {1, 1, 0, -9, -9};
  combined.Fill(positions, numbers);
  EXPECT_EQ(numbers, (std::vector<float>{ValueOf(0, 2), 1.0F}));
  positions = {0, 0, kMissingPosition, -9, -9};
  combined.Fill(positions, numbers);
  EXPECT_EQ(numbers[0], ValueOf(5, 1));
  EXPECT_TRUE(std::isnan(numbers[1]));
}

/// Rows of the columns above; column 2 is numeric.
class CombinedRowsTest : public ::testing::Test {
 protected:
  CombinedRowsTest() : view_(MakeRowsView(values_.data(), 3, 4)) {
    model_.n_features = 4;
    model_.categories.ordered = MakeEncoding();
  }

  std::vector<float> Rows(std::int64_t n_cols) const {
    ModelRows const rows(model_, *view_);
    std::vector<float> copied(static_cast<std::size_t>(3 * n_cols));
    rows.View().CopyRows(0, 3, n_cols, copied.data());
    return copied;
  }

  std::vector<float> values_{2, 0, 9, 4, 5, 7, kNan, 4, 3, 0, 8, kNan};
  std::unique_ptr<DataView> view_;
  Model model_;
};

TEST_F(CombinedRowsTest, AreColumnsAfterTheRows) {
  EXPECT_EQ(ModelRows(model_, *view_).View().NumCols(), 6);
  EXPECT_EQ(model_.NumTreeFeatures(), 6);
  auto const rows = Rows(6);
  std::vector<float> const first{ValueOf(4, 1), ValueOf(2, 2), 9, ValueOf(4, 4), ValueOf(5, 1), ValueOf(7, 1)};
  EXPECT_EQ(std::vector<float>(rows.begin(), rows.begin() + 6), first);
  EXPECT_EQ(rows[6 + 4], ValueOf(0, 2));
  EXPECT_EQ(rows[6 + 5], 1.0F);
  EXPECT_EQ(rows[12], 1.0F);  // a category that did not occur, alone and in a combination
  EXPECT_EQ(rows[12 + 4], 1.0F);
  EXPECT_TRUE(std::isnan(rows[12 + 5]));
}

TEST_F(CombinedRowsTest, AsManyColumnsAsAreAskedFor) {
  auto const rows = Rows(5);
  EXPECT_EQ(rows[4], ValueOf(5, 1));
  EXPECT_EQ(rows[5], ValueOf(0, 3));
  EXPECT_EQ(Rows(4)[4], ValueOf(0, 3));
  auto const wide = Rows(8);
  EXPECT_EQ(wide[5], ValueOf(7, 1));
  EXPECT_TRUE(std::isnan(wide[6]));
}

TEST_F(CombinedRowsTest, SomeFeaturesWhereNoneIsACombination) {
  CsrStorage csr{{0, 2}, {0, 1}, {2, 0}};
  auto const sparse = MakeStorageView(csr, 4);
  ModelRows const rows(model_, *sparse);
  std::vector<float> tile(2);
  std::vector<std::int32_t> const alone{1, 0};
  ASSERT_TRUE(rows.View().CopyFeatures(0, 1, alone, 2, tile.data()));
  EXPECT_EQ(tile, (std::vector<float>{ValueOf(2, 2), ValueOf(4, 1)}));
  std::vector<std::int32_t> const together{-1, -1, -1, -1, 0};
  EXPECT_FALSE(rows.View().CopyFeatures(0, 1, together, 1, tile.data()));
}

}  // namespace
}  // namespace kauri
