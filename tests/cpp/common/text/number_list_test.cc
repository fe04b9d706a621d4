#include "common/text/number_list.h"

#include <gtest/gtest.h>

namespace kauri {
namespace {

using Numbers = std::vector<float>;

TEST(NumberList, ReadsOneNumberOrAList) {
  Numbers numbers;
  for (auto const* text : {"[0.5, -2]", "(0.5,-2)", "  [ +0.5 , -2.0 ] "}) {
    EXPECT_TRUE(ParseNumbers(text, &numbers)) << text;
    EXPECT_EQ(numbers, (Numbers{0.5F, -2.0F})) << text;
  }
  EXPECT_TRUE(ParseNumbers(" 7 ", &numbers));
  EXPECT_EQ(numbers, (Numbers{7.0F}));
  for (auto const* text : {"", "[]", "( )"}) {
    EXPECT_TRUE(ParseNumbers(text, &numbers)) << text;
    EXPECT_TRUE(numbers.empty()) << text;
  }
}

TEST(NumberList, RefusesWhatIsNotAllNumbers) {
  Numbers numbers;
  for (auto const* text : {"1, 2", "[1", "1]", "[1)", "[1,]", "[,1]", "[1 2]", "one", "nan", "[inf]", "1e99"}) {
    EXPECT_FALSE(ParseNumbers(text, &numbers)) << text;
  }
}

TEST(NumberList, WritesTheShortestTextThatReadsBack) {
  EXPECT_EQ(NumbersText({}), "[]");
  EXPECT_EQ(NumbersText({0.1F, 90.0F}), "[1E-1,9E1]");
  Numbers const numbers{1.0F / 3.0F, -1e-42F, 3.4e38F};
  Numbers read;
  EXPECT_TRUE(ParseNumbers(NumbersText(numbers), &read));
  EXPECT_EQ(read, numbers);
}

}  // namespace
}  // namespace kauri
