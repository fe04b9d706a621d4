#include <random>
#include <sstream>

#include "data/categories/category_names.h"
#include "data/data_test_support.h"
#include "data/text/text_reader.h"

namespace kauri {
namespace {

std::unique_ptr<DataMatrix> Read(std::string const& text, ParamMap const& params = {}, int threads = 1,
                                 std::int64_t block_bytes = TextFile::kBlockBytes) {
  TempFile const file(text, ".csv");
  return ReadCsv(WithThreads(threads), TextFile(file.Path(), block_bytes), ParseParameters<CsvParam>(params));
}

std::string Refusal(std::string const& text, ParamMap const& params = {}, int threads = 1,
                    std::int64_t block_bytes = TextFile::kBlockBytes) {
  return MessageOf([&] { Read(text, params, threads, block_bytes); });
}

TEST(CsvReader, WorkedExample) {
  auto const matrix = Read("1,2.5,3\n4,,6\n");
  EXPECT_TRUE(matrix->Info().labels.empty());
  EXPECT_TRUE(matrix->IsDense());
  ExpectSame(RowsOf(*matrix), {1, 2.5F, 3, 4, kNaN, 6});
}

TEST(CsvReader, LabelAndWeightColumns) {
  auto const matrix = Read("1,2,3,0.5\n4,,6,2\n", {{"label_column", "2"}, {"weight_column", "3"}});
  ExpectSame(matrix->Info().labels, {3, 6});
  ExpectSame(matrix->Info().weights, {0.5F, 2});
  ExpectSame(RowsOf(*matrix), {1, 2, 4, kNaN});
}

TEST(CsvReader, BlanksLineEndsAndMissing) {
  auto const* text = "\xEF\xBB\xBF\r\n 1 ,\t+2e0, nan\r\n \r\n,,\r\n7,-8,9";
  for (auto const block_bytes : {1, 4, 1000}) {
    ExpectSame(RowsOf(*Read(text, {}, 2, block_bytes)), {1, 2, kNaN, kNaN, kNaN, kNaN, 7, -8, 9});
  }
  ExpectSame(RowsOf(*Read("5\n\n6\n")), {5, 6});
}

TEST(CsvReader, Delimiters) {
  std::vector<float> const expected{1, kNaN, 3, 4, 5, 6};
  ExpectSame(RowsOf(*Read("1;;3\n4;5;6\n", {{"delimiter", ";"}})), expected);
  ExpectSame(RowsOf(*Read("1\t\t3\n4\t5\t6\n", {{"delimiter", "\\t"}})), expected);
  ExpectSame(RowsOf(*Read("1\t\t3\n4\t5\t6\n", {{"delimiter", "\t"}})), expected);
  ExpectSame(RowsOf(*Read("1  3\n4 5 6\n", {{"delimiter", " "}})), expected);
  for (auto const* bad : {"", ";;", "5", ".", "e", "\"", "-"}) {
    ExpectParts(Refusal("1,2\n", {{"delimiter", bad}}), {"delimiter '" + std::string(bad) + "'", "one character"});
  }
}

TEST(CsvReader, Refusals) {
  TempFile const file("1,2\n", ".csv");
  ExpectParts(MessageOf([&] {
                ReadCsv(WithThreads(1), file.Path(), {{"foo", "1"}});
              }),
              {"format=csv does not know 'foo'. Known: "});
  ExpectParts(Refusal("age,2\n1,2\n"), {".csv, line 1", "field 1, 'age'", "header", "delimiter"});
  ExpectParts(Refusal("\n1,x y\n1,2\n", {}, 1, 1), {", line 2", "field 2, 'x y'", "header"});
  ExpectParts(Refusal("1;2\n"), {"field 1, '1;2'", "not separated by ','"});
  ExpectParts(Refusal("1,2\n3,red\n"), {", line 2", "field 2, 'red'", "leave it empty"});
  ExpectParts(Refusal("1,2\n3,1 2\n"), {"field 2, '1 2'", "not a number"});
  ExpectParts(Refusal("1,2\n3,inf\n"), {", line 2", "field 2, 'inf'", "infinite"});
  ExpectParts(Refusal("1,-1e39\n"), {", line 1", "field 2, '-1e39'", "too large"});
  ExpectParts(Refusal("1,2\n3\n"), {", line 2", "1 fields", "the first line has 2"});
  ExpectParts(Refusal("1,2\n3,4,5\n"), {", line 2", "3 fields", "the first line has 2"});
  ExpectParts(Refusal(""), {"no rows"});
  ExpectParts(Refusal("\n  \n"), {"no rows"});
  ExpectParts(Refusal("1,2\n,3\n", {{"label_column", "0"}}), {", line 2", "the label", "must be given"});
  ExpectParts(Refusal("1,2\nnan,3\n", {{"label_column", "0"}}), {"field 1, 'nan'", "the label"});
  ExpectParts(Refusal("1,2\n3,-1\n", {{"weight_column", "1"}}),
              {", line 2", "field 2, '-1'", "the weight", "at least 0"});
  ExpectParts(Refusal("1,2\n", {{"label_column", "2"}}), {"label_column=2", "has 2", "from 0"});
  ExpectParts(Refusal("1,2\n", {{"weight_column", "7"}}), {"weight_column=7"});
  ExpectParts(Refusal("1,2\n", {{"label_column", "1"}, {"weight_column", "1"}}),
              {"weight_column=1", "already used by another parameter"});
  ExpectParts(Refusal("1,2\n", {{"label_column", "1"}, {"weight_column", "0"}}), {"rows but no features"});
  ExpectParts(Refusal("1,2\n", {{"label_column", "x"}}), {"label_column=x", "no column of that name"});
}

TEST(CsvReader, LineOfTheFirstFaultForAnyBlocksAndThreads) {
  std::string text;
  for (int line = 1; line <= 200; ++line) text += line % 10 == 0 ? "\n" : line == 77 || line == 150 ? "1,x\n" : "1,2\n";
  for (auto const block_bytes : {1, 13, 64, 100000}) {
    for (auto const threads : {1, 8}) ExpectParts(Refusal(text, {}, threads, block_bytes), {", line 77:"});
  }
}

TEST(CsvReader, EqualsNaiveParserForAnyBlocksAndThreads) {
  std::mt19937 random(4);
  std::string text;
  std::vector<float> expected;
  for (int row = 0; row < 500; ++row) {
    for (int col = 0; col < 7; ++col) {
      std::ostringstream field;
      field.precision(static_cast<int>(random() % 12) + 1);
      if (random() % 6 != 0)
        field << std::ldexp(static_cast<double>(random()) - 2e9, static_cast<int>(random() % 90) - 60);
      text += field.str() + (col < 6 ? "," : random() % 2 == 0 ? "\r\n" : "\n");
      expected.push_back(field.str().empty() ? kNaN : std::strtof(field.str().c_str(), nullptr));
    }
  }
  for (auto const block_bytes : {1, 41, 4096, 1 << 20}) {
    for (auto const threads : {1, 8}) ExpectSame(RowsOf(*Read(text, {}, threads, block_bytes)), expected);
  }
}

TEST(CsvReader, HeaderNamesColumns) {
  auto const* text = "age,\"sex\", y ,w\n30,0,1,2\n\n,1,0,3\n";
  for (auto const block_bytes : {1, 5, 1000}) {
    auto const matrix = Read(text, {{"label_column", "y"}, {"weight_column", "3"}}, 2, block_bytes);
    EXPECT_EQ(matrix->Info().feature_names, (std::vector<std::string>{"age", "sex"}));
    ExpectSame(matrix->Info().labels, {1, 0});
    ExpectSame(matrix->Info().weights, {2, 3});
    ExpectSame(RowsOf(*matrix), {30, 0, kNaN, 1});
  }
}

TEST(CsvReader, WhetherThereIsAHeader) {
  EXPECT_EQ(Read("1,2\n3,4\n", {{"header", "true"}})->Info().feature_names, (std::vector<std::string>{"1", "2"}));
  EXPECT_TRUE(Read("1,2\n3,4\n", {{"header", "false"}})->Info().feature_names.empty());
  EXPECT_TRUE(Read("nan,\n3,4\n")->Info().feature_names.empty());  // missing values
  ExpectParts(Refusal("a,b\n3,4\n", {{"header", "false"}}), {"line 1", "field 1, 'a'", "header=true"});
  ExpectParts(Refusal("a,4\n3,4\n"), {"line 1", "field 1, 'a'", "header=true"});
  ExpectParts(Refusal("a,b\n"), {"has no rows"});
  ExpectParts(Refusal("a,b\n1\n"), {"line 2", "the line has 1 fields, but the first line has 2"});
  ExpectParts(Refusal("a,b\n1,2\na,b\n"), {"line 3", "field 1, 'a', is not a number"});
  ExpectParts(Refusal("a,a\n1,2\n"), {"the header has 'a' more than once"});
  ExpectParts(Refusal("a,,b\n1,2,3\n"), {"the header has a column without a name"});
}

TEST(CsvReader, IgnoredAndCategoricalColumns) {
  auto const matrix =
      Read("id,city,size\nx1,2,7\nx2,0,8\n", {{"ignore_columns", "id"}, {"categorical_columns", "city"}});
  EXPECT_EQ(matrix->Info().feature_names, (std::vector<std::string>{"city", "size"}));
  EXPECT_EQ(matrix->Info().feature_types, (std::vector<std::string>{"c", "q"}));
  ExpectSame(RowsOf(*matrix), {2, 7, 0, 8});
  ExpectSame(RowsOf(*Read("x1,2,7\nx2,0,8\n", {{"ignore_columns", "0,2"}})), {2, 0});
}

TEST(CsvReader, ColumnsOfTextAreCategories) {
  auto const* text = "x,city,y\n1,Rome,2\n\n3,,4\n5,\"a, b\",6\n7, Bern ,8\n9,Rome,1\n";
  for (auto const block_bytes : {1, 9, 1000}) {
    for (auto const threads : {1, 8}) {
      auto const matrix = Read(text, {{"label_column", "y"}}, threads, block_bytes);
      EXPECT_EQ(matrix->Info().feature_types, (std::vector<std::string>{"q", "c"}));
      ASSERT_EQ(matrix->Info().category_names.size(), 2U);
      EXPECT_EQ(matrix->Info().category_names[1].texts, (std::vector<std::string>{"Bern", "Rome", "a, b"}));
      EXPECT_EQ(OriginOf(matrix->Info().category_names[1]), NameOrigin::kTexts);
      ExpectSame(RowsOf(*matrix), {1, 1, 3, kNaN, 5, 2, 7, 0, 9, 1});
    }
  }
  auto const declared = Read(text, {{"label_column", "y"}, {"categorical_columns", "city"}});
  EXPECT_EQ(OriginOf(declared->Info().category_names[1]), NameOrigin::kDeclared);
  ExpectSame(RowsOf(*declared), {1, 1, 3, kNaN, 5, 2, 7, 0, 9, 1});
}

TEST(CsvReader, TextsAmongNumbersAreNamedByTheirLine) {
  for (auto const block_bytes : {1, 8, 1000}) {
    for (auto const threads : {1, 8}) {
      ExpectParts(Refusal("a,b\n1,x\n\n2,y\n3,4\n", {}, threads, block_bytes), {"line 2:", "field 2, 'x'"});
      ExpectParts(Refusal("a,b\n1,2\n2,\n\nz,y\n3,w\n", {}, threads, block_bytes), {"line 5:", "field 1, 'z'"});
      ExpectParts(Refusal("a,b\n1,x\n2,inf\n", {}, threads, block_bytes), {".csv, line "});
    }
  }
}

TEST(CsvReader, Queries) {
  auto const* text = "q,a\n3,1\n3,2\n5,3\n8,4\n8,5\n8,6\n";
  for (auto const block_bytes : {1, 9, 1000}) {
    auto const matrix = Read(text, {{"qid_column", "q"}}, 2, block_bytes);
    EXPECT_EQ(matrix->Info().group_ptr, (std::vector<std::int64_t>{0, 2, 3, 6}));
    ExpectSame(RowsOf(*matrix), {1, 2, 3, 4, 5, 6});
  }
  ExpectParts(Refusal("q,a\n3,1\n2,2\n", {{"qid_column", "q"}}), {"line 3", "a smaller query"});
  ExpectParts(Refusal("q,a\n3,1\n2,2\n", {{"qid_column", "q"}}, 1, 6), {".csv"});
  for (auto const* bad : {"q,a\n1.5,1\n", "q,a\n-1,1\n", "q,a\n,1\n", "q,a\n16777218,1\n"}) {
    ExpectParts(Refusal(bad, {{"qid_column", "q"}}), {"line 2", "queries must be whole numbers"});
  }
}

TEST(CsvReader, ColumnsThatAreNotThere) {
  ExpectParts(Refusal("target,b\n1,2\n", {{"label_column", "targte"}}),
              {"label_column=targte", "did you mean 'target'"});
  ExpectParts(Refusal("1,2\n", {{"label_column", "target"}}), {"label_column=target", "no header", "number"});
  ExpectParts(Refusal("a,b\n1,2\n", {{"ignore_columns", "a,7"}}), {"ignore_columns=7 is past the last column"});
  ExpectParts(Refusal("a,b\n1,2\n", {{"categorical_columns", "c"}}), {"categorical_columns=c"});
  ExpectParts(Refusal("a,b\n1,2\n", {{"label_column", "a"}, {"qid_column", "0"}}),
              {"qid_column=0", "already used by another parameter"});
  ExpectParts(Refusal("a,b\n1,2\n", {{"ignore_columns", "a,b"}}), {"no features"});
  ExpectParts(Refusal("a,b\n1,2\n", {{"label_column", "-2"}}), {"label_column=-2"});
}

}  // namespace
}  // namespace kauri
