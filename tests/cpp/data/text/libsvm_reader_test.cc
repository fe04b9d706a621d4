#include <random>
#include <sstream>

#include "data/data_test_support.h"
#include "data/text/text_reader.h"

namespace kauri {
namespace {

std::unique_ptr<DataMatrix> Read(std::string const& text, ParamMap const& params = {}, int threads = 1,
                                 std::int64_t block_bytes = TextFile::kBlockBytes) {
  TempFile const file(text, ".libsvm");
  return ReadLibsvm(WithThreads(threads), TextFile(file.Path(), block_bytes), ParseParameters<LibsvmParam>(params));
}

/// Returns the message without the path, which must come first.
std::string Refusal(std::string const& text, ParamMap const& params = {}, int threads = 1,
                    std::int64_t block_bytes = TextFile::kBlockBytes) {
  auto const message = MessageOf([&] { Read(text, params, threads, block_bytes); });
  auto const after = message.find(".libsvm");
  EXPECT_NE(after, std::string::npos) << message;
  return message.substr(after == std::string::npos ? 0 : after + 7);
}

TEST(LibsvmReader, WorkedExample) {
  auto const matrix = Read("1 0:1.5 2:-2\n0\n-1 1:3\n");
  EXPECT_EQ(matrix->NumRows(), 3);
  EXPECT_EQ(matrix->NumCols(), 3);
  ExpectSame(matrix->Info().labels, {1, 0, -1});
  EXPECT_TRUE(matrix->Info().weights.empty());
  EXPECT_TRUE(matrix->Info().group_ptr.empty());
  ExpectSame(RowsOf(*matrix), {1.5F, kNaN, -2, kNaN, kNaN, kNaN, kNaN, 3, kNaN});
}

TEST(LibsvmReader, WeightsQueriesCommentsBlanksAndLineEnds) {
  auto const* text =
      "\xEF\xBB\xBF# a comment\r\n"
      "\r\n"
      "+1:0.5\tqid:3  0:+1 1:1e1 \r\n"
      "  0:2 qid:3 1:.5# the rest\r\n"
      "   \t \r\n"
      "2.5:0 qid:7 # no features\r\n"
      "1:1 qid:9 1:nan 0:7";
  for (auto const block_bytes : {1, 5, 16, 1000}) {
    auto const matrix = Read(text, {}, 2, block_bytes);
    ExpectSame(matrix->Info().labels, {1, 0, 2.5F, 1});
    ExpectSame(matrix->Info().weights, {0.5F, 2, 0, 1});
    EXPECT_EQ(matrix->Info().group_ptr, (std::vector<std::int64_t>{0, 2, 3, 4}));
    ExpectSame(RowsOf(*matrix), {1, 10, kNaN, 0.5F, kNaN, kNaN, 7, kNaN});
  }
}

TEST(LibsvmReader, IndexingModes) {
  auto const* from_one = "1 1:2 3:4\n0 2:1\n";
  EXPECT_EQ(Read(from_one)->NumCols(), 4);
  EXPECT_TRUE(std::isnan(RowsOf(*Read(from_one))[0]));
  for (auto const* mode : {"1", "-1"}) {
    auto const matrix = Read(from_one, {{"indexing_mode", mode}});
    ExpectSame(RowsOf(*matrix), {2, kNaN, 4, kNaN, 1, kNaN});
  }
  EXPECT_EQ(Read("1 0:2 3:4\n", {{"indexing_mode", "-1"}})->NumCols(), 4);
  EXPECT_EQ(Read("1 1:2 3:4\n0 0:nan\n", {{"indexing_mode", "-1"}}, 1, 4)->NumCols(), 4);
  ExpectParts(Refusal("1 1:1\n1 0:2\n", {{"indexing_mode", "1"}}),
              {", line 2", "'0:2'", "below the first feature", "indexing_mode=0"});
}

TEST(LibsvmReader, UnsortedFeaturesAndSparseStorage) {
  auto const matrix = Read("1 9:1 0:2 5:3\n0 7:4\n");
  ASSERT_FALSE(matrix->IsDense());
  EXPECT_EQ(matrix->Csr().features, (std::vector<std::uint32_t>{0, 5, 9, 7}));
  EXPECT_EQ(matrix->Csr().values, (std::vector<float>{2, 3, 1, 4}));
  EXPECT_EQ(Read("1 2147483646:1\n", {{"indexing_mode", "0"}})->NumCols(), 2147483647);
}

TEST(LibsvmReader, Refusals) {
  ExpectParts(Refusal("1 0:1\nabc 0:1\n"), {", line 2", "'abc'", "not a label"});
  ExpectParts(Refusal("nan 0:1\n"), {", line 1", "'nan'", "labels must be finite"});
  ExpectParts(Refusal("inf 0:1\n"), {", line 1", "'inf'", "infinite"});
  ExpectParts(Refusal("1e40 0:1\n"), {"'1e40'", "too large for float32"});
  ExpectParts(Refusal("1,0:1\n"), {"'1,0:1'", "not a label"});
  ExpectParts(Refusal("1:-2 0:1\n"), {"'1:-2'", "weights must be at least 0"});
  ExpectParts(Refusal("1:nan 0:1\n"), {"'1:nan'", "weights must be at least 0"});
  ExpectParts(Refusal("1: 0:1\n"), {"'1:'", "label:weight"});
  ExpectParts(Refusal("1 0:1 3\n"), {"'3'", "not index:value"});
  ExpectParts(Refusal("1 0:1 3:"), {"'3:'", "not index:value"});
  ExpectParts(Refusal("1 0:1 :3\n"), {"':3'", "not index:value"});
  ExpectParts(Refusal("1 0:1x 1:3\n"), {"'0:1x'", "not index:value"});
  ExpectParts(Refusal("1 -1:3\n"), {"'-1:3'", "not index:value"});
  ExpectParts(Refusal("1 0:1:3\n"), {"'0:1:3'", "not index:value"});
  ExpectParts(Refusal("1 0:inf\n"), {"'0:inf'", "infinite"});
  ExpectParts(Refusal("1 0:1e39\n"), {"'0:1e39'", "too large"});
  ExpectParts(Refusal("1 2147483647:1\n"), {"'2147483647:1'", "largest feature number, 2147483646"});
  ExpectParts(Refusal("1 99999999999999999999:1\n"), {"not index:value"});
  ExpectParts(Refusal("0 1:1\n1 3:1 2:2 3:3\n"), {", line 2", "feature 3 is given twice"});
  ExpectParts(Refusal("1 0:1 qid:3\n"), {"'qid:3'", "not index:value"});
  ExpectParts(Refusal("1 qid:x 0:1\n"), {"'qid:x'", "qid:n"});
  ExpectParts(Refusal("1 qid:1.5 0:1\n"), {"'qid:1.5'", "qid:n"});
  ExpectParts(Refusal("1:1 0:1\n\n1 0:1\n"), {", line 3", "no weight, but the first row has one"});
  ExpectParts(Refusal("1 0:1\n\n1:1 0:1\n"), {", line 3", "has a weight, but the first row has none"});
  ExpectParts(Refusal("1 qid:1 0:1\n1 0:1\n"), {", line 2", "no qid, but the first row has one"});
  ExpectParts(Refusal("1 0:1\n1 qid:1 0:1\n"), {", line 2", "has a qid, but the first row has none"});
  ExpectParts(Refusal("1 qid:2 0:1\n1 qid:1 0:1\n"), {", line 2", "qid:1 follows qid:2", "sort"});
  ExpectParts(Refusal("1\n0\n"), {"rows but no features"});
  ExpectParts(Refusal(""), {"no rows"});
  ExpectParts(Refusal("\n # only comments\n"), {"no rows"});
  ExpectParts(Refusal(std::string("1 0:1\n\0\x01 0:2\n", 13)), {", line 2", "'\\x00\\x01'"});
  auto const shown = Refusal("1 " + std::string(500, 'y'));
  ExpectParts(shown, {std::string(40, 'y') + "...'"});
  EXPECT_LT(shown.size(), 150U);
}

TEST(LibsvmReader, LineOfTheFirstFaultForAnyBlocksAndThreads) {
  std::string text;
  for (int line = 1; line <= 200; ++line)
    text += line % 10 == 0 ? "\n" : line == 77 || line == 150 ? "1 0:bad\n" : "1 qid:5 0:1\n";
  std::string unsorted;
  for (int line = 1; line <= 99; ++line) unsorted += line == 60 ? "1 qid:2 0:1\n" : "1 qid:4 0:1\n";
  for (auto const block_bytes : {1, 13, 64, 100000}) {
    for (auto const threads : {1, 8}) {
      ExpectParts(Refusal(text, {}, threads, block_bytes), {", line 77:"});
      ExpectParts(Refusal(unsorted, {}, threads, block_bytes), {", line 60:", "qid:2 follows qid:4"});
    }
  }
}

/// A reference reader: tokens by operator>>, values by strtof, rows as cells.
struct Reference {
  std::vector<float> labels;
  std::vector<float> cells;
};

Reference ReadNaively(std::string const& text, std::size_t n_cols) {
  Reference out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream tokens(line.substr(0, line.find('#')));
    std::string token;
    if (!(tokens >> token)) continue;
    out.labels.push_back(std::strtof(token.c_str(), nullptr));
    std::vector<float> row(n_cols, kNaN);
    while (tokens >> token) {
      row[std::strtoul(token.c_str(), nullptr, 10)] = std::strtof(token.c_str() + token.find(':') + 1, nullptr);
    }
    out.cells.insert(out.cells.end(), row.begin(), row.end());
  }
  return out;
}

std::string RandomText(std::size_t n_cols, int percent, unsigned seed) {
  std::mt19937 random(seed);
  std::string text;
  for (int row = 0; row < 400; ++row) {
    if (random() % 9 == 0) text += random() % 2 == 0 ? "\n" : " # note: 1:2\r\n";
    text += std::to_string(static_cast<int>(random() % 7) - 3);
    for (std::size_t col = 0; col < n_cols; ++col) {
      if (static_cast<int>(random() % 100) >= percent && !(row == 0 && col + 1 == n_cols)) continue;
      char value[64];
      std::snprintf(value, sizeof(value), random() % 2 == 0 ? "%.9g" : "%.3e",
                    std::ldexp(random(), static_cast<int>(random() % 60) - 50));
      text += (random() % 8 == 0 ? "\t " : " ") + std::to_string(col) + ":" + (random() % 4 == 0 ? "-" : "") + value;
    }
    text += random() % 3 == 0 ? " \r\n" : "\n";
  }
  return text;
}

TEST(LibsvmReader, EqualsNaiveParserForAnyBlocksAndThreads) {
  for (auto const percent : {3, 50, 95}) {
    auto const text = RandomText(12, percent, static_cast<unsigned>(percent));
    auto const expected = ReadNaively(text, 12);
    for (auto const block_bytes : {1, 37, 4096, 1 << 20}) {
      for (auto const threads : {1, 8}) {
        auto const matrix = Read(text, {}, threads, block_bytes);
        ASSERT_EQ(matrix->NumCols(), 12);
        ExpectSame(matrix->Info().labels, expected.labels);
        ExpectSame(RowsOf(*matrix), expected.cells);
      }
    }
  }
}

}  // namespace
}  // namespace kauri
