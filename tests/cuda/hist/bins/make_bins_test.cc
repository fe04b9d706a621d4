/// Bins made on the device against the host's: bin edges, bounds, missing codes and the code of every value.
#include <cmath>

#include "cuda/hist/bins/make_device_bins.h"
#include "data/sketch/cut_weights.h"
#include "hist/bins/bins_fixture.h"

namespace kauri::testing {
namespace {

class MakeBinsTest : public BinsTest {
 protected:
  /// Compares bins of rows on the host and on the device, made whole and in several parts and chunks.
  void Compare(std::vector<float> const& values, std::int64_t n_cols, int max_bin,
               std::vector<float> const& weights = {}) {
    SCOPED_TRACE("max_bin " + std::to_string(max_bin) + (weights.empty() ? "" : ", weights"));
    auto const host = MakeMatrix(values, n_cols, false);
    BinMatrix const expected(Context{}, *host, MakeQuantileCuts(Context{}, *host, max_bin, {{}, weights}));
    auto const device = Upload(values, n_cols);
    for (auto const* data : {host.get(), device.get()}) {
      SCOPED_TRACE(data == host.get() ? "rows of the host" : "rows on the device");
      cuda::DeviceBinsTask task;
      task.max_bin = max_bin;
      task.weights = weights;
      for (std::size_t const part_bytes : {task.part_bytes, std::size_t{1000}}) {
        task.part_bytes = part_bytes;
        if (part_bytes == 1000) task.key_bytes = 1;  // then the size of the codes' memory
        task.host_rows = part_bytes == 1000 ? cuda::HostRows::kPass : cuda::HostRows::kStay;
        ASSERT_TRUE(cuda::CanMakeDeviceBins(OnDevice(), *data, nullptr));
        auto const bins = cuda::MakeDeviceBins(Cuda(), OnDevice(), cuda::DenseTable::Of(*data), task).bins;
        ASSERT_NE(bins, nullptr);
        ExpectSame(*bins, expected);
      }
    }
  }
};

TEST_F(MakeBinsTest, ColumnsOfEveryKind) {
  for (std::int64_t const n_rows : {1, 31, 32, 33, 255, 257, 3000}) {
    SCOPED_TRACE(std::to_string(n_rows) + " rows");
    auto const values = MixedValues(n_rows, 18, static_cast<std::uint64_t>(n_rows));
    for (int const max_bin : {2, 16, 255, 256, 257, 1024, 65535}) {
      Compare(values, 18, max_bin);
      Compare(values, 18, max_bin, MakeWeights(n_rows, 5));
    }
  }
}

TEST_F(MakeBinsTest, GroupsOfEveryWidth) {
  for (std::int64_t const n_cols : {1, 2, 4, 5, 8, 9, 16, 17, 31, 32, 33, 65}) {
    SCOPED_TRACE(std::to_string(n_cols) + " columns");
    Compare(MixedValues(500, n_cols, 3), n_cols, 256);
    Compare(MixedValues(500, n_cols, 4), n_cols, 300);
  }
}

TEST_F(MakeBinsTest, LongColumns) {
  auto const values = MixedValues(200000, 9, 11);
  for (int const max_bin : {16, 256, 1024}) Compare(values, 9, max_bin);
  Compare(values, 9, 256, MakeWeights(200000, 6));
}

TEST_F(MakeBinsTest, AsManyValuesAsBins) {
  for (int const n_distinct : {15, 16, 17, 254, 255, 256, 257, 258}) {
    SCOPED_TRACE(n_distinct);
    for (bool const missing : {false, true}) {
      auto const values = Fill(2000, 2, [&](std::int64_t row, std::int64_t col) {
        return missing && row % 41 == 0 ? kNan : static_cast<float>(row * (col + 1) % n_distinct) - 20.0F;
      });
      for (int const max_bin : {16, 255, 256, 257}) Compare(values, 2, max_bin);
    }
  }
}

/// Columns for which the host picks ranks without sorting.
TEST_F(MakeBinsTest, AsManyValuesAsBinsInLongColumns) {
  auto const values = Fill(140000, 1, [](std::int64_t row, std::int64_t) {
    auto const value = std::ldexp(1.0F + static_cast<float>(row % 128) / 128.0F, static_cast<int>(row / 128 % 2));
    return row % 1000 == 999 ? kNan : value;
  });
  Compare(values, 1, 256);
}

/// Runs of every length, at every place of a search window.
TEST_F(MakeBinsTest, RunsOfEveryLength) {
  for (int const ratio : {1, 2, 3}) {
    std::vector<float> values;
    for (std::int64_t length = 1; values.size() < 60000; length += 1 + length * (ratio - 1) / 3) {
      values.insert(values.end(), static_cast<std::size_t>(length), std::sqrt(static_cast<float>(length)));
    }
    for (int const max_bin : {2, 7, 60, 256, 3000}) {
      Compare(values, 1, max_bin);
      Compare(values, 1, max_bin, MakeWeights(static_cast<std::int64_t>(values.size()), 9));
    }
  }
}

TEST_F(MakeBinsTest, ExtremeValues) {
  std::vector<float> const values{3.4028235e38F, -3.4028235e38F, 1e-45F, -1e-45F, 0.0F,    -0.0F,
                                  1.0F,          kNan,           -1.0F,  2e38F,   -2e-45F, 1.0000001F};
  for (int const max_bin : {2, 3, 256}) {
    Compare(values, 1, max_bin);
    Compare(values, 2, max_bin);
    Compare(values, 1, max_bin, MakeWeights(static_cast<std::int64_t>(values.size()), 8));
  }
}

TEST_F(MakeBinsTest, WeightsOfEverySize) {
  auto const values = MixedValues(2000, 9, 21);
  std::vector<std::vector<float>> cases(4);
  for (int row = 0; row < 2000; ++row) {
    cases[0].push_back(row == 77 ? 1e30F : 1e-3F);  // other weights are less than a unit
    cases[1].push_back(row == 77 ? 1e6F : 1.0F);    // one row fills the bins
    cases[2].push_back(row < 1999 ? 0.0F : 1.0F);
    cases[3].push_back(static_cast<float>(row % 5));
  }
  for (auto const& weights : cases) Compare(values, 9, 64, weights);
}

TEST_F(MakeBinsTest, NoRowsAndNoColumns) {
  for (std::int64_t const n_rows : {0, 5}) {
    auto const n_cols = n_rows == 0 ? 3 : 0;
    auto const data = DataMatrix::FromDense({}, n_rows, n_cols);
    auto const bins = cuda::MakeDeviceBins(Cuda(), OnDevice(), cuda::DenseTable::Of(*data), {}).bins;
    ASSERT_NE(bins, nullptr);
    ExpectSame(*bins, BinMatrix(Context{}, *data, MakeQuantileCuts(Context{}, *data, 256)));
  }
}

TEST_F(MakeBinsTest, ThreadsAndRunsDoNotMatter) {
  auto const data = MakeMatrix(MixedValues(5000, 11, 31), 11, false);
  auto const first = cuda::MakeDeviceBins(Cuda(), OnDevice(1), cuda::DenseTable::Of(*data), {}).bins;
  auto const second = cuda::MakeDeviceBins(Cuda(), OnDevice(8), cuda::DenseTable::Of(*data), {}).bins;
  EXPECT_TRUE(SameFloats(first->cuts->values, second->cuts->values));
  auto const codes = [&](cuda::DeviceBins const& bins) {
    return cuda::ToHost(Cuda(), bins.bytes.data(), bins.bytes.size());
  };
  EXPECT_EQ(codes(*first), codes(*second));
}

/// Columns of several chunks, whose rows cross the bus in several parts: once if they stay, else once for each chunk
/// and once for the codes.
TEST_F(MakeBinsTest, RowsThatStayCrossTheBusOnce) {
  auto const data = MakeMatrix(MixedValues(5000, 11, 33), 11, false);
  BinMatrix const expected(Context{}, *data, MakeQuantileCuts(Context{}, *data, 256));
  auto const bytes = std::uint64_t{5000 * 11 * sizeof(float)};
  for (auto const host_rows : {cuda::HostRows::kPass, cuda::HostRows::kStay, cuda::HostRows::kStayIfThereIsRoom}) {
    cuda::DeviceBinsTask task;
    task.key_bytes = 1;
    task.part_bytes = 1000;
    task.host_rows = host_rows;
    auto const before = cuda::ThreadCopyCounts();
    auto const bins = cuda::MakeDeviceBins(Cuda(), OnDevice(), cuda::DenseTable::Of(*data), task).bins;
    auto const sent = (cuda::ThreadCopyCounts() - before).to_device_bytes;
    ExpectSame(*bins, expected);
    auto const n_times = host_rows == cuda::HostRows::kPass ? std::uint64_t{2} : std::uint64_t{1};
    EXPECT_GE(sent, n_times * bytes);
    EXPECT_LT(sent, (n_times + 1) * bytes);
  }
}

TEST_F(MakeBinsTest, WhatIsLeftToTheHost) {
  auto const sparse = MakeMatrix({100, 5, 0.9, 0, true, 1});
  EXPECT_FALSE(cuda::CanMakeDeviceBins(OnDevice(), *sparse, nullptr));
  auto const dense = MakeMatrix({100, 5, 0.1, 0, false, 1});
  EXPECT_FALSE(cuda::CanMakeDeviceBins(OnDevice(), *dense, std::make_shared<GkMethod>()));
  dense->MutableInfo()->feature_types = {"q", "c", "q", "q", "q"};
  EXPECT_FALSE(cuda::CanMakeDeviceBins(OnDevice(), *dense, nullptr));
  auto const one_hot = MakeMatrix(MakeOneHotValues(300, 5, 10, false), 50, false);
  EXPECT_TRUE(cuda::CanMakeDeviceBins(OnDevice(), *one_hot, nullptr));
  EXPECT_EQ(cuda::MakeDeviceBins(Cuda(), OnDevice(), cuda::DenseTable::Of(*one_hot), {}).bins, nullptr);
}

/// Batches of rows on the device that are read several times.
class BatchesTest : public BinsTest {
 protected:
  /// Makes bins of batches: rows [begins[i], begins[i + 1]) are a batch.
  cuda::MadeBins Make(std::vector<float> const& values, std::int64_t n_cols, std::vector<std::int64_t> const& begins,
                      cuda::DeviceBinsTask const& task) {
    DeviceBatches batches;
    batches.n_rows = static_cast<std::int64_t>(values.size()) / n_cols;
    batches.n_cols = n_cols;
    batches.for_each = [&](DeviceBatches::Read const& read) {
      ++n_passes_;
      for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
        std::vector<float> rows(values.begin() + begins[i] * n_cols, values.begin() + begins[i + 1] * n_cols);
        if (n_passes_ == changes_in_) change_(i, &rows);
        read(*Upload(rows, n_cols)->OnDevice());
      }
    };
    return cuda::MakeDeviceBins(Cuda(), OnDevice(), cuda::DenseTable::Of(batches), task);
  }

