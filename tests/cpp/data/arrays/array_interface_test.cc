#include "kauri/array_interface.h"

#include <cstring>

#include "data/data_test_support.h"

namespace kauri {
namespace {

std::string Json(void const* data, std::string const& typestr, std::string const& shape, std::string const& more = "") {
  return "{\"data\":[" + std::to_string(reinterpret_cast<std::uintptr_t>(data)) + ",true],\"typestr\":\"" + typestr +
         "\",\"shape\":" + shape + more + ",\"version\":3}";
}

std::string Refusal(std::string const& json) {
  return MessageOf([&] { ParseArrayInterface(json); });
}

template <typename T>
void ExpectDType(std::string const& code, T one) {
  std::vector<T> const values{one, one};
  auto const array = ParseArrayInterface(Json(values.data(), code, "[2]"));
  EXPECT_EQ(array.dtype, DTypeOf<T>()) << code;
  EXPECT_EQ(ElementAsDouble(array, 1, 0), 1.0) << code;
}

TEST(ArrayInterface, EveryDType) {
  ExpectDType<float>("<f4", 1.0F);
  ExpectDType<double>("=f8", 1.0);
  ExpectDType<long double>("<f16", 1.0L);
  ExpectDType<Half>("<f2", Half{0x3C00});
  ExpectDType<std::int8_t>("|i1", 1);
  ExpectDType<std::int16_t>("<i2", 1);
  ExpectDType<std::int32_t>("<i4", 1);
  ExpectDType<std::int64_t>("<i8", 1);
  ExpectDType<std::uint8_t>("|u1", 1);
  ExpectDType<std::uint16_t>("<u2", 1);
  ExpectDType<std::uint32_t>("<u4", 1);
  ExpectDType<std::uint64_t>("=u8", 1);
  ExpectDType<ByteBool>("|b1", ByteBool{7});
}

/// Decodes binary16 naively: sign * 1.fraction * 2^(exponent - 15).
double HalfReference(std::uint16_t bits) {
  auto const exponent = (bits >> 10U) & 31U;
  auto const fraction = bits & 1023U;
  auto const sign = (bits >> 15U) != 0U ? -1.0 : 1.0;
  if (exponent == 31U) return fraction != 0U ? std::nan("") : sign * INFINITY;
  if (exponent == 0U) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024.0 + fraction, static_cast<int>(exponent) - 25);
}

TEST(ArrayInterface, AllHalves) {
  for (std::uint32_t bits = 0; bits < 65536U; ++bits) {
    Half const half{static_cast<std::uint16_t>(bits)};
    auto const expected = HalfReference(half.bits);
    auto const actual = static_cast<double>(half);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(actual)) << bits;
    } else {
      ASSERT_EQ(actual, expected) << bits;
    }
  }
}

TEST(ArrayInterface, Strides) {
  std::vector<std::int16_t> const values{1, 2, 3, 4, 5, 6};
  auto const columns_first = ParseArrayInterface(Json(values.data(), "<i2", "[3,2]", ",\"strides\":[2,6]"));
  EXPECT_EQ(ElementAsDouble(columns_first, 1, 1), 5.0);
  auto const reversed = ParseArrayInterface(Json(&values[5], "<i2", "[6]", ",\"strides\":[-2]"));
  EXPECT_EQ(ElementAsDouble(reversed, 0, 0), 6.0);
  EXPECT_EQ(ElementAsDouble(reversed, 5, 0), 1.0);
  auto const packed = ParseArrayInterface(Json(values.data(), "<i2", "[2,3]", ",\"strides\":null"));
  EXPECT_EQ(ElementAsDouble(packed, 1, 0), 4.0);
  auto const repeated = ParseArrayInterface(Json(values.data(), "<i2", "[4]", ",\"strides\":[0]"));
  EXPECT_EQ(ElementAsDouble(repeated, 3, 0), 1.0);
  std::vector<char> bytes(9);
  auto const value = 2.5;
  std::memcpy(&bytes[1], &value, sizeof(value));
  EXPECT_EQ(ElementAsDouble(ParseArrayInterface(Json(&bytes[1], "<f8", "[1]")), 0, 0), 2.5);
}

TEST(ArrayInterface, EmptyArraysMayBeNull) {
  for (auto const* data : {"[0,true]", "[null,true]", "null"}) {
    auto const json = std::string("{\"data\":") + data + ",\"typestr\":\"<f4\",\"shape\":[0,5]}";
    EXPECT_EQ(ParseArrayInterface(json).Size(), 0) << json;
    EXPECT_EQ(ParseArrayInterface(json).shape[1], 5) << json;
  }
}

TEST(ArrayInterface, RefusesMalformedText) {
  ExpectParts(Refusal("{]"), {"'{]' is not JSON", "__array_interface__"});
  ExpectParts(Refusal("[1]"), {"expected a JSON object", "[1]"});
  ExpectParts(Refusal("{}"), {"'typestr' is missing"});
  ExpectParts(Refusal(R"({"typestr":"<f4"})"), {"'shape' is missing"});
  ExpectParts(Refusal(R"({"typestr":"<f4","shape":[1]})"), {"'data' is missing"});
  ExpectParts(Refusal(R"({"data":["x",true],"typestr":"<f4","shape":[1]})"), {"[address, read_only]", "\"x\""});
  ExpectParts(Refusal(R"({"data":[-8,true],"typestr":"<f4","shape":[1]})"), {"[address, read_only]", "-8"});
  ExpectParts(Refusal(R"({"data":[8.5,true],"typestr":"<f4","shape":[1]})"), {"[address, read_only]", "8.5"});
  ExpectParts(Refusal(Json(nullptr, "<f4", "[1]")), {"address is null", "1 elements"});
  ExpectParts(Refusal("{\"x\": \"" + std::string(500, 'y') + "\xFF\"}"), {"is not JSON"});
}

