#include "common/text/json_text.h"

#include <gtest/gtest.h>

#include "support/error.h"

namespace kauri {
namespace {

TEST(JsonText, ReadsWhatNlohmannReads) {
  std::string const text = R"({"a": [1, -2, 3.5, "x\"[", null, true, {}], "b": {"c": []}})";
  EXPECT_EQ(ParseJsonText(text, ErrorKind::kParameter).Root(), nlohmann::json::parse(text));
}

TEST(JsonText, OfANameGivenTwiceTheLastCounts) {
  auto const document = ParseJsonText(R"({"a": [1, [2]], "a": 3})", ErrorKind::kParameter);
  EXPECT_EQ(JsonMember(document.Root(), "a"), 3);
  EXPECT_TRUE(JsonMember(document.Root(), "b").is_null());
}

TEST(JsonText, WhatIsNoJsonIsDiscarded) {
  for (auto const* text : {"", "{", "[1,]", "nul", "[1] 2"}) {
    EXPECT_TRUE(ParseJsonText(text, ErrorKind::kParameter).Root().is_discarded()) << text;
  }
}

TEST(JsonText, DepthHasALimit) {
  auto const nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_FALSE(ParseJsonText(nested(kMaxJsonDepth), ErrorKind::kData).Root().is_discarded());
  ExpectParts(MessageOf(ErrorKind::kData, [&] { ParseJsonText(nested(kMaxJsonDepth + 1), ErrorKind::kData); }),
              {"nested deeper than 64 levels"});
  auto const in_a_string = "\"" + std::string(100, '[') + "\"";
  EXPECT_EQ(ParseJsonText(in_a_string, ErrorKind::kData).Root(), std::string(100, '['));
}

TEST(JsonText, WritesTextsOfTexts) {
  EXPECT_EQ(JsonQuoted("a\"\n"), R"("a\"\n")");
  EXPECT_EQ(JsonQuoted("\xFF"), "\"\xEF\xBF\xBD\"");  // invalid UTF-8 becomes the replacement character
  EXPECT_EQ(JsonArray({}), "[]");
  EXPECT_EQ(JsonArray({"1", "[2]"}), "[1,[2]]");
  EXPECT_EQ(JsonObject({{"b", "1"}, {"a", "\"x\""}}), R"({"a":"x","b":1})");
}

}  // namespace
}  // namespace kauri
