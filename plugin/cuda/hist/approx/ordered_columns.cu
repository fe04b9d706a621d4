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

/// Copies rows that are in host memory to the device.
Buffer<float> ValuesOfHost(CudaContext const& cuda, Context const& ctx, DataMatrix const& data) {
  auto const n_cols = data.NumCols();
  Buffer<float> values(cuda, ToSize(data.NumRows() * n_cols));
  DeviceRowParts rows(cuda, ctx, DenseTable::Of(data), kPartBytes);
  rows.ForEach(0, n_cols, [&](CudaContext const& stream, RowPart const& part) {
    CopyOnDevice(stream, part.values, ToSize(part.n_rows * n_cols), values.data() + part.first_row * n_cols);
  });
  cuda.Synchronize();  // for the parts, whose streams are destroyed now
  return values;
}

}  // namespace

RowPart FirstRows(RowPart rows, std::int64_t n_rows) {
  rows.n_rows = n_rows;
  return rows;
}

std::vector<MemoryPart> OrderedMemory(std::int64_t n_rows, std::int64_t n_cols) {
  constexpr std::size_t kScratch = std::size_t{1} << 20U;
  return {{"sorted values", 2 * sizeof(std::uint32_t) * ToSize(n_rows) * ToSize(n_cols)},
          {"sorting", (2 * sizeof(std::uint32_t) + 1) * ToSize(n_rows) + kScratch}};
}

std::vector<MemoryPart> MatrixRows::Memory(DataMatrix const& data) {
  if (data.OnDevice() != nullptr) return {};
  return {{"values", sizeof(float) * ToSize(data.NumRows()) * ToSize(data.NumCols())},
          {"rows on their way", DeviceRowParts::BytesFor(DenseTable::Of(data), kPartBytes)}};
}

MatrixRows::MatrixRows(CudaContext const& cuda, Context const& ctx, DataMatrix const& data) {
  if (data.OnDevice() == nullptr) values_ = ValuesOfHost(cuda, ctx, data);
}

RowPart MatrixRows::All(CudaContext const& cuda, DataMatrix const& data) const {
  if (auto const* const storage = data.OnDevice()) {
    auto const& layout = LayoutOn(cuda, *storage);
    return {0, layout.n_rows, layout.values, layout.row_stride, layout.col_stride};
  }
  return {0, data.NumRows(), values_.data(), data.NumCols(), 1};
}

OrderedColumns KeysInRowOrder(CudaContext const& cuda, RowPart rows, ShardRange cols) {
  OrderedColumns columns;
  columns.n_rows = rows.n_rows;
  columns.n_cols = cols.count;
  columns.keys = Buffer<std::uint32_t>(cuda, ToSize(rows.n_rows * cols.count));
  columns.summaries = ToDevice(cuda, std::vector<ColumnSummary>(ToSize(cols.count)));
  rows.values += cols.first * rows.col_stride;
  WriteKeys(cuda, rows,
            {rows.n_rows, cols.count, nullptr, WeightUnit(1.0F, 1), columns.keys.data(), columns.summaries.data()});
  return columns;
}

void SortColumns(CudaContext const& cuda, OrderedColumns* columns) {
  columns->rows = Buffer<std::uint32_t>(cuda, columns->keys.size());
  PairSorter sorter(cuda, columns->n_rows);
  for (std::int64_t col = 0; col < columns->n_cols; ++col) {
    auto const first = col * columns->n_rows;
    sorter.Sort(columns->keys.data() + first, columns->rows.data() + first);
  }
}

}  // namespace kauri::cuda
