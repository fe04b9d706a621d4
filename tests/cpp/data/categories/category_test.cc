/// \file Names of categories: columns with names, dictionaries, and rows in the categories of a model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "data/adapters/arrow.h"
#include "data/adapters/columnar.h"
#include "data/categories/category_names.h"
#include "data/categories/category_view.h"
#include "data/data_test_support.h"
#include "data/matrix_view.h"

namespace kauri {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

CategoryNames Texts(std::vector<std::string> texts) {
  CategoryNames names;
  names.texts = std::move(texts);
  return names;
}

CategoryNames Numbers(std::vector<std::int64_t> numbers, CategoryNames::Type type = CategoryNames::Type::kI64) {
  CategoryNames names;
  names.numbers = std::move(numbers);
  names.number_type = type;
  return names;
}

using Codes = std::vector<std::int32_t>;

TEST(CategoryNames, CodesByName) {
  EXPECT_EQ(CategoryCodes(Texts({"c", "a", "x"}), Texts({"a", "b", "c"})), (Codes{2, 0, -1}));
  EXPECT_EQ(CategoryCodes(Numbers({7, -5}, CategoryNames::Type::kI8), Numbers({-5, 300, 7})), (Codes{2, 0}));
  EXPECT_EQ(CategoryCodes(Numbers({-1}, CategoryNames::Type::kU64), Numbers({-1})), (Codes{-1}));
  EXPECT_EQ(CategoryCodes(Texts({"7"}), Numbers({7})), (Codes{-1}));
}

TEST(CategoryNames, CodesOfManyNamesAreThoseOfEach) {
  CategoryNames texts;
  CategoryNames numbers;
  for (auto name = 0; name < 40; ++name) {
    texts.texts.push_back("name " + std::to_string(name * 7 % 40));
    numbers.numbers.push_back(name * 7 % 40 - 20);
  }
  auto backwards = texts;
  std::reverse(backwards.texts.begin(), backwards.texts.end());
  backwards.texts.push_back("another");
  auto shifted = numbers;
  for (auto& number : shifted.numbers) number += 20;
  auto const expect_each = [](CategoryNames const& from, CategoryNames const& to) {
    auto const codes = CategoryCodes(from, to);
    for (std::size_t category = 0; category < from.Size(); ++category) {
      CategoryNames one;
      if (from.numbers.empty()) one.texts = {from.texts[category]};
      if (!from.numbers.empty()) one.numbers = {from.numbers[category]};
      one.number_type = from.number_type;
      EXPECT_EQ(CategoryCodes(one, to), Codes{codes[category]}) << category;
    }
  };
  expect_each(backwards, texts);
  expect_each(shifted, numbers);
  EXPECT_EQ(CategoryCodes(backwards, texts).back(), -1);
  EXPECT_EQ(CategoryCodes(backwards, texts)[0], 39);
  shifted.number_type = CategoryNames::Type::kU64;  // -20 differs from 2^64 - 20
  shifted.numbers[0] = -20;
  expect_each(shifted, numbers);
  EXPECT_EQ(CategoryCodes(shifted, numbers)[0], -1);
}

TEST(CategoryNames, AgreeAsFarAsBothGo) {
  EXPECT_TRUE(AgreeOnNames(Texts({"a", "b"}), Texts({"a"})));
  EXPECT_TRUE(AgreeOnNames(Texts({}), Texts({"a"})));
  EXPECT_TRUE(AgreeOnNames(Numbers({1}), Numbers({1, 2}, CategoryNames::Type::kI8)));
  EXPECT_FALSE(AgreeOnNames(Texts({"a", "b"}), Texts({"b"})));
  EXPECT_FALSE(AgreeOnNames(Texts({"1"}), Numbers({1})));
}

TEST(CategoryNames, NewOnesFollow) {
  EXPECT_EQ(JoinNames(Texts({"b", "a"}), Texts({"x", "a", "y"}), 0), Texts({"b", "a", "x", "y"}));
  EXPECT_EQ(JoinNames(Texts({"b", "a"}), Texts({"a"}), 0), Texts({"b", "a"}));
  using Type = CategoryNames::Type;
  EXPECT_EQ(JoinNames(Numbers({3, 1}, Type::kI8), Numbers({1, 3}, Type::kU64), 0), Numbers({3, 1}, Type::kI8));
  EXPECT_EQ(JoinNames(Numbers({3}, Type::kI8), Numbers({300, 3}, Type::kI16), 0), Numbers({3, 300}, Type::kI64));
  EXPECT_EQ(JoinNames(Numbers({-1}, Type::kU64), Numbers({7}, Type::kU64), 0), Numbers({-1, 7}, Type::kU64));
  ExpectParts(MessageOf([] { JoinNames(Numbers({3}), Texts({"3"}), 5); }), {"column 5", "texts", "integers", "'3'"});
  ExpectParts(MessageOf([] { JoinNames(Numbers({-1}, Type::kU64), Numbers({7}), 5); }), {"column 5", "past 2^63"});
}

std::string Interface(void const* data, std::size_t size, char const* typestr) {
  return R"({"data": [)" + std::to_string(reinterpret_cast<std::uintptr_t>(data)) + R"(, true], "typestr": ")" +
         typestr + R"(", "shape": [)" + std::to_string(size) + R"(], "strides": null, "version": 3})";
}

