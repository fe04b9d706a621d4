/// \file Columns of every kind, and bins in device memory compared with the host's bins.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "cuda/data/cuda_memory.h"
#include "cuda/hist/bins/make_device_bins.h"
#include "data/bins/bin_matrix.h"
#include "support/device_codes.h"
#include "support/device_fixture.h"

namespace kauri::testing {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Returns values, [n_rows, n_cols], by calling `value` for each.
inline std::vector<float> Fill(std::int64_t n_rows, std::int64_t n_cols,
                               std::function<float(std::int64_t row, std::int64_t col)> const& value) {
  std::vector<float> values;
  for (std::int64_t row = 0; row < n_rows; ++row) {
    for (std::int64_t col = 0; col < n_cols; ++col) values.push_back(value(row, col));
  }
  return values;
}

/// Returns columns of each kind that bin edges treat differently, nine in turn.
inline std::vector<float> MixedValues(std::int64_t n_rows, std::int64_t n_cols, std::uint64_t seed) {
  Random random(seed);
  return Fill(n_rows, n_cols, [&](std::int64_t row, std::int64_t col) {
    auto const normal = random.Normal();
    auto const uniform = static_cast<float>(random.Uniform());
    switch (col % 9) {
      case 0:
        return normal;
      case 1:
        return uniform < 0.3F ? kNan : normal;
      case 2:
        return static_cast<float>(random.Below(5));
      case 3:
        return uniform < 0.6F ? 0.0F : normal;  // one value fills many bins
      case 4:
        return 7.0F;
      case 5:
        return kNan;
      case 6:
        return static_cast<float>(random.Below(300)) * (row % 2 == 0 ? 1.0F : -1.0F);  // both zeros among them
      case 7:
        return std::exp(4.0F * normal);
      default:
        return std::floor(uniform * uniform * 255.0F) + (uniform < 0.01F ? kNan : 0.0F);
    }
  });
}

inline std::vector<float> MakeWeights(std::int64_t n_rows, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> weights;
  for (std::int64_t row = 0; row < n_rows; ++row) {
    auto const kind = random.Below(10);
    weights.push_back(kind == 0 ? 0.0F : kind == 1 ? 1e-25F : static_cast<float>(random.Uniform() * 3.0));
  }
  return weights;
}

class BinsTest : public DeviceTest {
 protected:
  /// Returns the same matrix, made of rows in device memory.
  std::unique_ptr<DataMatrix> Upload(std::vector<float> const& values, std::int64_t n_cols) {
    auto const buffer = cuda::ToDevice(Cuda(), values);
    Cuda().Synchronize();  // for the buffer: the copy below is on another stream
    DeviceArray array;
    array.stream = DeviceArray::kReady;
    array.view.data = buffer.data();
    array.view.shape = {static_cast<std::int64_t>(values.size()) / n_cols, n_cols};
    array.view.strides = {4 * n_cols, 4};
    array.view.n_dims = 2;
    return DataMatrix::FromDevice(cuda::MakeCudaMemory(cuda::KeepBins)->Copy({array}, kNan));
  }

  void ExpectSame(cuda::DeviceBins const& bins, BinMatrix const& expected) {
    EXPECT_EQ(bins.cuts->feature_begin, expected.Cuts().feature_begin);
    EXPECT_TRUE(SameFloats(bins.cuts->values, expected.Cuts().values));
    EXPECT_TRUE(SameFloats(bins.cuts->min_values, expected.Cuts().min_values));
    EXPECT_EQ(bins.cuts->categories, expected.Cuts().categories);
    EXPECT_TRUE(SameFloats(Fetch(Cuda(), bins.cut_values), expected.Cuts().values));
    ASSERT_EQ(bins.NumCols(), expected.NumCols());
    ASSERT_EQ(bins.n_rows, expected.NumRows());
    ASSERT_EQ(bins.form == cuda::CodeForm::kBytes, expected.HasByteCodes());
    DeviceCodes const codes(Cuda(), bins);
    EXPECT_TRUE(codes.PaddingIsZero());
    for (std::int64_t feature = 0; feature < bins.NumCols(); ++feature) {
      auto const index = static_cast<std::size_t>(feature);
      auto const missing = expected.MissingCode(index) == kNoCode ? 0U : 1U;
      ASSERT_EQ(bins.features[index].n_codes, expected.NumBins(index) + missing);
      for (std::int64_t row = 0; row < bins.n_rows; ++row) {
        ASSERT_EQ(codes.Of(row, feature), expected.FindCode(row, index)) << "row " << row << ", feature " << feature;
      }
    }
  }
};

}  // namespace kauri::testing