TEST(ArrayInterface, RefusesWhatItCannotRead) {
  auto const value = 1.0;
  for (auto const* code : {"<c8", "<f1", "<f160", "<U3", "|O", "f4", "<f44", "<f3", "", "<M8[ns]"}) {
    ExpectParts(Refusal(Json(&value, code, "[1]")), {"typestr", code, "not supported"});
  }
  ExpectParts(Refusal(R"({"data":[8,true],"typestr":7,"shape":[1]})"), {"typestr '7'"});
  ExpectParts(Refusal(Json(&value, ">f4", "[1]")), {"byte order", ">f4", "native order"});
  ExpectParts(Refusal(Json(&value, "|f4", "[1]")), {"byte order"});
  ExpectParts(Refusal(Json(&value, "<f4", "[1]", ",\"mask\":{}")), {"masked", "NaN"});
  EXPECT_EQ(Refusal(Json(&value, "<f4", "[1]", ",\"mask\":null")), "no error");
  ExpectParts(Refusal(Json(&value, "<f4", "[1]", ",\"stream\":1")), {"device", "stream"});
  ExpectParts(Refusal(R"({"data":[8,true],"typestr":"<f4","shape":[1],"version":4})"), {"version 4"});
  ExpectParts(Refusal(R"({"data":[8,true],"typestr":"<f4","shape":[1],"version":"3"})"), {"version"});
}

TEST(ArrayInterface, RefusesShapesThatDoNotFit) {
  auto const value = 1.0;
  ExpectParts(Refusal(Json(&value, "<f4", "[]")), {"shape is []", "one or two dimensions"});
  ExpectParts(Refusal(Json(&value, "<f4", "[1,1,1]")), {"[1,1,1]", "one or two dimensions"});
  ExpectParts(Refusal(Json(&value, "<f4", "3")), {"shape is 3"});
  ExpectParts(Refusal(Json(&value, "<f4", "[-1]")), {"[-1]", "negative"});
  ExpectParts(Refusal(Json(&value, "<f4", "[1.5]")), {"1.5", "integer"});
  ExpectParts(Refusal(Json(&value, "<f4", "[18446744073709551615]")), {"18446744073709551615", "integer"});
  ExpectParts(Refusal(Json(&value, "<f4", "[4294967296,4294967296]")), {"more bytes than"});
  ExpectParts(Refusal(Json(&value, "<f8", "[2305843009213693952]")), {"more bytes than"});
  ExpectParts(Refusal(Json(&value, "<f4", "[1]", ",\"strides\":[4,4]")), {"strides [4,4]", "[1]"});
  ExpectParts(Refusal(Json(&value, "<f4", "[2]", ",\"strides\":[\"4\"]")), {"strides", "integer"});
  ExpectParts(Refusal(Json(&value, "<f4", "[3]", ",\"strides\":[9223372036854775807]")), {"outside of memory"});
  ExpectParts(Refusal(Json(&value, "<f4", "[3]", ",\"strides\":[-9223372036854775808]")), {"outside of memory"});
  ExpectParts(Refusal(Json(reinterpret_cast<void*>(64), "<f4", "[30]", ",\"strides\":[-4]")), {"outside of memory"});
  ExpectParts(Refusal(Json(reinterpret_cast<void*>(UINTPTR_MAX - 7), "<f4", "[3]")), {"outside of memory"});
}

TEST(ArrayInterface, Streams) {
  auto const value = 1.0F;
  auto const parse = [&](std::string const& more) {
    return ParseDeviceArrayInterface(Json(&value, "<f4", "[1]", more));
  };
  EXPECT_EQ(parse(",\"stream\":null").stream, DeviceArray::kReady);
  EXPECT_EQ(parse(",\"stream\":140000000000000").stream, 140000000000000U);
  EXPECT_TRUE(parse(",\"stream\":2").names_stream);
  EXPECT_EQ(parse("").stream, DeviceArray::kLegacyStream);
  EXPECT_FALSE(parse("").names_stream);
  EXPECT_EQ(parse("").view.data, &value);
}

TEST(ArrayInterface, RefusesOfDevices) {
  auto const value = 1.0F;
  auto const refusal = [&](std::string const& shape, std::string const& more) {
    return MessageOf([&] { ParseDeviceArrayInterface(Json(&value, "<f4", shape, more)); });
  };
  for (auto const* stream : {"0", "-1", "1.5", "\"1\"", "true"}) {
    ExpectParts(refusal("[1]", std::string(",\"stream\":") + stream), {"stream is", stream, "expected null, 1"});
  }
  ExpectParts(refusal("[2]", ",\"strides\":[-4]"), {"strides [-4, 4] are negative", "contiguous copy"});
  EXPECT_EQ(MessageOf([&] { ParseAnyArrayInterface(Json(&value, "<f4", "[2]", ",\"strides\":[-4]")); }), "no error");
}

TEST(ArrayInterface, ElementsAreChecked) {
  std::vector<float> const values{1.0F};
  EXPECT_NE(MessageOf([&] { ElementAsDouble(VectorView(values), 1, 0); }), "no error");
  EXPECT_NE(MessageOf([&] { ElementAsDouble(VectorView(values), 0, -1); }), "no error");
}

}  // namespace
}  // namespace kauri
