/// Arrow tables and masks of columns: values, offsets, nulls, and contradictions.
#include "data/adapters/arrow.h"

#include "data/categories/category_names.h"
#include "data/data_test_support.h"
#include "support/arrow_batch.h"

namespace kauri {
namespace {

using testing::ArrowMaker;

std::vector<float> const kFloats{0.5F, 1.5F, 2.5F, 3.5F, 4.5F};
std::vector<std::int64_t> const kInts{10, 11, 12, 13, 14};
std::uint8_t const kBits[] = {0b00010110};  // bits 1, 2 and 4

ArrowMaker& MixedFields(ArrowMaker* maker) { return maker->Field("f", "f").Field("i", "l").Field("b", "b"); }
ArrowArray MixedBatch(ArrowMaker* maker, std::int64_t length) {
  return maker->Batch(length, {kFloats.data(), kInts.data(), kBits});
}

TEST(ArrowTable, BatchesOfMixedTypes) {
  ArrowMaker maker;
  MixedFields(&maker);
  auto stream = maker.Stream({MixedBatch(&maker, 2), MixedBatch(&maker, 0), MixedBatch(&maker, 1)});
  auto table = ArrowTable::FromStream(&stream);
  EXPECT_EQ(stream.release, nullptr);
  EXPECT_EQ(table->NumRows(), 3);
  EXPECT_EQ(table->Names(), (std::vector<std::string>{"f", "i", "b"}));
  EXPECT_EQ(table->Types(), (std::vector<std::string>{"float", "int", "i"}));
  ExpectSame(RowsOf(*table->View(kNaN)), {0.5F, 10, 0, 1.5F, 11, 1, 0.5F, 10, 0});
  ExpectSame(RowsOf(*table->View(0.0F)), {0.5F, 10, kNaN, 1.5F, 11, 1, 0.5F, 10, kNaN});
  EXPECT_EQ(maker.NumReleased(), 0);
  table.reset();
  EXPECT_EQ(maker.NumReleased(), 3);
}

TEST(ArrowTable, OffsetsAndNulls) {
  ArrowMaker maker;
  MixedFields(&maker);
  auto batch = MixedBatch(&maker, 4);
  batch.offset = 1;
  batch.length = 2;
  for (std::int64_t col = 0; col < 3; ++col) {
    auto& column = *batch.children[col];
    column.offset = 1;
    column.null_count = -1;
    column.buffers[0] = kBits;
  }
  batch.children[1]->null_count = 0;  // no value is null, regardless of the bits
  auto const table = ArrowTable::FromArray(maker.Schema(), &batch);
  EXPECT_EQ(batch.release, nullptr);
  ExpectSame(RowsOf(*table->View(kNaN)), {2.5F, 12, 1, kNaN, 13, kNaN});
}

TEST(ArrowTable, EmptyStreamAndMatrix) {
  ArrowMaker maker;
  MixedFields(&maker);
  auto stream = maker.Stream({});
  auto const table = ArrowTable::FromStream(&stream);
  auto const matrix = DataMatrix::FromView(WithThreads(1), *table->View(kNaN));
  EXPECT_EQ(matrix->NumRows(), 0);
  EXPECT_EQ(matrix->NumCols(), 3);
}

TEST(ArrowTable, AnyThreadsAndManyRows) {
  std::vector<double> values(5000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) / 7;
  ArrowMaker maker;
  maker.Field("x", "g").Field("y", "g");
  auto const batch = [&] { return maker.Batch(2500, {values.data(), values.data() + 2500}); };
  auto stream = maker.Stream({batch(), batch()});
  auto const table = ArrowTable::FromStream(&stream);
  auto const one = DataMatrix::FromView(WithThreads(1), *table->View(kNaN));
  auto const many = DataMatrix::FromView(WithThreads(8), *table->View(kNaN));
  EXPECT_TRUE(many->Dense().values == one->Dense().values);
  EXPECT_EQ(one->Dense().values[2 * 2499 + 1], static_cast<float>(values[4999]));
  EXPECT_EQ(one->Dense().values[2 * 4999], static_cast<float>(values[2499]));
}

/// Returns the message for a batch of one float and one integer column changed by `spoil`; everything is released.
std::string Refusal(std::function<void(ArrowSchema*, ArrowArray*)> const& spoil) {
  ArrowMaker maker;
  maker.Field("width", "f").Field("depth", "l");
  auto batch = maker.Batch(5, {kFloats.data(), kInts.data()});
  spoil(maker.Schema(), &batch);
  auto const was_live = batch.release != nullptr;
  auto const message = MessageOf([&] { RowsOf(*ArrowTable::FromArray(maker.Schema(), &batch)->View(kNaN)); });
  EXPECT_EQ(maker.NumReleased(), was_live ? 1 : 0);
  EXPECT_EQ(maker.Schema()->release, nullptr);
  return message;
}

/// Columns of text of all formats. The texts: b, null, "", a longer text, b.
struct TextBuffers {
  std::string bytes = "b##a text of 20 bytes..b";
  std::vector<std::int32_t> offsets{0, 1, 3, 3, 23, 24};
  std::vector<std::int64_t> long_offsets{0, 1, 3, 3, 23, 24};
  std::vector<char> views;
  std::uint8_t valid = 0b00011101;
  std::vector<void const*> buffers;

