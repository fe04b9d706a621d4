/// The bins of trees against the host's: bin edges and codes by the hessians of each tree, with and without memory for
/// sorted rows.
#include "cuda/hist/approx/tree_bins.h"

#include "cuda/hist/approx/ordered_cuts.h"
#include "cuda/hist/shards/shard_bins.h"
#include "data/sketch/quantile_sketch.h"
#include "hist/bins/bins_fixture.h"
#include "support/many_devices.h"

namespace kauri::testing {
namespace {

constexpr std::int32_t kLargest = (1 << 30) - 1;

/// Returns hessians that are small, large, rounded as floats, zero, or negative.
std::vector<FixedPair> MakeFixedPairs(std::int64_t n_rows, std::uint64_t seed) {
  Random random(seed);
  std::vector<FixedPair> pairs;
  for (std::int64_t row = 0; row < n_rows; ++row) {
    auto const kind = random.Below(10);
    auto const any = static_cast<std::int32_t>(random.Below(kLargest));
    auto const hessian = kind < 3 ? 0 : kind == 3 ? 1 : kind == 4 ? -any : kind == 5 ? any % 1000 : any;
    pairs.push_back({static_cast<std::int32_t>(random.Below(1000)), hessian});
  }
  return pairs;
}

std::vector<FixedPair> PairsOf(std::vector<std::int32_t> const& hessians) {
  std::vector<FixedPair> pairs;
  for (auto const hessian : hessians) pairs.push_back({1, hessian});
  return pairs;
}

std::vector<float> WeightsOf(std::vector<FixedPair> const& pairs) {
  std::vector<float> weights;
  for (auto const& pair : pairs) weights.push_back(static_cast<float>(pair.hessian));
  return weights;
}

class TreeBinsTest : public BinsTest {
 protected:
  bool Update(cuda::TreeBins* bins, DataMatrix const& data, std::vector<FixedPair> const& pairs) {
    auto const on_device = cuda::ToDevice(Cuda(), pairs);
    return bins->Update(Cuda(), data, on_device.span());
  }
  static BinMatrix OfHost(DataMatrix const& data, int max_bin, std::vector<FixedPair> const& pairs) {
    auto const weights = WeightsOf(pairs);
    return BinMatrix(Context{}, data, MakeQuantileCuts(Context{}, data, max_bin, {{}, weights}));
  }

  /// Returns a matrix that reads the caller's device memory. strides: in bytes.
  static std::unique_ptr<DataMatrix> Refer(float const* values, std::vector<std::int64_t> const& shape,
                                           std::vector<std::int64_t> const& strides) {
    DeviceArray array;
    array.stream = DeviceArray::kReady;
    array.view.data = values;
    array.view.shape = {shape[0], shape[1]};
    array.view.strides = {strides[0], strides[1]};
    array.view.n_dims = 2;
    return DataMatrix::FromDevice(cuda::MakeCudaMemory(cuda::KeepBins)->Borrow({array}, kNan));
  }

  /// Compares the codes of a device's rows with the host's.
  static void ExpectCodes(cuda::CudaContext const& cuda, cuda::DeviceBins const& bins, std::int64_t n_rows,
                          std::int64_t first_row, BinMatrix const& expected) {
    DeviceCodes const codes(cuda, bins);
    for (std::int64_t feature = 0; feature < bins.NumCols(); ++feature) {
      for (std::int64_t row = 0; row < n_rows; ++row) {
        ASSERT_EQ(codes.Of(row, feature), expected.FindCode(first_row + row, ToSize(feature)))
            << "row " << first_row + row << ", feature " << feature;
      }
    }
  }