/// A table of one categorical column.
struct OneColumn {
  std::vector<std::int32_t> offsets{0, 3, 3, 8};
  std::string bytes = "redgreen";
  std::vector<float> codes{2.0F, kNan, 0.0F, 1.0F};

  std::string Json() const {
    return R"([[{"offsets": )" + Interface(offsets.data(), offsets.size(), "<i4") + R"(, "values": )" +
           Interface(bytes.data(), bytes.size(), "|i1") + "}, " + Interface(codes.data(), codes.size(), "<f4") + "]]";
  }
};

TEST(CategoryColumn, NamesAndCodes) {
  OneColumn const column;
  auto const view = MakeColumnarView(column.Json(), 2.0F);  // `missing` does not apply to codes
  ASSERT_EQ(view->Categories().size(), 1U);
  EXPECT_EQ(view->Categories()[0], Texts({"red", "", "green"}));
  std::vector<float> rows(4);
  view->CopyRows(0, 4, 1, rows.data());
  EXPECT_EQ(rows[0], 2.0F);
  EXPECT_TRUE(std::isnan(rows[1]));
  EXPECT_EQ(rows[2], 0.0F);
  auto const matrix = DataMatrix::FromView(Context{}, *view);
  EXPECT_EQ(matrix->Info().category_names, CategoryNameTable{Texts({"red", "", "green"})});
}

TEST(CategoryColumn, Refusals) {
  auto const refusal = [](OneColumn const& column) {
    return MessageOf([&] {
      std::vector<float> rows(column.codes.size());
      MakeColumnarView(column.Json(), kNan)->CopyRows(0, static_cast<std::int64_t>(rows.size()), 1, rows.data());
    });
  };
  EXPECT_EQ(refusal({}), "no error");
  for (float const code : {3.0F, -1.0F, 0.5F}) {
    OneColumn column;
    column.codes[2] = code;
    ExpectParts(refusal(column), {"row 2 of a categorical column has the code", "the column has 3 categories"});
  }
  OneColumn column;
  column.offsets[3] = 9;
  ExpectParts(refusal(column), {"column 0", "category 2 goes from byte 3 to 9 of 8"});
  column.offsets = {0, 3, 2};
  ExpectParts(refusal(column), {"goes from byte 3 to 2"});
}

/// An array of texts with 32-bit offsets.
struct Dictionary {
  std::vector<std::int32_t> offsets;
  std::string bytes;
  std::vector<void const*> buffers;
  ArrowArray array{};

  explicit Dictionary(std::vector<std::string> const& texts) {
    offsets.push_back(0);
    for (auto const& text : texts) {
      bytes += text;
      offsets.push_back(static_cast<std::int32_t>(bytes.size()));
    }
    buffers = {nullptr, offsets.data(), bytes.data()};
    array.length = static_cast<std::int64_t>(texts.size());
    array.n_buffers = 3;
    array.buffers = buffers.data();
  }
};

TEST(ArrowDictionary, Texts) {
  Dictionary dictionary({"b", "", "grün"});
  EXPECT_EQ(ReadDictionary("u", dictionary.array), Texts({"b", "", "grün"}));
  dictionary.array.offset = 1;
  dictionary.array.length = 2;
  EXPECT_EQ(ReadDictionary("u", dictionary.array), Texts({"", "grün"}));
}

TEST(ArrowDictionary, Refusals) {
  Dictionary dictionary({"b", "c"});
  auto const refusal = [&](char const* format) { return MessageOf([&] { ReadDictionary(format, dictionary.array); }); };
  ExpectParts(refusal("g"), {"floating point", "texts or integers"});
  ExpectParts(refusal("+s"), {"format '+s'"});
  dictionary.offsets[1] = 7;
  ExpectParts(refusal("u"), {"entry 1", "from byte 7 to 2"});
  std::uint8_t const valid = 1;
  dictionary.buffers[0] = &valid;
  dictionary.array.null_count = -1;
  ExpectParts(refusal("u"), {"a null, at 1"});
  dictionary.array.n_buffers = 2;
  ExpectParts(refusal("u"), {"2 buffers"});
  dictionary.array.length = -1;
  ExpectParts(refusal("u"), {"the length -1"});
}

