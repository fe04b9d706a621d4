/// Side files of text files: each field, numbers over many blocks, and mismatches.
#include "data/text/side_files.h"

#include "common/platform/file.h"
#include "data/data_test_support.h"
#include "support/posix.h"

namespace kauri {
namespace {

/// A file beside `path`, deleted with this object.
class SideFile {
 public:
  SideFile(std::string const& path, std::string const& extension, std::string const& contents)
      : path_(path + extension) {
    std::ofstream(path_, std::ios::binary) << contents;
  }
  ~SideFile() { std::filesystem::remove(path_); }
  SideFile(SideFile const&) = delete;
  SideFile& operator=(SideFile const&) = delete;

 private:
  std::string path_;
};

MetaInfo OfRows(std::int64_t n_rows) {
  MetaInfo info;
  info.n_rows = n_rows;
  info.n_cols = 1;
  return info;
}

TEST(SideFiles, EachField) {
  TempFile const data("", ".txt");
  auto info = OfRows(5);
  ReadSideFiles(WithThreads(1), data.Path(), &info);
  EXPECT_TRUE(info.weights.empty() && info.group_ptr.empty() && info.base_margin.empty());
  SideFile const group(data.Path(), ".group", "2\r\n 3 \n\n");
  SideFile const weight(data.Path(), ".weight", "0.5\n1e1");
  SideFile const margin(data.Path(), ".base_margin", "1 2\n3\t4\n5 6\n-7 8\n9 1.5\n");
  ReadSideFiles(WithThreads(2), data.Path(), &info);
  EXPECT_EQ(info.group_ptr, (std::vector<std::int64_t>{0, 2, 5}));
  ExpectSame(info.weights, {0.5F, 10});
  ExpectSame(info.base_margin, {1, 2, 3, 4, 5, 6, -7, 8, 9, 1.5F});
}

#if KAURI_TEST_POSIX

TEST(SideFiles, OneThatCannotBeFoundOutAboutIsAnError) {
  TempFile const data("", ".txt");
  auto const weight = data.Path() + ".weight";
  std::filesystem::create_symlink(weight, weight);
  auto info = OfRows(1);
  EXPECT_THROW(ReadSideFiles(WithThreads(1), data.Path(), &info), Error);
  std::filesystem::remove(weight);
  ReadSideFiles(WithThreads(1), data.Path(), &info);
  ReadSideFiles(WithThreads(1), std::string(platform::kMostNameBytes, 'n'), &info);  // no such name can be
  EXPECT_TRUE(info.weights.empty());
}

#endif

TEST(SideFiles, ManyBlocks) {
  std::int64_t const n_rows = 100000;
  std::string text;
  for (std::int64_t row = 0; row < n_rows; ++row) text += std::to_string(row) + "\n";
  TempFile const data("", ".txt");
  SideFile const weight(data.Path(), ".weight", text);
  auto info = OfRows(n_rows);
  ReadSideFiles(WithThreads(8), data.Path(), &info);
  ASSERT_EQ(info.weights.size(), 100000U);
  for (std::size_t row = 0; row < info.weights.size(); ++row) ASSERT_EQ(info.weights[row], static_cast<float>(row));
}

TEST(SideFiles, Refusals) {
  TempFile const data("", ".txt");
  auto const refusal = [&](char const* extension, char const* contents, MetaInfo info) {
    SideFile const file(data.Path(), extension, contents);
    return MessageOf([&] { ReadSideFiles(WithThreads(1), data.Path(), &info); });
  };
  ExpectParts(refusal(".weight", "1\n2\n", OfRows(3)), {".txt.weight", "2 values", "3 rows"});
  ExpectParts(refusal(".weight", "1\n-2\n3\n", OfRows(3)), {".txt.weight", "row 1", "-2"});
  ExpectParts(refusal(".weight", "1\ntwo\n", OfRows(2)), {".txt.weight", "2", "'two'", "not a finite number"});
  ExpectParts(refusal(".weight", "1 nan", OfRows(2)), {".txt.weight", "row 1", "nan"});
  ExpectParts(refusal(".weight", "1 inf", OfRows(2)), {".txt.weight", "'inf'"});
  ExpectParts(refusal(".weight", " \n", OfRows(2)), {".txt.weight", "no numbers"});
  ExpectParts(refusal(".group", "1\n1.5\n", OfRows(3)), {".txt.group", "'1.5'", "count of rows"});
  ExpectParts(refusal(".group", "1\n1\n", OfRows(3)), {".txt.group", "add up to 2", "3 rows"});
  ExpectParts(refusal(".base_margin", "1 2 3 4", OfRows(3)), {".txt.base_margin", "3 rows"});
  auto weighted = OfRows(1);
  weighted.weights = {1};
  ExpectParts(refusal(".weight", "2", weighted), {".txt.weight", "weights", "already"});
  auto grouped = OfRows(1);
  grouped.group_ptr = {0, 1};
  ExpectParts(refusal(".group", "1", grouped), {".txt.group", "queries", "already"});
}

TEST(SideFiles, FeatureTypes) {
  TempFile const data("", ".txt");
  std::vector<std::string> const own{"q", "q", "c"};
  EXPECT_TRUE(ReadFeatureTypes(data.Path(), 3, {}).empty());
  EXPECT_EQ(ReadFeatureTypes(data.Path(), 3, own), own);
  {
    SideFile const types(data.Path(), ".feature_types", "c q\r\n\n\tint");
    std::vector<std::string> const expected{"c", "q", "int"};
    EXPECT_EQ(ReadFeatureTypes(data.Path(), 3, {}), expected);
    ExpectParts(MessageOf([&] { ReadFeatureTypes(data.Path(), 3, own); }), {".txt.feature_types", "already"});
  }
  auto const refusal = [&](char const* contents) {
    SideFile const file(data.Path(), ".feature_types", contents);
    return MessageOf([&] { ReadFeatureTypes(data.Path(), 3, {}); });
  };
  ExpectParts(refusal("c q"), {".txt.feature_types", "2 values", "3 columns"});
  ExpectParts(refusal("c q number"), {".txt.feature_types", "feature 2", "'number'", "Known"});
  ExpectParts(refusal("\n"), {".txt.feature_types", "no types"});
}

}  // namespace
}  // namespace kauri
