/// A copy of codes by columns, compared with the codes; and bins without such a copy.
#include "cuda/hist/rows/column_copy.h"

#include "cuda/hist/bins/make_device_bins.h"
#include "hist/bins/bins_fixture.h"

namespace kauri::testing {
namespace {

class ColumnCopyTest : public BinsTest {
 protected:
  std::shared_ptr<cuda::DeviceBins const> Bins(std::int64_t n_rows, std::int64_t n_cols, int max_bin = 60) {
    cuda::DeviceBinsTask task;
    task.max_bin = max_bin;
    auto const data = MakeMatrix(MixedValues(n_rows, n_cols, 7), n_cols, false);
    return cuda::MakeDeviceBins(Cuda(), OnDevice(), cuda::DenseTable::Of(*data), task).bins;
  }

  void ExpectSameCodes(cuda::ColumnCopy const& copy, cuda::DeviceBins const& bins) {
    auto view = copy.View(bins);
    ASSERT_NE(view.bytes, bins.bytes.data());
    auto const bytes = cuda::ToHost(Cuda(), view.bytes, static_cast<std::size_t>(bins.n_rows) * bins.columns.size());
    view.bytes = bytes.data();
    DeviceCodes const codes(Cuda(), bins);
    for (std::int64_t feature = 0; feature < bins.NumCols(); ++feature) {
      auto const place = copy.PlaceOf(bins, static_cast<std::uint32_t>(feature));
      for (std::int64_t row = 0; row < bins.n_rows; ++row) {
        ASSERT_EQ(cuda::CodeOf(view, place, row), codes.Of(row, feature)) << "row " << row << ", feature " << feature;
      }
    }
  }

  void ExpectNone(cuda::ColumnCopy const& copy, cuda::DeviceBins const& bins) {
    EXPECT_EQ(copy.View(bins).bytes, bins.bytes.data());
    auto const place = copy.PlaceOf(bins, 0);
    EXPECT_EQ(place.first, cuda::PlaceOf(bins, 0).first);
    EXPECT_EQ(place.stride, cuda::PlaceOf(bins, 0).stride);
  }
};

TEST_F(ColumnCopyTest, HasTheCodes) {
  for (std::int64_t const n_cols : {1, 3, 4, 5, 8}) {
    for (std::int64_t const n_rows : {1, 31, 257, 3000}) {
      SCOPED_TRACE(std::to_string(n_rows) + " x " + std::to_string(n_cols));
      auto const bins = Bins(n_rows, n_cols);
      cuda::ColumnCopy copy;
      copy.Make(Cuda(), *bins, 0);
      ExpectSameCodes(copy, *bins);
    }
  }
}

TEST_F(ColumnCopyTest, OfBundles) {
  auto const values =
      Fill(2000, 40, [](std::int64_t row, std::int64_t col) { return row * 7 % 40 == col ? 1.0F : 0.0F; });
  auto const data = MakeMatrix(values, 40, false);
  auto const host =
      std::make_shared<BinMatrix const>(Context{}, *data, MakeQuantileCuts(Context{}, *data, 256, {{}, {}}));
  ASSERT_TRUE(host->HasBundles());
  auto const bins = cuda::UploadBins(Cuda(), host, cuda::CodePlace::kDevice);
  cuda::ColumnCopy copy;
  copy.Make(Cuda(), *bins, 0);
  ExpectSameCodes(copy, *bins);
}

/// Uses one copy object for bins with and without a copy.
TEST_F(ColumnCopyTest, WhatHasNone) {
  cuda::ColumnCopy copy;
  copy.Make(Cuda(), *Bins(400, 4), 0);
  auto const few = Bins(400, 4);
  copy.Make(Cuda(), *few);
  ExpectNone(copy, *few);
  auto const narrow = Bins(300, 6);
  copy.Make(Cuda(), *narrow, 0);
  ExpectSameCodes(copy, *narrow);
  auto const wide = Bins(300, 9);
  copy.Make(Cuda(), *wide, 0);
  ExpectNone(copy, *wide);
  auto const words = Bins(3000, 3, 1000);
  copy.Make(Cuda(), *words, 0);
  ExpectNone(copy, *words);
  copy.Make(Cuda(), *narrow, 0);
  copy.Make(Cuda(), *narrow, 0);
  ExpectSameCodes(copy, *narrow);
}

}  // namespace
}  // namespace kauri::testing
