/// KauriShuffle and KauriShuffleRows: outputs and refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "c_api/support.h"

namespace kauri::testing {
namespace {

TEST(ShuffleCall, WritesTheFirstElements) {
  std::vector<bst_ulong> out(4, 99);
  ASSERT_EQ(KauriShuffle(10, 0, 3, out.data()), 0);
  EXPECT_EQ(out, (std::vector<bst_ulong>{3, 0, 5, 99}));
  EXPECT_EQ(KauriShuffle(0, 0, 0, nullptr), 0);
}

TEST(ShuffleCall, Refusals) {
  bst_ulong out = 0;
  auto const refusal = [&](bst_ulong n, bst_ulong count, bst_ulong* to) {
    EXPECT_EQ(KauriShuffle(n, 0, count, to), -1);
    EXPECT_EQ(KauriGetLastErrorKind(), KAURI_ERROR_PARAMETER);
    return std::string(XGBGetLastError());
  };
  EXPECT_NE(refusal(3, 4, &out).find("first 4 elements of a permutation of 3"), std::string::npos);
  EXPECT_NE(refusal(bst_ulong{1} << 62U, 1, &out).find("cannot shuffle 4611686018427387904"), std::string::npos);
  EXPECT_NE(refusal(3, 1, nullptr).find("'out'"), std::string::npos);
}

TEST(ShuffleRowsCall, IsTheListApplied) {
  constexpr std::size_t kRows = 1000;
  auto const from = Features(kRows, 3);
  std::vector<float> to(from.size());
  std::vector<bst_ulong> order(kRows);
  ASSERT_OK(KauriShuffle(kRows, 6, kRows, order.data()));
  ASSERT_OK(KauriShuffleRows(Table(from, 3).c_str(), Table(to, 3).c_str(), 6));
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t col = 0; col < 3; ++col) ASSERT_EQ(to[3 * row + col], from[3 * order[row] + col]);
  }
  std::vector<double> vector(kRows);
  std::vector<double> shuffled(kRows);
  for (std::size_t row = 0; row < kRows; ++row) vector[row] = static_cast<double>(row);
  ASSERT_OK(
      KauriShuffleRows(Interface(vector, "<f8", "[1000]").c_str(), Interface(shuffled, "<f8", "[1000]").c_str(), 6));
  for (std::size_t row = 0; row < kRows; ++row) ASSERT_EQ(shuffled[row], static_cast<double>(order[row]));
}

TEST(ShuffleRowsCall, InPlace) {
  auto rows = Features(50, 3);
  auto const before = rows;
  ASSERT_OK(KauriShuffleRows(Table(rows, 3).c_str(), Table(rows, 3).c_str(), 6));
  EXPECT_NE(rows, before);
  auto of = [](std::vector<float> const& table) {
    std::vector<std::vector<float>> sorted;
    for (std::size_t row = 0; row < 50; ++row) sorted.emplace_back(&table[3 * row], &table[3 * row] + 3);
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  };
  EXPECT_EQ(of(rows), of(before));
}

TEST(ShuffleRowsCall, EmptyArrays) {
  std::vector<float> const none;
  EXPECT_OK(KauriShuffleRows(Table(none, 3).c_str(), Table(none, 3).c_str(), 1));
}

TEST(ShuffleRowsCall, Refusals) {
  auto const rows = Features(10, 3);
  auto const refusal = [](char const* in, char const* out, int kind) {
    EXPECT_EQ(KauriShuffleRows(in, out, 0), -1);
    EXPECT_EQ(KauriGetLastErrorKind(), kind);
    return std::string(XGBGetLastError());
  };
  auto const text = Table(rows, 3);
  EXPECT_NE(refusal(nullptr, text.c_str(), KAURI_ERROR_PARAMETER).find("'in'"), std::string::npos);
  EXPECT_NE(refusal(text.c_str(), nullptr, KAURI_ERROR_PARAMETER).find("'out'"), std::string::npos);
  EXPECT_NE(refusal(text.c_str(), Table(rows, 5).c_str(), KAURI_ERROR_DATA).find("[10, 3]"), std::string::npos);
  EXPECT_NE(refusal(text.c_str(), "{", KAURI_ERROR_DATA).find("array interface"), std::string::npos);
  auto of_device = Table(rows, 3);
  of_device.insert(of_device.size() - 1, R"(, "stream": 1)");
  EXPECT_NE(
      refusal(text.c_str(), of_device.c_str(), KAURI_ERROR_DATA).find("out is in device memory, in is in host memory"),
      std::string::npos);
  EXPECT_NE(
      refusal(of_device.c_str(), text.c_str(), KAURI_ERROR_DATA).find("in is in device memory, out is in host memory"),
      std::string::npos);
}

TEST(ShuffleOnDeviceCall, Refusals) {
  KauriDeviceArrayHandle out = nullptr;
  auto const refusal = [&](bst_ulong count, char const* device, KauriDeviceArrayHandle* to) {
    EXPECT_EQ(KauriShuffleOnDevice(10, 0, count, device, to), -1);
    EXPECT_EQ(KauriGetLastErrorKind(), KAURI_ERROR_PARAMETER);
    return std::string(XGBGetLastError());
  };
  EXPECT_NE(refusal(11, "cuda", &out).find("first 11 elements"), std::string::npos);
  EXPECT_NE(refusal(10, nullptr, &out).find("'device'"), std::string::npos);
  EXPECT_NE(refusal(10, "cuda", nullptr).find("'out'"), std::string::npos);
  EXPECT_NE(refusal(10, "cpu", &out).find("device is 'cpu'"), std::string::npos);
  EXPECT_NE(refusal(10, "tpu", &out).find("device='tpu' is not valid"), std::string::npos);
  EXPECT_EQ(out, nullptr);
  EXPECT_EQ(KauriDeviceArrayDescribe(nullptr, nullptr), -1);
}

}  // namespace
}  // namespace kauri::testing