  int n_passes_ = 0;
  int changes_in_ = 0;  ///< the pass in which the batches change; 0: none
  std::function<void(std::size_t batch, std::vector<float>* rows)> change_;
};

TEST_F(BatchesTest, HaveTheBinsOfAllRows) {
  auto const values = MixedValues(3000, 18, 61);
  auto const weights = MakeWeights(3000, 7);
  auto const host = MakeMatrix(values, 18, false);
  for (int const max_bin : {16, 256, 1024}) {
    for (bool const weighted : {false, true}) {
      SCOPED_TRACE(std::to_string(max_bin) + (weighted ? " weighted" : ""));
      auto const& used = weighted ? weights : std::vector<float>();
      auto const cuts = MakeQuantileCuts(Context{}, *host, max_bin, {{}, used});
      BinMatrix const expected(Context{}, *host, QuantileCuts(cuts));
      for (std::vector<std::int64_t> const& begins :
           {std::vector<std::int64_t>{0, 3000}, {0, 1, 1, 33, 2999, 3000}, {0, 1500, 3000}}) {
        cuda::DeviceBinsTask task;
        task.max_bin = max_bin;
        task.weights = used;
        task.key_bytes = 1;  // several chunks
        auto const made = Make(values, 18, begins, task);
        ASSERT_NE(made.bins, nullptr);
        ExpectSame(*made.bins, expected);
        task.given = &cuts;
        task.weights = {};
        auto const given = Make(values, 18, begins, task);
        ASSERT_NE(given.bins, nullptr);
        ExpectSame(*given.bins, expected);
      }
    }
  }
  EXPECT_GT(n_passes_, 3 * 18);
}

TEST_F(BatchesTest, OthersInALaterPassAreAnError) {
  auto const values = MixedValues(500, 9, 62);
  std::vector<std::function<void(std::size_t, std::vector<float>*)>> const changes{
      [](std::size_t batch, std::vector<float>* rows) {
        if (batch == 1) rows->front() += 1.0F;
      },
      [](std::size_t, std::vector<float>* rows) { rows->resize(9); },
      [](std::size_t batch, std::vector<float>* rows) {
        if (batch == 1) rows->insert(rows->end(), 9, 0.5F);
      }};
  for (auto const& change : changes) {
    change_ = change;
    n_passes_ = 0;
    changes_in_ = 2;
    auto const message = MessageOf(ErrorKind::kData, [&] { Make(values, 9, {0, 200, 500}, cuda::DeviceBinsTask{}); });
    EXPECT_NE(message.find("other values than the first"), std::string::npos) << message;
  }
}

/// Nothing row-sized is copied back, and rows of the host cross the bus once.
TEST_F(MakeBinsTest, WhatCrossesTheBus) {
  auto const values = MixedValues(20000, 9, 41);
  auto const on_device = Upload(values, 9);
  auto const copied = [&](DataMatrix const& data) {
    auto const before = cuda::ThreadCopyCounts();
    cuda::MakeDeviceBins(Cuda(), OnDevice(), cuda::DenseTable::Of(data), {}).bins;
    return cuda::ThreadCopyCounts() - before;
  };
  auto const of_device = copied(*on_device);
  EXPECT_LT(of_device.to_device_bytes, 100000U);
  EXPECT_LT(of_device.to_host_bytes, 100000U);
  auto const of_host = copied(*MakeMatrix(values, 9, false));
  EXPECT_EQ(of_host.to_device_bytes, of_device.to_device_bytes + sizeof(float) * values.size());
  EXPECT_EQ(of_host.to_host_bytes, of_device.to_host_bytes);
}

/// Keys take the same memory as codes, and are freed before the codes are made. Rows that stay are beside them.
TEST_F(MakeBinsTest, PeakOfMemory) {
  constexpr std::int64_t kRows = 300000;
  auto const data = MakeMatrix({kRows, 28, 0.0, 0, false, 51});
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  for (auto const host_rows : {cuda::HostRows::kPass, cuda::HostRows::kStay}) {
    std::uint64_t before = 0;
    std::uint64_t most = 0;
    ASSERT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &before), cudaSuccess);
    ASSERT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &most), cudaSuccess);
    cuda::DeviceBinsTask task;
    task.key_bytes = 0;
    task.part_bytes = std::size_t{1} << 16U;
    task.host_rows = host_rows;
    auto const bins = cuda::MakeDeviceBins(Cuda(), OnDevice(), cuda::DenseTable::Of(*data), task).bins;
    ASSERT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &most), cudaSuccess);
    auto const codes = static_cast<std::uint64_t>(kRows) * 32;
    auto const rows = host_rows == cuda::HostRows::kStay ? sizeof(float) * static_cast<std::uint64_t>(kRows) * 28 : 0;
    EXPECT_GE(most - before, codes + rows);
    EXPECT_LT(most - before, codes + codes / 3 + rows);
  }
}

}  // namespace
}  // namespace kauri::testing
