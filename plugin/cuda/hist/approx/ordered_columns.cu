#include <cub/device/device_radix_sort.cuh>
#include <utility>

#include "cuda/common/launch.h"
#include "cuda/data/cuda_memory.h"
#include "cuda/hist/approx/ordered_columns.h"
#include "kauri/span.h"

namespace kauri::cuda {
namespace {

constexpr std::size_t kPartBytes = std::size_t{8} << 20U;  ///< size of the parts in which rows in host memory are sent

__global__ void __launch_bounds__(kBlockThreads) RowNumbersKernel(std::uint32_t* rows, std::int64_t n_rows) {
  auto const row = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (row < n_rows) rows[row] = static_cast<std::uint32_t>(row);
}

/// Sorts one column after the other, each in place.
class PairSorter {
 public:
  PairSorter(CudaContext const& cuda, std::int64_t n_rows)
      : cuda_(cuda), n_rows_(n_rows), spare_keys_(cuda, ToSize(n_rows)), spare_rows_(cuda, ToSize(n_rows)) {}

  /// rows (out): row numbers of the sorted keys.
  void Sort(std::uint32_t* keys, std::uint32_t* rows) {
    Launch(cuda_, GridFor(n_rows_, kBlockThreads), kBlockThreads, RowNumbersKernel, rows, n_rows_);
    cub::DoubleBuffer<std::uint32_t> key_buffers(keys, spare_keys_.data());
    cub::DoubleBuffer<std::uint32_t> row_buffers(rows, spare_rows_.data());
    scratch_.Run(cuda_, [&](void* temp, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(temp, bytes, key_buffers, row_buffers, n_rows_, 0, 32, cuda_.stream);
    });
    if (key_buffers.Current() != keys) CopyOnDevice(cuda_, key_buffers.Current(), ToSize(n_rows_), keys);
    if (row_buffers.Current() != rows) CopyOnDevice(cuda_, row_buffers.Current(), ToSize(n_rows_), rows);
  }

 private:
  CudaContext cuda_;
  std::int64_t n_rows_;
  Buffer<std::uint32_t> spare_keys_;
  Buffer<std::uint32_t> spare_rows_;
  CubScratch scratch_;
};

/// Writes the keys of all columns, in row order, and the values of rows that are not on the device.
void ReadRows(CudaContext const& cuda, Context const& ctx, DataMatrix const& data, OrderedColumns* columns) {
  KeysTask const task{columns->n_rows,     columns->n_cols,      nullptr,
                      WeightUnit(1.0F, 1), columns->keys.data(), columns->summaries.data()};
  auto* const values = columns->values.data();
  DeviceRowParts rows(cuda, ctx, DenseTable::Of(data), kPartBytes);
  rows.ForEach(0, columns->n_cols, [&](CudaContext const& stream, RowPart const& part) {
    WriteKeys(stream, part, task);
    if (values == nullptr) return;
    CopyOnDevice(stream, part.values, ToSize(part.n_rows * task.n_cols), values + part.first_row * task.n_cols);
  });
  cuda.Synchronize();  // for the parts, whose streams are destroyed now
}

}  // namespace

std::vector<MemoryPart> OrderedMemory(DataMatrix const& data) {
  constexpr std::size_t kScratch = std::size_t{1} << 20U;
  auto const n_rows = ToSize(data.NumRows());
  auto const n_values = n_rows * ToSize(data.NumCols());
  return {{"sorted values", 2 * sizeof(std::uint32_t) * n_values},
          {"values", data.OnDevice() == nullptr ? sizeof(float) * n_values : 0},
          {"rows on their way", DeviceRowParts::BytesFor(DenseTable::Of(data), kPartBytes)},
          {"sorting", (2 * sizeof(std::uint32_t) + 1) * n_rows + kScratch}};
}

OrderedColumns OrderColumns(CudaContext const& cuda, Context const& ctx, DataMatrix const& data) {
  OrderedColumns columns;
  columns.n_rows = data.NumRows();
  columns.n_cols = data.NumCols();
  auto const n_values = ToSize(columns.n_rows * columns.n_cols);
  columns.keys = Buffer<std::uint32_t>(cuda, n_values);
  columns.rows = Buffer<std::uint32_t>(cuda, n_values);
  columns.summaries = ToDevice(cuda, std::vector<ColumnSummary>(ToSize(columns.n_cols)));
  if (data.OnDevice() == nullptr) columns.values = Buffer<float>(cuda, n_values);
  ReadRows(cuda, ctx, data, &columns);
  PairSorter sorter(cuda, columns.n_rows);
  for (std::int64_t col = 0; col < columns.n_cols; ++col) {
    auto const first = col * columns.n_rows;
    sorter.Sort(columns.keys.data() + first, columns.rows.data() + first);
  }
  return columns;
}

RowPart RowsInPlace(CudaContext const& cuda, DataMatrix const& data, OrderedColumns const& columns) {
  if (auto const* const storage = data.OnDevice()) {
    auto const& layout = LayoutOn(cuda, *storage);
    return {0, layout.n_rows, layout.values, layout.row_stride, layout.col_stride};
  }
  return {0, columns.n_rows, columns.values.data(), columns.n_cols, 1};
}

}  // namespace kauri::cuda
