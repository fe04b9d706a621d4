/// Columns sorted on the device against SortedColumns: the same entries, bit for bit.
#include <cmath>

#include "cuda/data/cuda_memory.h"
#include "cuda/data/device_columns.h"
#include "cuda/hist/bins/make_device_bins.h"
#include "data/sorted_columns.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

class DeviceColumnsTest : public DeviceTest {
 protected:
  void Compare(DataMatrix const& data) { Compare(data, SortedColumns(Context{}, data)); }

  void Compare(DataMatrix const& data, SortedColumns const& expected) {
    auto const columns = cuda::MakeDeviceColumns(Cuda(), OnDevice(), data);
    ASSERT_EQ(columns.column_ptr, expected.ColumnPtr());
    std::vector<std::uint32_t> rows;
    std::vector<float> values;
    for (auto const& entry : expected.Entries()) {
      rows.push_back(entry.row);
      values.push_back(entry.value);
    }
    EXPECT_EQ(Fetch(Cuda(), columns.rows), rows);
    EXPECT_TRUE(SameFloats(Fetch(Cuda(), columns.values), values));
    std::vector<std::uint8_t> both_ways;
    for (std::int64_t col = 0; col < data.NumCols(); ++col) {
      both_ways.push_back(expected.IsComplete(col) || expected.IsConstant(col) ? 0 : 1);
    }
    EXPECT_EQ(columns.both_ways, both_ways);
  }

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
    return DataMatrix::FromDevice(cuda::MakeCudaMemory(cuda::KeepBins)->Copy({array}, std::nanf("")));
  }
};

TEST_F(DeviceColumnsTest, OfEveryStorage) {
  for (std::int64_t const n_rows : {1, 31, 32, 33, 255, 257, 5000}) {
    for (double const missing : {0.0, 0.3, 0.9, 1.0}) {
      for (std::uint32_t const n_distinct : {0U, 3U, 1U}) {
        SCOPED_TRACE(std::to_string(n_rows) + " rows, missing " + std::to_string(missing) + ", distinct " +
                     std::to_string(n_distinct));
        auto values = MakeValues({n_rows, 7, missing, n_distinct, false, 3});
        for (std::size_t i = 0; i < values.size(); i += 11) values[i] = std::isnan(values[i]) ? values[i] : -0.0F;
        auto const dense = MakeMatrix(values, 7, false);
        Compare(*dense);
        Compare(*MakeMatrix(values, 7, true));
        Compare(*Upload(values, 7), SortedColumns(Context{}, *dense));
      }
    }
  }
}

TEST_F(DeviceColumnsTest, ManyColumnsFewEntries) {
  for (std::int64_t const n_cols : {1, 2, 255, 256, 257, 70000}) {
    SCOPED_TRACE(n_cols);
    CsrStorage csr;
    csr.row_ptr.push_back(0);
    Random random(static_cast<std::uint64_t>(n_cols));
    for (int row = 0; row < 400; ++row) {
      if (row % 7 != 0) {  // other rows are empty
        csr.features.push_back(random.Below(static_cast<std::uint32_t>(n_cols)));
        csr.values.push_back(random.Normal());
      }
      csr.row_ptr.push_back(static_cast<std::int64_t>(csr.features.size()));
    }
    Compare(*DataMatrix::FromCsr(std::move(csr), n_cols));
  }
}

TEST_F(DeviceColumnsTest, ExtremeValues) {
  std::vector<float> const values{3.4028235e38F, -3.4028235e38F, 1e-45F,        -1e-45F, 0.0F,
                                  -0.0F,         1.0F,           std::nanf(""), -1.0F};
  Compare(*MakeMatrix(values, 1, false));
  Compare(*Upload(values, 1), SortedColumns(Context{}, *MakeMatrix(values, 1, false)));
}

TEST_F(DeviceColumnsTest, LargeSparseMatrix) { Compare(*MakeMatrix({200000, 40, 0.9, 0, true, 17})); }

}  // namespace
}  // namespace kauri::testing
