#include "data/text/text_number.h"

#include <cstdlib>
#include <cstring>
#include <random>

#include "data/data_test_support.h"

namespace kauri {
namespace {

struct Parsed {
  NumberStatus status;
  float value;
  std::size_t n_read;
};

Parsed Parse(std::string const& text) {
  std::vector<char> const exact(text.begin(), text.end());  // no terminator, so that ASan detects reads past the end
  auto const parsed = ParseFloat(exact.data(), exact.data() + exact.size());
  return {parsed.status, parsed.value, static_cast<std::size_t>(parsed.end - exact.data())};
}

void ExpectAsStrtof(std::string const& text) {
  auto const expected = std::strtof(text.c_str(), nullptr);  // correctly rounded in glibc
  auto const parsed = Parse(text);
  ASSERT_EQ(parsed.n_read, text.size()) << text;
  if (std::isinf(expected)) {
    EXPECT_EQ(parsed.status, NumberStatus::kTooLarge) << text;
    return;
  }
  ASSERT_EQ(parsed.status, NumberStatus::kOk) << text;
  EXPECT_EQ(std::memcmp(&parsed.value, &expected, sizeof(float)), 0) << text << " -> " << parsed.value;
}

std::string RandomDigits(std::mt19937* random, int most) {
  std::string digits;
  for (auto n = static_cast<int>((*random)() % static_cast<unsigned>(most + 1)); n > 0; --n) {
    digits += static_cast<char>('0' + (*random)() % 10);
  }
  return digits;
}

TEST(TextNumber, RandomTextsAsStrtof) {
  std::mt19937 random(1);
  for (int i = 0; i < 200000; ++i) {
    auto text = std::string(random() % 3 == 0 ? "-" : random() % 5 == 0 ? "+" : "");
    auto const whole = RandomDigits(&random, i % 4 == 0 ? 25 : 4);
    text += whole;
    if (whole.empty() || random() % 4 != 0) text += "." + RandomDigits(&random, i % 3 == 0 ? 30 : 7) + "5";
    if (random() % 3 == 0) text += (random() % 2 == 0 ? "e" : "E-") + std::to_string(random() % (i % 2 == 0 ? 50 : 12));
    ExpectAsStrtof(text);
  }
}

TEST(TextNumber, HalfwayCasesAsStrtof) {
  std::mt19937 random(2);
  for (int i = 0; i < 20000; ++i) {
    std::uint32_t const bits = (random() & 0x7FFFFFU) | ((127U + random() % 24U) << 23U);
    float low = 0.0F;
    std::memcpy(&low, &bits, sizeof(low));
    auto const middle = (static_cast<double>(low) + static_cast<double>(std::nextafter(low, kInf))) / 2;
    char text[128];
    std::snprintf(text, sizeof(text), "%.60g", middle);
    ExpectAsStrtof(text);
    ExpectAsStrtof(std::string(text) +
                   (std::strchr(text, '.') != nullptr ? "0000000000000000001" : ".0000000000000000001"));
  }
}

TEST(TextNumber, Edges) {
  for (auto const* text : {"0",
                           "-0",
                           "0.0",
                           "00000000000000000000000000",
                           "0.00000000000000000000000000",
                           "1.",
                           ".5",
                           "1e5",
                           "1E+5",
                           "1e-5",
                           "3.4028235e38",
                           "3.4028236e38",
                           "340282356779733661637539395458142568447",
                           "340282356779733661637539395458142568448",
                           "1e39",
                           "-1e400",
                           "1e99999999999999999999",
                           "1e-46",
                           "1e-45",
                           "7e-46",
                           "1e-400",
                           "1.4e-45",
                           "1.17549435e-38",
                           "1e-99999999999999999999",
                           "0e99999999999999999999",
                           "9007199254740993",
                           "16777217",
                           "16777219",
                           "12345678901234567890",
                           "99999999999999999999",
                           "0.1234567",
                           "0.12345678",
                           "0.123456789",
                           "123456789012345678.5"}) {
    ExpectAsStrtof(text);
  }
}

TEST(TextNumber, StopsWhereTheNumberEnds) {
  EXPECT_EQ(Parse("1:2").n_read, 1U);
  EXPECT_EQ(Parse("1e").n_read, 1U);
  EXPECT_EQ(Parse("1e+").n_read, 1U);
  EXPECT_EQ(Parse("1.2.3").n_read, 3U);
  EXPECT_EQ(Parse("12345678/").n_read, 8U);
  EXPECT_EQ(Parse("0x10").n_read, 1U);
  EXPECT_EQ(Parse("1.2\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF").n_read, 3U);
}

TEST(TextNumber, Words) {
  for (auto const* text : {"nan", "NaN", "-nan", "+NAN"}) {
    EXPECT_EQ(Parse(text).status, NumberStatus::kOk) << text;
    EXPECT_TRUE(std::isnan(Parse(text).value)) << text;
    EXPECT_EQ(Parse(text).n_read, std::strlen(text)) << text;
  }
  for (auto const* text : {"inf", "-inf", "+Infinity", "INF"})
    EXPECT_EQ(Parse(text).status, NumberStatus::kInfinite) << text;
  for (auto const* text : {"", "-", "+", ".", "-.", "e5", ".e5", "x", "na", "in", "+-1", " 1"}) {
    EXPECT_EQ(Parse(text).status, NumberStatus::kNotANumber) << text;
    EXPECT_EQ(Parse(text).n_read, 0U) << text;
  }
}

TEST(TextNumber, Index) {
  auto const parse = [](std::string const& text) -> std::int64_t {
    auto const* at = text.data();
    std::int64_t value = -1;
    return ParseIndex(&at, text.data() + text.size(), &value) && at == text.data() + text.size() ? value : -1;
  };
  EXPECT_EQ(parse("0"), 0);
  EXPECT_EQ(parse("007"), 7);
  EXPECT_EQ(parse("999999999999999999"), 999999999999999999);
  EXPECT_EQ(parse("9999999999999999999"), -1);
  EXPECT_EQ(parse("18446744073709551617"), -1);
  EXPECT_EQ(parse(""), -1);
  EXPECT_EQ(parse("-1"), -1);
}

}  // namespace
}  // namespace kauri