TEST(ArrowDictionary, BatchesJoin) {
  CategoryNames column;
  EXPECT_EQ(*JoinDictionary(Texts({"a", "b"}), &column), (std::vector<float>{0, 1}));
  EXPECT_EQ(*JoinDictionary(Texts({"c", "b"}), &column), (std::vector<float>{2, 1}));
  EXPECT_EQ(*JoinDictionary(Texts({"a", "b", "c", "d"}), &column), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(column, Texts({"a", "b", "c", "d"}));
}

/// Two rows of two columns, the first categorical.
class CategoryViewTest : public ::testing::Test {
 protected:
  CategoryViewTest() : view_(MakeRowsView(values_.data(), 2, 2)) { model_.n_features = 2; }

  std::vector<float> Rows() const {
    ModelRows const rows(model_, *view_);
    std::vector<float> copied(4);
    rows.View().CopyRows(0, 2, 2, copied.data());
    return copied;
  }

  std::vector<float> values_{1.0F, 5.0F, 0.0F, 6.0F};
  std::unique_ptr<DataView> view_;
  Model model_;
};

TEST_F(CategoryViewTest, NothingToDo) {
  EXPECT_FALSE(ModelRows(model_, *view_).AreTranslated());
  model_.categories.unseen = UnseenCategory::kError;  // but it has no categories
  EXPECT_FALSE(ModelRows(model_, *view_).AreTranslated());
  CategoryNameTable const names{Texts({"a", "b"}), {}};
  view_->SetCategories(names);
  model_.categories.names = {Texts({"a", "b", "c"}), {}};
  model_.categories.unseen = UnseenCategory::kXGBoost;
  EXPECT_FALSE(ModelRows(model_, *view_).AreTranslated());
}

TEST_F(CategoryViewTest, RecodesByName) {
  CategoryNameTable const names{Texts({"a", "b"}), {}};
  view_->SetCategories(names);
  model_.categories.names = {Texts({"c", "b", "a"}), {}};
  EXPECT_EQ(Rows(), (std::vector<float>{1, 5, 2, 6}));
  model_.categories.names = {Texts({"c", "b"}), {}};
  ExpectParts(MessageOf([&] { Rows(); }), {"row 1 of column 0", "'a'", "unseen_category=missing"});
  model_.categories.names = {Numbers({1, 2}), {}};
  ExpectParts(MessageOf([&] { Rows(); }), {"column 0 are texts, as 'a', but were integers", "as 1"});
}

TEST_F(CategoryViewTest, PoliciesForUnseen) {
  model_.categories.seen = {{0, 3}, {}};
  EXPECT_EQ(Rows(), values_);
  model_.categories.unseen = UnseenCategory::kMissing;
  auto const rows = Rows();
  EXPECT_TRUE(std::isnan(rows[0]));
  EXPECT_EQ(rows[1], 5.0F);  // no category
  EXPECT_EQ(rows[2], 0.0F);
  model_.categories.unseen = UnseenCategory::kError;
  ExpectParts(MessageOf([&] { Rows(); }), {"row 0 of column 0", "the category 1", "unseen_category=error"});
  values_[0] = kNan;
  EXPECT_TRUE(std::isnan(Rows()[0]));
}

TEST_F(CategoryViewTest, NamedCategoriesCountAsSeenWhereNothingElseIsKnown) {
  model_.categories.unseen = UnseenCategory::kMissing;
  model_.categories.names = {Texts({"a"}), {}};
  EXPECT_TRUE(std::isnan(Rows()[0]));
}

TEST_F(CategoryViewTest, SomeFeatures) {
  CsrStorage csr{{0, 2, 4}, {0, 1, 0, 1}, values_};
  auto const sparse = MakeStorageView(csr, 2);
  model_.categories.seen = {{0}, {}};
  model_.categories.unseen = UnseenCategory::kMissing;
  ModelRows const rows(model_, *sparse);
  std::vector<std::int32_t> const slots{1, 0};
  std::vector<float> tile(4);
  ASSERT_TRUE(rows.View().CopyFeatures(0, 2, slots, 2, tile.data()));
  EXPECT_EQ(tile[0], 5.0F);
  EXPECT_TRUE(std::isnan(tile[1]));
  EXPECT_EQ(tile[3], 0.0F);
}

}  // namespace
}  // namespace kauri
