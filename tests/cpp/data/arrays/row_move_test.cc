#include "data/arrays/row_move.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kauri/error.h"
#include "support/error.h"

namespace kauri {
namespace {

ArrayView View(void const* data, std::int64_t n_rows, std::int64_t n_cols, std::int64_t row_stride,
               std::int64_t col_stride = 4) {
  ArrayView view;
  view.data = data;
  view.shape = {n_rows, n_cols};
  view.strides = {row_stride, col_stride};
  view.n_dims = 2;
  return view;
}

std::string Refusal(ArrayView const& from, ArrayView const& to) {
  return MessageOf(ErrorKind::kData, [&] { RowMoveOf(from, to); });
}

TEST(RowMoveOf, WhatItMakes) {
  std::vector<float> from(40);
  std::vector<float> to(40);
  auto const move = RowMoveOf(View(from.data(), 5, 3, 32), View(to.data() + 36, 5, 3, -20));
  EXPECT_EQ(move.from, reinterpret_cast<char const*>(from.data()));
  EXPECT_EQ(move.to, reinterpret_cast<char*>(to.data() + 36));
  EXPECT_EQ(move.from_stride, 32);
  EXPECT_EQ(move.to_stride, -20);
  EXPECT_EQ(move.n_rows, 5);
  EXPECT_EQ(move.row_bytes, 12);
  auto const in_place = RowMoveOf(View(from.data(), 5, 3, 32), View(from.data(), 5, 3, 32));
  EXPECT_EQ(in_place.from, in_place.to);
  EXPECT_EQ(RowMoveOf(View(nullptr, 0, 3, 12), View(nullptr, 0, 3, 12)).n_rows, 0);
  // Adjacent memory is no overlap.
  EXPECT_EQ(RowMoveOf(View(from.data(), 5, 4, 16), View(from.data() + 20, 5, 4, 16)).n_rows, 5);
  EXPECT_EQ(RowMoveOf(View(from.data(), 5, 1, 4, 999), View(to.data(), 5, 1, 4)).row_bytes, 4);
}

TEST(RowMoveOf, Refusals) {
  std::vector<float> from(40);
  std::vector<float> to(40);
  auto const good = View(from.data(), 5, 3, 12);
  EXPECT_NE(Refusal(good, View(to.data(), 6, 3, 12)).find("in has the shape [5, 3], out [6, 3]"), std::string::npos);
  auto other = View(to.data(), 5, 3, 12);
  other.dtype = DType::kI32;
  EXPECT_NE(Refusal(good, other).find("different types"), std::string::npos);
  EXPECT_NE(
      Refusal(View(from.data(), 5, 3, 4, 20), View(to.data(), 5, 3, 12)).find("in has elements of a row 20 bytes"),
      std::string::npos);
  EXPECT_NE(Refusal(good, View(to.data(), 5, 3, 4, 20)).find("out has elements of a row 20 bytes"), std::string::npos);
  EXPECT_NE(Refusal(good, View(to.data(), 5, 3, 8)).find("rows of 12 bytes, 8 bytes apart"), std::string::npos);
  EXPECT_NE(Refusal(good, View(from.data() + 14, 5, 3, 12)).find("in and out overlap"), std::string::npos);
  EXPECT_NE(Refusal(good, View(from.data() + 12, 5, 3, -12)).find("in and out overlap"), std::string::npos);
}

}  // namespace
}  // namespace kauri
