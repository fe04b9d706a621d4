/// Records of narrow rows: their contents after the root was added up, and sums of rows read from them.
#include "cuda/hist/histogram/row_records.h"

#include "cuda/hist/bins/make_device_bins.h"
#include "cuda/hist/histogram/add_rows.h"
#include "hist/bins/bins_fixture.h"

namespace kauri::testing {
namespace {

using Bins = std::shared_ptr<cuda::DeviceBins const>;

class RowRecordsTest : public BinsTest {
 protected:
  Bins MakeBins(std::int64_t n_rows, std::int64_t n_cols, int max_bin = 60) {
    cuda::DeviceBinsTask task;
    task.max_bin = max_bin;
    auto const data = MakeMatrix(MixedValues(n_rows, n_cols, 7), n_cols, false);
    return cuda::MakeDeviceBins(Cuda(), OnDevice(), cuda::DenseTable::Of(*data), task).bins;
  }

  static std::vector<FixedPair> Pairs(std::int64_t n_rows, int seed) {
    std::vector<FixedPair> pairs;
    for (std::int32_t row = 0; row < n_rows; ++row) pairs.push_back({(row - 50) * seed, row * 3 + seed});
    return pairs;
  }

  /// Returns the histogram of the first n_rows.
  std::vector<FixedSum> Sums(cuda::DeviceBins const& bins, std::vector<FixedPair> const& pairs,
                             cuda::RowRecord* records, bool writes_records) {
    auto const on_device = cuda::ToDevice(Cuda(), pairs);
    cuda::Buffer<FixedSum> histogram(Cuda(), bins.n_sums);
    cuda::FillZero(Cuda(), histogram.data(), histogram.size());
    cuda::RowStretch const rows{0, static_cast<std::uint32_t>(pairs.size()), -1};
    auto const nodes = cuda::ToDevice(Cuda(), std::vector<cuda::HistogramNode>{{rows, -1, 0, histogram.data()}});
    cuda::AddTask task{};
    task.nodes = nodes.span();
    task.pairs = on_device.data();
    task.most_rows = static_cast<std::int64_t>(pairs.size());
    task.records = records;
    task.writes_records = writes_records;
    cuda::Buffer<cuda::PlannedRows> plan;
    cuda::AddRows(Cuda(), bins, task, &plan);
    return cuda::ToHost(Cuda(), histogram.data(), histogram.size());
  }

  void ExpectRecords(cuda::RowRecord const* records, cuda::DeviceBins const& bins,
                     std::vector<FixedPair> const& pairs) {
    auto const found = cuda::ToHost(Cuda(), records, pairs.size());
    DeviceCodes const codes(Cuda(), bins);
    for (std::size_t row = 0; row < pairs.size(); ++row) {
      ASSERT_EQ(static_cast<std::int32_t>(found[row].y), pairs[row].gradient) << row;
      ASSERT_EQ(static_cast<std::int32_t>(found[row].w), pairs[row].hessian) << row;
      for (std::int64_t col = 0; col < bins.NumCols(); ++col) {
        auto const word = col < 4 ? found[row].x : found[row].z;
        ASSERT_EQ(word >> (8 * (col % 4)) & 0xFFU, codes.Of(static_cast<std::int64_t>(row), col))
            << "row " << row << ", feature " << col;
      }
    }
  }
};

TEST_F(RowRecordsTest, AreWrittenAndReadAsCodesAndPairs) {
  for (std::int64_t const n_cols : {1, 4, 5, 8}) {
    for (std::int64_t const n_rows : {1, 31, 257, 70000}) {
      SCOPED_TRACE(std::to_string(n_rows) + " x " + std::to_string(n_cols));
      auto const bins = MakeBins(n_rows, n_cols);
      cuda::RowRecords records;
      records.TakeBins(Cuda(), *bins, 0);
      for (int const seed : {1, -7}) {
        auto const pairs = Pairs(n_rows, seed);
        auto const expected = Sums(*bins, pairs, nullptr, false);
        records.BeginTree(6);
        ASSERT_NE(records.Data(), nullptr);
        EXPECT_EQ(Sums(*bins, pairs, records.Data(), true), expected);
        ExpectRecords(records.Data(), *bins, pairs);
        EXPECT_EQ(Sums(*bins, pairs, records.Data(), false), expected);
      }
    }
  }
}

TEST_F(RowRecordsTest, OnceATree) {
  auto const bins = MakeBins(400, 4);
  cuda::RowRecords records;
  records.TakeBins(Cuda(), *bins, 0);
  EXPECT_EQ(records.Data(), nullptr);
  EXPECT_FALSE(records.TakeTurn());
  for (int const depth : {8, 0, 4}) {
    records.BeginTree(depth);
    EXPECT_NE(records.Data(), nullptr) << depth;
    EXPECT_TRUE(records.TakeTurn()) << depth;
    EXPECT_FALSE(records.TakeTurn()) << depth;
  }
  records.BeginTree(3);
  EXPECT_EQ(records.Data(), nullptr);
  EXPECT_FALSE(records.TakeTurn());
}

/// Uses one object for bins with and without records.
TEST_F(RowRecordsTest, WhatHasNone) {
  cuda::RowRecords records;
  auto const has_records = [&](Bins const& bins, std::uint64_t least_bytes) {
    records.TakeBins(Cuda(), *bins, least_bytes);
    records.BeginTree(6);
    return records.Data() != nullptr;
  };
  EXPECT_TRUE(has_records(MakeBins(400, 4), 0));
  EXPECT_FALSE(has_records(MakeBins(400, 4), cuda::kBytesInCache));
  EXPECT_TRUE(has_records(MakeBins(300, 8), 0));
  EXPECT_FALSE(has_records(MakeBins(300, 9), 0));
  EXPECT_FALSE(has_records(MakeBins(3000, 3, 1000), 0));
  EXPECT_TRUE(has_records(MakeBins(900, 5), 0));
}

}  // namespace
}  // namespace kauri::testing
