/// gzip: any bytes give the packed text or an error. Standard input is tested with the command line.
#include "data/text/whole_text.h"

#include <zlib.h>

#include "data/data_test_support.h"
#include "data/text/text_reader.h"
#include "data/text/text_source.h"

namespace kauri {
namespace {

constexpr std::int64_t kMostLineBytes = 1000;

std::string Packed(std::string const& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// Returns the unpacked text of bytes that arrive in steps of `step`.
std::string Unpacked(std::string const& packed, std::size_t step) {
  std::string text;
  Gunzip gunzip("x", [&](Span<char const> bytes) { text.append(bytes.data(), bytes.size()); });
  for (std::size_t begin = 0; begin < packed.size(); begin += step) {
    gunzip.Add({packed.data() + begin, std::min(step, packed.size() - begin)});
  }
  gunzip.Finish();
  return text;
}

std::string TextOf(std::string const& bytes) {
  TempFile const file(bytes, ".csv");
  return *ReadWholeText(file.Path(), kMostLineBytes);
}

std::string Numbers(int n_lines) {
  std::string text;
  for (int line = 0; line < n_lines; ++line) text += std::to_string(line % 2) + ',' + std::to_string(line * 37) + '\n';
  return text;
}

TEST(Gunzip, MembersAndPaddingInAnyPieces) {
  auto const text = Numbers(400);
  auto const one = Packed(text);
  for (std::size_t step = 1; step <= one.size(); step += 7) {
    EXPECT_EQ(Unpacked(one, step), text) << step;
    EXPECT_EQ(Unpacked(one + Packed("") + Packed("end"), step), text + "end") << step;
    EXPECT_EQ(Unpacked(one + std::string(5, '\0') + one + std::string(512, '\0'), step), text + text) << step;
  }
}

TEST(Gunzip, WhatIsCutOffSaysSo) {
  auto const packed = Packed(Numbers(50));
  for (std::size_t length = 0; length < packed.size(); ++length) {
    ExpectParts(MessageOf([&] { Unpacked(packed.substr(0, length), 10); }), {"'x' is cut off", "member 1", "again"});
    if (length == 0) continue;
    ExpectParts(MessageOf([&] { Unpacked(packed + packed.substr(0, length), 10); }), {"'x' is cut off", "member 2"});
  }
}

TEST(Gunzip, NoChangedByteGoesUnseen) {
  auto const text = Numbers(50);
  auto const packed = Packed(text);
  for (std::size_t place = 0; place < packed.size(); ++place) {
    auto changed = packed;
    changed[place] = static_cast<char>(changed[place] ^ 0x10);
    try {
      EXPECT_EQ(Unpacked(changed, 100), text) << place;  // time and system in the header
    } catch (Error const& error) {
      EXPECT_EQ(error.Kind(), ErrorKind::kData);
    }
  }
  ExpectParts(MessageOf([&] { Unpacked(packed + "more", 9); }), {"'x' is not valid gzip", "header", "member 2"});
}

TEST(WholeText, IsGzipWhateverItsName) {
  auto const text = Numbers(10);
  EXPECT_EQ(TextOf(Packed(text)), text);
  TempFile const plain(text, ".csv.gz");
  EXPECT_EQ(ReadWholeText(plain.Path(), kMostLineBytes), nullptr);
  EXPECT_EQ(ReadWholeText("/no/such/file", kMostLineBytes), nullptr);
  TempFile const byte("\x1f", ".csv");
  EXPECT_FALSE(IsReadWhole(byte.Path()));
}

TEST(WholeText, ALineHasABound) {
  std::string const longest(kMostLineBytes, '1');
  EXPECT_EQ(TextOf(Packed(longest + '\n' + longest)), longest + '\n' + longest);
  ExpectParts(MessageOf([&] { TextOf(Packed("1\n" + longest + "1")); }), {"a line of more than 1000 bytes"});
  ExpectParts(MessageOf([&] { TextOf(Packed(std::string(1 << 26, '\0'))); }), {"a line of more than 1000 bytes"});
}

TEST(WholeText, BlocksHoldEveryLineOnce) {
  for (std::string const text :
       {"a\nbb\n\nccc\n", "a\nbb\n\nccc", "\n\n\n", "one line without an end", "x\n", "\r\n\r\n", ""}) {
    TempFile const file(Packed("\xEF\xBB\xBF" + text), ".txt");
    for (std::int64_t block_bytes = 1; block_bytes <= static_cast<std::int64_t>(text.size()) + 4; ++block_bytes) {
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

TEST(WholeText, ReadersTakeItAndCachesDoNot) {
  auto const text = Numbers(100000);  // several blocks
  TempFile const plain(text, ".csv");
  TempFile const packed(Packed(text), ".csv");
  auto const read = [](std::string const& path) { return ReadCsv(WithThreads(2), path, {{"label_column", "0"}}); };
  ExpectSame(RowsOf(*read(packed.Path())), RowsOf(*read(plain.Path())));
  EXPECT_EQ(read(packed.Path())->Info().labels, read(plain.Path())->Info().labels);
  TempFile const wrong(Packed("1,2\n3,4\n5,x\n"), ".csv");
  ExpectParts(MessageOf([&] { read(wrong.Path()); }), {wrong.Path(), "line 3", "'x'"});
  TempFile const empty(Packed(""), ".csv");
  ExpectParts(MessageOf([&] { read(empty.Path()); }), {"has no rows"});
  ExpectParts(MessageOf([&] { MakeTextSource(WithThreads(1), "csv", packed.Path(), {}); }),
              {"which is gzip, cannot be read part by part", "unpack it", "'#'"});
}

}  // namespace
}  // namespace kauri
