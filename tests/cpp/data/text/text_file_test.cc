#include "data/data_test_support.h"
#include "data/text/text_reader.h"
#include "data/text/uri.h"

namespace kauri {
namespace {

TEST(TextFile, BlocksHoldEveryLineOnce) {
  for (std::string const text :
       {"a\nbb\n\nccc\n", "a\nbb\n\nccc", "\n\n\n", "one line without an end", "x\n", "\r\n\r\n"}) {
    TempFile const file(text, ".txt");
    for (std::int64_t block_bytes = 1; block_bytes <= static_cast<std::int64_t>(text.size()) + 1; ++block_bytes) {
      TextFile const blocks(file.Path(), block_bytes);
      std::string all;
      for (std::int64_t block = 0; block < blocks.NumBlocks(); ++block) {
        std::vector<char> buffer;
        auto const part = blocks.ReadBlock(block, &buffer);
        all.append(part.begin(), part.end());
        EXPECT_TRUE(part.empty() || part.end()[-1] == '\n' || all.size() == text.size()) << block_bytes;
      }
      EXPECT_EQ(all, text) << block_bytes;
    }
  }
}

TEST(TextFile, Refusals) {
  auto const refusal = [](std::string const& path) { return MessageOf([&] { TextFile{path}; }); };
  ExpectParts(refusal("/no/such/file.csv"), {"there is no file '/no/such/file.csv'", "check the path"});
  ExpectParts(refusal(::testing::TempDir()), {"is a directory", "name a file in it"});
#ifndef _WIN32
  ExpectParts(refusal("/dev/null"), {"'/dev/null' is not a regular file"});
#endif
  TempFile const file("1,2\n3,4\n", ".csv");
  TextFile const text(file.Path());
  std::filesystem::resize_file(file.Path(), 3);
  std::vector<char> buffer;
  ExpectParts(MessageOf([&] { text.ReadBlock(0, &buffer); }),
              {"ends at byte 3", "had 8 bytes when it was opened", "changed"});
  std::filesystem::remove(file.Path());
  ExpectParts(MessageOf([&] { text.ReadBlock(0, &buffer); }), {"cannot be opened", "No such file"});
}

TEST(TextReaders, UnknownParameters) {
  TempFile const file("1,2\n", ".csv");
  ExpectParts(MessageOf([&] {
                ReadCsv(WithThreads(1), file.Path(), {{"label_colum", "0"}});
              }),
              {"format=csv", "'label_colum'", "did you mean 'label_column'", "delimiter"});
  ExpectParts(MessageOf([&] {
                ReadLibsvm(WithThreads(1), file.Path(), {{"label_column", "0"}});
              }),
              {"format=libsvm", "'label_column'", "Known: indexing_mode"});
  ExpectParts(MessageOf([&] {
                ReadLibsvm(WithThreads(1), file.Path(), {{"indexing_mode", "2"}});
              }),
              {"indexing_mode", "2"});
  ExpectSame(RowsOf(*ReadCsv(WithThreads(1), file.Path(), {{"label_column", "0"}})), {2});
}

TEST(DataUri, PathFormatAndParameters) {
  auto const uri = ParseDataUri("a dir/x.txt?format=csv&label_column=0&delimiter=;");
  EXPECT_EQ(uri.path, "a dir/x.txt");
  EXPECT_EQ(uri.format, "csv");
  EXPECT_EQ(uri.params, (ParamMap{{"label_column", "0"}, {"delimiter", ";"}}));
  EXPECT_EQ(ParseDataUri("x.csv").format, "csv");
  EXPECT_EQ(ParseDataUri("x.svm?indexing_mode=1").format, "libsvm");
  EXPECT_EQ(ParseDataUri("x.libsvm").format, "libsvm");
  EXPECT_EQ(ParseDataUri("x.csv?format=libsvm").format, "libsvm");
  EXPECT_EQ(ParseDataUri("x.txt").format, "");
  EXPECT_EQ(ParseDataUri("dir.csv/x").format, "");
  auto const cached = ParseDataUri("x.csv?label_column=0#a dir/cache");
  EXPECT_EQ(cached.path, "x.csv");
  EXPECT_EQ(cached.cache, "a dir/cache");
  EXPECT_EQ(cached.params, (ParamMap{{"label_column", "0"}}));
  EXPECT_EQ(ParseDataUri("x.libsvm#c").format, "libsvm");
  EXPECT_EQ(ParseDataUri("x.csv").cache, "");
}

TEST(DataUri, Refusals) {
  auto const refusal = [](std::string const& text) { return MessageOf([&] { ParseDataUri(text); }); };
  ExpectParts(refusal("x?format"), {"name=value", "'format'"});
  ExpectParts(refusal("x?=1"), {"name=value", "'=1'"});
  ExpectParts(refusal("x?"), {"name=value", "''"});
  ExpectParts(refusal("x?a=1&a=2"), {"sets 'a' twice"});
  ExpectParts(refusal("x?format=csv#"), {"a name after '#'", "remove it"});
}

}  // namespace
}  // namespace kauri
