/// \file Common parts of the tests in this folder.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "common/platform/process.h"
#include "data/arrays/array_dispatch.h"
#include "kauri/data_matrix.h"
#include "kauri/error.h"
#include "support/error.h"

namespace kauri {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

template <typename T>
constexpr DType DTypeOf() {
  if constexpr (std::is_same_v<T, float>) return DType::kF32;
  if constexpr (std::is_same_v<T, double>) return DType::kF64;
  if constexpr (std::is_same_v<T, std::int8_t>) return DType::kI8;
  if constexpr (std::is_same_v<T, std::int16_t>) return DType::kI16;
  if constexpr (std::is_same_v<T, std::int32_t>) return DType::kI32;
  if constexpr (std::is_same_v<T, std::int64_t>) return DType::kI64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return DType::kU8;
  if constexpr (std::is_same_v<T, std::uint16_t>) return DType::kU16;
  if constexpr (std::is_same_v<T, std::uint32_t>) return DType::kU32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return DType::kU64;
  if constexpr (std::is_same_v<T, Half>) return DType::kF16;
  if constexpr (std::is_same_v<T, long double>) return DType::kF128;
  return DType::kBool;
}

template <typename T>
ArrayView VectorView(std::vector<T> const& values) {
  auto const item = static_cast<std::int64_t>(sizeof(T));
  return {values.data(), DTypeOf<T>(), {static_cast<std::int64_t>(values.size()), 1}, {item, item}, 1};
}

template <typename T>
ArrayView TableView(std::vector<T> const& values, std::int64_t n_rows, std::int64_t n_cols) {
  auto const item = static_cast<std::int64_t>(sizeof(T));
  return {values.data(), DTypeOf<T>(), {n_rows, n_cols}, {item * n_cols, item}, 2};
}

/// Expects equal values, with NaN equal to NaN.
inline void ExpectSame(std::vector<float> const& actual, std::vector<float> const& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(actual[i])) << "element " << i << " is " << actual[i];
    } else {
      EXPECT_EQ(actual[i], expected[i]) << "element " << i;
    }
  }
}

/// Returns all rows of a view.
inline std::vector<float> RowsOf(DataView const& view) {
  std::vector<float> rows(view.NumRows() * view.NumCols());
  view.CopyRows(0, view.NumRows(), view.NumCols(), rows.data());
  return rows;
}

inline std::vector<float> RowsOf(DataMatrix const& matrix) { return RowsOf(*matrix.View()); }

inline Context WithThreads(int threads) {
  Context ctx;
  ctx.threads = threads;
  return ctx;
}

/// A file that is deleted with this object.
class TempFile {
 public:
  TempFile(std::string const& contents, std::string const& extension) {
    static std::atomic<int> next{0};
    path_ = ::testing::TempDir() + "kauri-data-" + std::to_string(platform::ProcessId()) + "-" +
            std::to_string(next++) + extension;
    std::ofstream(path_, std::ios::binary) << contents;
  }
  ~TempFile() { std::filesystem::remove(path_); }
  TempFile(TempFile const&) = delete;
  TempFile& operator=(TempFile const&) = delete;
  std::string const& Path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace kauri
