#include "data/arrays/plain_array.h"

#include <gtest/gtest.h>

namespace kauri {
namespace {

TEST(PlainArray, WhatClientsWrite) {
  for (
      char const* text :
      {R"({"data":[4096,true],"shape":[3,28],"typestr":"<f4","version":3})",
       R"({"data": [4096, false], "strides": null, "descr": [["", "<f4"]], "typestr": "<f4", "shape": [3, 28], "version": 3})",
       R"( { "typestr" : "<f4" , "shape" : [ 3 , 28 ] , "data" : [ 4096 , true ] } )"}) {
    ArrayView array;
    ASSERT_TRUE(ParsePlainArray(text, &array)) << text;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data), 4096U);
    EXPECT_EQ(array.dtype, DType::kF32);
    EXPECT_EQ(array.n_dims, 2);
    EXPECT_EQ(array.shape, (std::array<std::int64_t, 2>{3, 28}));
    EXPECT_EQ(array.strides, (std::array<std::int64_t, 2>{112, 4}));
  }
}

TEST(PlainArray, AllElseIsLeftToTheParser) {
  for (char const* text : {"",
                           "{",
                           "{}",
                           "null",
                           R"({"data":[4096,true],"shape":[3,28],"typestr":"<f4","version":3)",
                           R"({"data":[4096,true],"shape":[3,28],"typestr":"<f4","version":3}})",
                           R"({"data":[4096,true],"shape":[3,28],"typestr":"<f4","version":3,})",
                           R"({"data":[4096,true],"shape":[3,28],"typestr":"<f4","version":2})",
                           R"({"data":[4096,true],"shape":[3,28],"typestr":"<f4","version":30})",
                           R"({"data":[4096,true],"shape":[3,28],"typestr":"<f8","version":3})",
                           R"({"data":[4096,true],"shape":[3],"typestr":"<f4","version":3})",
                           R"({"data":[4096,true],"shape":[3,2,2],"typestr":"<f4","version":3})",
                           R"({"data":[4096,true],"shape":[-3,28],"typestr":"<f4","version":3})",
                           R"({"data":[4096,true],"shape":[03,28],"typestr":"<f4","version":3})",
                           R"({"data":[4096,true],"shape":[3.0,28],"typestr":"<f4","version":3})",
                           R"({"data":[4096,true],"shape":[1234567890,28],"typestr":"<f4","version":3})",
                           R"({"data":[0,true],"shape":[3,28],"typestr":"<f4","version":3})",
                           R"({"data":[18446744073709551615,true],"shape":[3,28],"typestr":"<f4","version":3})",
                           R"({"data":[99999999999999999999999,true],"shape":[3,28],"typestr":"<f4","version":3})",
                           R"({"data":[4096],"shape":[3,28],"typestr":"<f4","version":3})",
                           R"({"data":[4096,1],"shape":[3,28],"typestr":"<f4","version":3})",
                           R"({"data":[4096,true],"data":[8192,true],"shape":[3,28],"typestr":"<f4","version":3})",
                           R"({"data":[4096,true],"shape":[3,28],"typestr":"<f4","strides":[112,4]})",
                           R"({"data":[4096,true],"shape":[3,28],"typestr":"<f4","stream":1})",
                           R"({"data":[4096,true],"shape":[3,28],"typestr":"<f4","mask":null})",
                           R"({"data":[4096,true],"shape":[3,28],"version":3})",
                           R"({"data":[4096,true],"typestr":"<f4"})",
                           R"({"shape":[3,28],"typestr":"<f4"})",
                           R"({"data":[4096,true],"shape":[3,28],"typestr":"<f4","descr":[["x","<f4"]]})"}) {
    ArrayView array;
    EXPECT_FALSE(ParsePlainArray(text, &array)) << text;
  }
  ArrayView array;
  std::string const ended = R"({"data":[4096,true],"shape":[3,28],"typestr":"<f4"})" + std::string(1, '\0');
  EXPECT_FALSE(ParsePlainArray(ended, &array)) << "a character after the object";
}

TEST(PlainArray, TheParserSaysTheSame) {
  auto const plain = ParseArrayInterface(R"({"data":[4096,true],"shape":[3,28],"typestr":"<f4"})");
  auto const parsed = ParseArrayInterface(R"({"data":[4096,true],"shape":[3,28],"typestr":"<f4","strides":[112,4]})");
  EXPECT_EQ(plain.data, parsed.data);
  EXPECT_EQ(plain.dtype, parsed.dtype);
  EXPECT_EQ(plain.shape, parsed.shape);
  EXPECT_EQ(plain.strides, parsed.strides);
  EXPECT_EQ(plain.n_dims, parsed.n_dims);
}

}  // namespace
}  // namespace kauri
