#include "common/text/quoted.h"

#include <gtest/gtest.h>

namespace kauri {
namespace {

TEST(Quoted, ShowsShortTextAsItIs) {
  EXPECT_EQ(Quoted(""), "''");
  EXPECT_EQ(Quoted("eta=0.3"), "'eta=0.3'");
  EXPECT_EQ(Quoted("größe 水 \xF0\x9F\x8C\xB2"), "'größe 水 \xF0\x9F\x8C\xB2'");
}

TEST(Quoted, EscapesWhatIsNoText) {
  using namespace std::string_literals;
  EXPECT_EQ(Quoted("a\nb\t\r\x1B[2J\x7F\0c"s), "'a\\x0Ab\\x09\\x0D\\x1B[2J\\x7F\\x00c'");
  EXPECT_EQ(Quoted("caf\xE9"), "'caf\\xE9'");
  // overlong, half a surrogate pair, too large, truncated
  EXPECT_EQ(Quoted("\xC0\xAF \xED\xA0\x80 \xF4\x90\x80\x80 \xE6\xB0"),
            "'\\xC0\\xAF \\xED\\xA0\\x80 \\xF4\\x90\\x80\\x80 \\xE6\\xB0'");
}

TEST(Quoted, CutsLongText) {
  EXPECT_EQ(Quoted(std::string(300, 'x')), "'" + std::string(300, 'x') + "'");
  EXPECT_EQ(Quoted(std::string(50 << 20, 'x')), "'" + std::string(300, 'x') + "...' (52428800 bytes)");
  EXPECT_EQ(Quoted("abc", 2), "'ab...' (3 bytes)");
  EXPECT_EQ(Quoted("aö水b", 2), "'a...' (7 bytes)");  // does not split a character
  EXPECT_EQ(Quoted("aö水b", 3), "'aö...' (7 bytes)");
  EXPECT_EQ(Quoted("aö水b", 5), "'aö...' (7 bytes)");
  EXPECT_EQ(Quoted("\x80\x80\x80\x80\x80\x80", 5), "'\\x80\\x80\\x80\\x80\\x80...' (6 bytes)");
}

TEST(Presentable, KeepsBothEndsOfALongMessage) {
  EXPECT_EQ(Presentable("what is wrong; the cure"), "what is wrong; the cure");
  EXPECT_EQ(Presentable("a\n\x1B[2J\xFF"), "a\\x0A\\x1B[2J\\xFF");
  auto const message = Presentable("parameter '" + std::string(1 << 26, 'x') + "' is not known; the cure");
  EXPECT_LT(message.size(), 4200U);
  EXPECT_EQ(message.substr(0, 14), "parameter 'xxx");
  EXPECT_EQ(message.substr(message.size() - 10), "; the cure");
  EXPECT_NE(message.find(" bytes ...] "), std::string::npos);
}

}  // namespace
}  // namespace kauri