  /// Compares two trees that all devices of `ctx` make the bins of.
  void ExpectShares(Context const& ctx, DataMatrix const& data, int max_bin) {
    auto const& devices = ctx.device.ordinals;
    SCOPED_TRACE("max_bin " + std::to_string(max_bin) + " on " + Text(devices));
    auto const cut = cuda::CutRows(data.NumRows(), devices.size(), 1);
    cuda::TreeBins bins({max_bin, nullptr, {}}, std::numeric_limits<std::size_t>::max(), 1);
    for (std::uint64_t const seed : {1, 2}) {
      auto const pairs = MakeFixedPairs(data.NumRows(), seed);
      auto const expected = OfHost(data, max_bin, pairs);
      Update(&bins, data, pairs);
      auto const made = bins.Make(Cuda(), ctx, data);
      EXPECT_EQ(made->n_rows, data.NumRows());
      EXPECT_EQ(made->cuts->feature_begin, expected.Cuts().feature_begin);
      EXPECT_TRUE(SameFloats(made->cuts->values, expected.Cuts().values));
      EXPECT_TRUE(SameFloats(made->cuts->min_values, expected.Cuts().min_values));
      ExpectCodes(Cuda(), *made, cut[0].count, 0, expected);
      auto const others = bins.OtherRows();
      ASSERT_EQ(others.size(), devices.size() - 1);
      for (std::size_t i = 0; i < others.size(); ++i) {
        cuda::DeviceScope const scope(devices[i + 1]);
        cuda::StreamOwner const stream(devices[i + 1]);
        auto const codes = cuda::CodeBins(stream.Context(), *made, others[i]);
        ASSERT_EQ(codes.n_rows, cut[i + 1].count);
        ExpectCodes(stream.Context(), codes, codes.n_rows, cut[i + 1].first, expected);
      }
    }
  }