  explicit TextBuffers(std::string const& format) {
    AddView(1, "b", 0);
    AddView(99, "", 99);  // null, so it may be anything
    AddView(0, "", 0);
    AddView(20, "a te", 3);
    AddView(1, "b", 0);
    if (format == "u") buffers = {&valid, offsets.data(), bytes.data()};
    if (format == "U") buffers = {&valid, long_offsets.data(), bytes.data()};
    if (format == "vu") buffers = {&valid, views.data(), bytes.data(), nullptr};
  }
  void AddView(std::int32_t length, std::string beginning, std::int32_t offset) {
    std::int32_t const place[] = {0, offset};
    beginning.resize(length <= 12 ? 12 : 4, '\0');
    auto const* size = reinterpret_cast<char const*>(&length);
    views.insert(views.end(), size, size + 4);
    views.insert(views.end(), beginning.begin(), beginning.end());
    auto const* end = reinterpret_cast<char const*>(place);
    if (length > 12) views.insert(views.end(), end, end + 8);
  }
};

/// Returns a batch of rows [first, first + length) of the texts.
ArrowArray TextBatch(ArrowMaker* maker, TextBuffers* texts, std::int64_t first, std::int64_t length) {
  auto batch = maker->Batch(length, {nullptr});
  auto& column = *batch.children[0];
  column.offset = first;
  column.null_count = -1;
  column.n_buffers = static_cast<std::int64_t>(texts->buffers.size());
  column.buffers = texts->buffers.data();
  return batch;
}

TEST(ArrowTable, TextsAreCategoriesInTheirOrder) {
  for (auto const* format : {"u", "U", "vu"}) {
    ArrowMaker maker;
    maker.Field("word", format);
    TextBuffers texts(format);
    auto stream = maker.Stream({TextBatch(&maker, &texts, 3, 2), TextBatch(&maker, &texts, 0, 3)});
    auto const table = ArrowTable::FromStream(&stream);
    EXPECT_EQ(table->Types(), (std::vector<std::string>{"c"}));
    auto const view = table->View(kNaN);
    ExpectSame(RowsOf(*view), {1, 2, 2, kNaN, 0});
    ASSERT_EQ(view->Categories().size(), 1U);
    EXPECT_EQ(view->Categories()[0].texts, (std::vector<std::string>{"", "a text of 20 bytes..", "b"}));
    EXPECT_EQ(OriginOf(view->Categories()[0]), NameOrigin::kTexts);
  }
}

TEST(ArrowTable, RefusesImpossibleTexts) {
  for (auto const* format : {"u", "U", "vu"}) {
    auto const refusal = [&](auto&& spoil) {
      ArrowMaker maker;
      maker.Field("word", format);
      TextBuffers texts(format);
      auto batch = TextBatch(&maker, &texts, 0, 5);
      spoil(&texts, batch.children[0]);
      return MessageOf([&] { ArrowTable::FromArray(maker.Schema(), &batch); });
    };
    ExpectParts(refusal([](TextBuffers* texts, ArrowArray*) {
                  texts->offsets[4] = 1;
                  texts->long_offsets[4] = 1;
                  texts->views[3 * 16 + 8] = 7;  // the number of a buffer
                }),
                {"'word'", "entry 3"});
    ExpectParts(refusal([](TextBuffers*, ArrowArray* column) { column->offset = -1; }), {"'word'", "offset -1"});
    ExpectParts(refusal([](TextBuffers*, ArrowArray* column) { column->length = 3; }), {"'word'", "3 elements"});
    ExpectParts(refusal([](TextBuffers* texts, ArrowArray*) { texts->buffers[1] = nullptr; }), {"'word'", "no buffer"});
    ExpectParts(refusal([](TextBuffers*, ArrowArray* column) { column->null_count = 9; }), {"'word'", "null"});
  }
}

TEST(ArrowTable, RefusesColumnsByName) {
  auto const of_format = [](char const* format) {
    return Refusal([&](ArrowSchema* schema, ArrowArray*) { schema->children[1]->format = format; });
  };
  ExpectParts(of_format("u"), {"'depth'", "2 buffers", "texts have three or more"});
  ExpectParts(of_format("tdD"), {"'depth'", "times", "year and weekday"});
  ExpectParts(of_format("d:10,2"), {"'depth'", "decimal"});
  ExpectParts(of_format("+l"), {"'depth'", "nested"});
  ExpectParts(of_format(nullptr), {"'depth'", "not numbers"});
  ExpectParts(Refusal([](ArrowSchema* schema, ArrowArray*) { schema->children[1]->dictionary = schema; }),
              {"'depth'", "categorical", "no dictionary"});
  ExpectParts(Refusal([](ArrowSchema*, ArrowArray* rows) { rows->children[1] = nullptr; }), {"'depth'", "null"});
}

TEST(ArrowTable, RefusesSchemas) {
  ExpectParts(Refusal([](ArrowSchema* schema, ArrowArray*) { schema->format = "l"; }), {"'l'", "not a table"});
  ExpectParts(Refusal([](ArrowSchema* schema, ArrowArray*) { schema->n_children = -1; }), {"-1 columns"});
  ExpectParts(Refusal([](ArrowSchema* schema, ArrowArray*) { schema->children = nullptr; }), {"2 columns"});
  ExpectParts(Refusal([](ArrowSchema* schema, ArrowArray*) { schema->children[0] = nullptr; }), {"column 0", "null"});
  ExpectParts(Refusal([](ArrowSchema* schema, ArrowArray*) { schema->release = nullptr; }), {"schema", "released"});
  ExpectParts(Refusal([](ArrowSchema*, ArrowArray* rows) { rows->release = nullptr; }), {"batch", "released"});
}

TEST(ArrowTable, RefusesContradictions) {
  auto const of_column = [](std::function<void(ArrowArray*)> const& spoil) {
    return Refusal([&](ArrowSchema*, ArrowArray* rows) { spoil(rows->children[1]); });
  };
  auto const huge = std::numeric_limits<std::int64_t>::max();
  ExpectParts(of_column([](ArrowArray* a) { a->length = 4; }), {"'depth'", "4 elements", "length 5"});
  ExpectParts(of_column([](ArrowArray* a) { a->length = -1; }), {"'depth'", "length -1"});
  ExpectParts(of_column([](ArrowArray* a) { a->offset = -1; }), {"'depth'", "offset -1"});
  ExpectParts(of_column([&](ArrowArray* a) { a->offset = huge; }), {"'depth'", "no array can have"});
  ExpectParts(of_column([&](ArrowArray* a) { a->offset = huge / 8; }), {"'depth'", "no array can have"});
  ExpectParts(of_column([](ArrowArray* a) { a->n_buffers = 3; }), {"'depth'", "3 buffers"});
  ExpectParts(of_column([](ArrowArray* a) { a->buffers = nullptr; }), {"'depth'", "buffers"});
  ExpectParts(of_column([](ArrowArray* a) { a->buffers[1] = nullptr; }), {"'depth'", "no buffer of values"});
  ExpectParts(of_column([](ArrowArray* a) { a->null_count = 2; }), {"'depth'", "2 of its 5", "without a validity"});
  ExpectParts(of_column([](ArrowArray* a) { a->null_count = -2; }), {"'depth'", "-2"});
  auto const of_rows = [](std::function<void(ArrowArray*)> const& spoil) {
    return Refusal([&](ArrowSchema*, ArrowArray* rows) { spoil(rows); });
  };
  ExpectParts(of_rows([](ArrowArray* a) { a->n_children = 1; }), {"1 columns", "schema has 2"});
  ExpectParts(of_rows([](ArrowArray* a) { a->children = nullptr; }), {"2 columns"});
  ExpectParts(of_rows([](ArrowArray* a) { a->length = -1; }), {"length -1"});
  ExpectParts(of_rows([&](ArrowArray* a) { a->offset = huge; }), {"'width'", "need more"});
}

TEST(ArrowTable, RefusesFailingStreamsAndNullRows) {
  ArrowMaker maker;
  maker.Field("width", "f");
  auto stream = maker.Stream({maker.Batch(5, {kFloats.data()})}, 5);
  ExpectParts(MessageOf([&] { ArrowTable::FromStream(&stream); }), {"get_next", "5", "the disk is gone"});
  EXPECT_EQ(stream.release, nullptr);
  EXPECT_EQ(maker.NumReleased(), 1);
  ExpectParts(MessageOf([&] { ArrowTable::FromStream(&stream); }), {"stream", "released"});
  auto batch = maker.Batch(5, {kFloats.data()});
  void const* validity = kBits;
  batch.null_count = 2;
  batch.buffers = &validity;
  ExpectParts(MessageOf([&] { ArrowTable::FromArray(maker.Schema(), &batch); }), {"whole rows are null"});
}

/// Returns one column of `values` with a mask, as JSON.
std::string MaskedColumn(std::vector<float> const& values, std::string const& typestr, std::string const& shape,
                         void const* bits) {
  auto const address = [](void const* p) { return std::to_string(reinterpret_cast<std::uintptr_t>(p)); };
  return R"([{"data": [)" + address(values.data()) + R"(, true], "typestr": "<f4", "version": 3, "shape": [)" +
         std::to_string(values.size()) + R"(], "mask": {"data": [)" + address(bits) + R"(, true], "typestr": ")" +
         typestr + R"(", "shape": )" + shape + R"(, "version": 3, "mask": null}}])";
}

TEST(ColumnarView, Masks) {
  std::vector<float> const values{0.5F, 1.5F, kInf, 3.5F, 4.5F};
  std::uint8_t const bits[] = {0b11111010};
  ExpectSame(RowsOf(*MakeColumnarView(MaskedColumn(values, "<t1", "[5]", bits), kNaN)), {kNaN, 1.5F, kNaN, 3.5F, 4.5F});
  auto const refusal = [&](char const* typestr, char const* shape, void const* address) {
    return MessageOf([&] { MakeColumnarView(MaskedColumn(values, typestr, shape, address), kNaN); });
  };
  ExpectParts(refusal("|b1", "[5]", bits), {"column 0", "|b1", "packed bits"});
  ExpectParts(refusal("<t1", "[4]", bits), {"column 0", "[4]", "expected [5]"});
  ExpectParts(refusal("<t1", "[5]", nullptr), {"column 0", "null"});
}

}  // namespace
}  // namespace kauri