  /// Compares trees of these pairs, one after the other, for rows on the host and on the device.
  void Compare(std::vector<float> const& values, std::int64_t n_cols, int max_bin,
               std::vector<std::vector<FixedPair>> const& trees) {
    SCOPED_TRACE("max_bin " + std::to_string(max_bin));
    auto const host = MakeMatrix(values, n_cols, false);
    auto const device = Upload(values, n_cols);
    BinOptions const options{max_bin, nullptr, {}};
    cuda::TreeBins of_host(options);
    cuda::TreeBins of_device(options);
    cuda::TreeBins without_room(options, 0);
    for (auto const& pairs : trees) {
      auto const expected = OfHost(*host, max_bin, pairs);
      Update(&of_host, *host, pairs);
      ExpectSame(*of_host.Make(Cuda(), OnDevice(), *host), expected);
      Update(&of_device, *device, pairs);
      ExpectSame(*of_device.Make(Cuda(), OnDevice(), *device), expected);
      Update(&without_room, *device, pairs);
      ExpectSame(*without_room.Make(Cuda(), OnDevice(), *device), expected);
    }
  }
};

TEST_F(TreeBinsTest, ColumnsOfEveryKind) {
  for (std::int64_t const n_rows : {1, 31, 32, 33, 255, 257, 3000}) {
    SCOPED_TRACE(std::to_string(n_rows) + " rows");
    auto const values = MixedValues(n_rows, 18, static_cast<std::uint64_t>(n_rows));
    for (int const max_bin : {2, 16, 255, 256, 257, 1024, 65535}) {
      Compare(values, 18, max_bin, {MakeFixedPairs(n_rows, 1), MakeFixedPairs(n_rows, 2)});
    }
  }
}

TEST_F(TreeBinsTest, LongColumns) {
  auto const values = MixedValues(100000, 9, 11);
  for (int const max_bin : {16, 256}) Compare(values, 9, max_bin, {MakeFixedPairs(100000, 3)});
}

/// No weight at all, weight at either end, in the middle, in one row, and equal weights.
TEST_F(TreeBinsTest, WhereWeightsAre) {
  constexpr std::int64_t kRows = 2000;
  auto const sorted = Fill(kRows, 2, [](std::int64_t row, std::int64_t col) {
    return static_cast<float>(col == 0 ? row : kRows - 1 + row / 7);
  });
  std::vector<std::vector<std::int32_t>> hessians(8, std::vector<std::int32_t>(kRows, 0));
  for (std::int64_t row = 0; row < kRows; ++row) {
    hessians[1][row] = row < 900 ? 5 : 0;
    hessians[2][row] = row >= 1100 ? 5 : 0;
    hessians[3][row] = row >= 700 && row < 1300 ? 3 : 0;
    hessians[4][row] = row % 9 == 0 ? kLargest : 0;
    hessians[5][row] = row == 1234 ? 1 : 0;
    hessians[6][row] = 12345;
    hessians[7][row] = row == 1000 ? kLargest : 1;
  }
  std::vector<std::vector<FixedPair>> trees;
  for (auto const& of_tree : hessians) trees.push_back(PairsOf(of_tree));
  for (int const max_bin : {2, 16, 100, 256, 300, 3000}) Compare(sorted, 2, max_bin, trees);
}

/// Runs of every length, at every place of a search window, with gaps of every length between their weights.
TEST_F(TreeBinsTest, RunsOfEveryLength) {
  for (int const ratio : {1, 2}) {
    std::vector<float> values;
    std::vector<std::int32_t> hessians;
    for (std::int64_t length = 1; values.size() < 30000; length += 1 + length * (ratio - 1) / 3) {
      values.insert(values.end(), static_cast<std::size_t>(length), std::sqrt(static_cast<float>(length)));
      auto const is_gap = length % 5 < 2;
      for (std::int64_t i = 0; i < length; ++i) hessians.push_back(is_gap || i % 3 != 1 ? 0 : 100 + i % 50);
    }
    for (int const max_bin : {2, 7, 60, 256, 3000}) Compare(values, 1, max_bin, {PairsOf(hessians)});
  }
}

/// The last stretch of a column is full, or has any number of keys, and columns follow one another.
TEST_F(TreeBinsTest, CutsOfSomeColumns) {
  for (std::int64_t const n_rows : {1, 127, 128, 129, 384, 700}) {
    auto const data = MakeMatrix(MixedValues(n_rows, 11, 5), 11, false);
    auto const weights = WeightsOf(MakeFixedPairs(n_rows, 6));
    auto const on_device = cuda::ToDevice(Cuda(), weights);
    cuda::MatrixRows const rows(Cuda(), OnDevice(), *data);
    cuda::OrderedCutTask const task{on_device.span(), *std::max_element(weights.begin(), weights.end()), 64};
    auto const expected = MakeQuantileCuts(Context{}, *data, 64, {{}, weights});
    for (std::int64_t const first_cols : {0, 1, 4, 11}) {
      std::vector<FeatureCuts> features;
      for (cuda::ShardRange const cols : {cuda::ShardRange{0, first_cols}, {first_cols, 11 - first_cols}}) {
        auto columns = cuda::KeysInRowOrder(Cuda(), rows.All(Cuda(), *data), cols);
        cuda::SortColumns(Cuda(), &columns);
        cuda::OrderedCutter cutter;
        cutter.Begin(Cuda(), columns, task);
        cutter.Collect(Cuda(), &features);
        EXPECT_EQ(features.size(), ToSize(cols.first + cols.count));
      }
      auto const cuts = JoinCuts(features, {});
      EXPECT_EQ(cuts.feature_begin, expected.feature_begin);
      EXPECT_TRUE(SameFloats(cuts.values, expected.values));
      EXPECT_TRUE(SameFloats(cuts.min_values, expected.min_values));
    }
  }
}

/// Several devices share columns and rows: the edges of all are the host's, and each one's codes are those of its rows.
TEST_F(TreeBinsTest, SharesOfDevices) {
  constexpr std::int64_t kRows = 1000;
  for (std::int64_t const n_cols : {1, 2, 9, 18}) {
    auto const values = MixedValues(kRows, n_cols, 12);
    std::vector<std::unique_ptr<DataMatrix>> matrices;
    matrices.push_back(MakeMatrix(values, n_cols, false));
    matrices.push_back(Upload(values, n_cols));
    auto const by_column = cuda::ToDevice(Cuda(), Fill(n_cols, kRows, [&](std::int64_t col, std::int64_t row) {
                                            return values[ToSize(row * n_cols + col)];
                                          }));
    Cuda().Synchronize();  // for the values, which other streams read
    matrices.push_back(Refer(by_column.data(), {kRows, n_cols}, {4, 4 * kRows}));
    for (auto const& devices : ManyDevices()) {
      for (int const max_bin : {16, 256, 1000}) {
        for (auto const& data : matrices) ExpectShares(Among(OnDevice(), devices), *data, max_bin);
      }
    }
  }
}

/// If there is no room for the order on one of the devices, all rows have codes.
TEST_F(TreeBinsTest, SharesWithoutRoom) {
  auto const data = MakeMatrix(MixedValues(700, 9, 3), 9, false);
  auto const pairs = MakeFixedPairs(700, 4);
  cuda::TreeBins bins({64, nullptr, {}}, 0, 1);
  Update(&bins, *data, pairs);
  ExpectSame(*bins.Make(Cuda(), Among(OnDevice(), {0, 0, 0}), *data), OfHost(*data, 64, pairs));
  EXPECT_TRUE(bins.OtherRows().empty());
}

TEST_F(TreeBinsTest, EqualHessiansNeedNoOtherBins) {
  auto const data = MakeMatrix(MixedValues(500, 4, 7), 4, false);
  cuda::TreeBins bins({16, nullptr, {}});
  auto pairs = MakeFixedPairs(500, 8);
  Update(&bins, *data, pairs);
  bins.Make(Cuda(), OnDevice(), *data);
  pairs[3].gradient += 1;
  EXPECT_FALSE(Update(&bins, *data, pairs));
  pairs[499].hessian += 5000000;
  EXPECT_TRUE(Update(&bins, *data, pairs));
  ExpectSame(*bins.Make(Cuda(), OnDevice(), *data), OfHost(*data, 16, pairs));
  EXPECT_FALSE(Update(&bins, *data, pairs));
}

/// Categories and numbers alternate: categories are binned on the host.
TEST_F(TreeBinsTest, OtherTypesNeedOtherBins) {
  auto const data = MakeMatrix(
      Fill(600, 3, [](std::int64_t row, std::int64_t col) { return static_cast<float>((row * 31 + col) % 90); }), 3,
      false);
  cuda::TreeBins bins({16, nullptr, {}});
  auto const pairs = MakeFixedPairs(600, 9);
  for (auto const* type : {"q", "c", "q"}) {
    data->MutableInfo()->feature_types = {"q", type, "q"};
    EXPECT_TRUE(Update(&bins, *data, pairs));
    auto const made = bins.Make(Cuda(), OnDevice(), *data);
    EXPECT_TRUE(SameFloats(made->cuts->values, OfHost(*data, 16, pairs).Cuts().values));
    EXPECT_EQ(made->cuts->IsCategorical(1), type[0] == 'c');
  }
}

/// Rows of the host cross the bus once, whatever the number of trees.
TEST_F(TreeBinsTest, WhatCrossesTheBus) {
  auto const values = MixedValues(20000, 9, 41);
  auto const data = MakeMatrix(values, 9, false);
  cuda::TreeBins bins({256, nullptr, {}});
  auto const copied = [&](std::uint64_t seed) {
    Update(&bins, *data, MakeFixedPairs(20000, seed));
    auto const before = cuda::ThreadCopyCounts();
    bins.Make(Cuda(), OnDevice(), *data);
    return cuda::ThreadCopyCounts() - before;
  };
  auto const first = copied(1);
  auto const second = copied(2);
  EXPECT_GE(first.to_device_bytes, sizeof(float) * values.size());
  EXPECT_LT(second.to_device_bytes, 100000U);
  EXPECT_LT(second.to_host_bytes, 100000U);
}

/// The next training finds the values sorted on all devices, until memory is short.
TEST_F(TreeBinsTest, SortedValuesStayWithTheMatrix) {
  auto const values = MixedValues(20000, 9, 43);
  auto const data = MakeMatrix(values, 9, false);
  auto const pairs = MakeFixedPairs(20000, 5);
  for (auto const& devices : ManyDevices()) {
    auto const copied = [&] {
      auto const before = cuda::ThreadCopyCounts();
      cuda::TreeBins bins({256, nullptr, {}}, std::numeric_limits<std::size_t>::max(), 1);
      Update(&bins, *data, pairs);
      auto const made = bins.Make(Cuda(), Among(OnDevice(), devices), *data);
      EXPECT_TRUE(SameFloats(made->cuts->values, OfHost(*data, 256, pairs).Cuts().values));
      return (cuda::ThreadCopyCounts() - before).to_device_bytes;
    };
    auto const all = sizeof(float) * values.size();
    cuda::GiveUpIdleMemory(0);
    EXPECT_GE(copied(), all);
    EXPECT_LT(copied(), all);
    cuda::GiveUpIdleMemory(0);
    EXPECT_GE(copied(), all);
  }
}

}  // namespace
}  // namespace kauri::testing
