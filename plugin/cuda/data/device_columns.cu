/// Values become keys with the same order as unsigned integers. Radix sorts are stable, so rows ascend within equal
/// values.
/// Dense: 1. present values are counted per column, which gives the start of each column; 2. per column, (key, row) are
/// sorted, missing last; 3. the present part is copied to its place.
/// Sparse: 1. every entry gets the key (feature, value) and its row; 2. one sort of all entries; 3. a column begins at
/// the first entry of its feature.
/// Bytes copied to the host: 9 per column.
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <limits>
#include <string>
#include <utility>

#include "cuda/common/cuda_context.h"
#include "cuda/common/launch.h"
#include "cuda/common/memory_plan.h"
#include "cuda/data/cuda_memory.h"
#include "cuda/data/device_columns.h"
#include "data/derived_data.h"
#include "kauri/error.h"

namespace kauri::cuda {
namespace {

constexpr std::uint32_t kMissingSortKey = 0xFFFFFFFFU;
/// Threads that count present values: enough to fill a device, few enough for an atomic each.
constexpr std::int64_t kCountingThreads = 1 << 19;

__device__ __forceinline__ std::int64_t GridIndex() {
  return static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
}

/// Returns the sort key of a value. -0 counts as 0, as in SortedColumns.
__device__ std::uint32_t SortKeyOf(float value) {
  if (!(value == value)) return kMissingSortKey;
  std::uint32_t const bits = __float_as_uint(value == 0.0F ? 0.0F : value);
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

__device__ float ValueOf(std::uint32_t key) {
  return __uint_as_float((key & 0x80000000U) != 0 ? key & 0x7FFFFFFFU : ~key);
}

/// Values in row-major order, [n_rows, n_cols].
struct Matrix {
  float const* values;
  std::int64_t n_rows;
  std::int64_t n_cols;
};

/// Counts present values. A thread stays in its column; neighbouring threads read neighbouring columns. n_threads: a
/// multiple of n_cols.
__global__ void __launch_bounds__(kBlockThreads)
    CountPresentKernel(Matrix matrix, std::int64_t n_threads, unsigned long long* n_present) {
  std::int64_t const thread = GridIndex();
  if (thread >= n_threads) return;
  std::int64_t const col = thread % matrix.n_cols;
  unsigned long long count = 0;
  for (std::int64_t row = thread / matrix.n_cols; row < matrix.n_rows; row += n_threads / matrix.n_cols) {
    float const value = matrix.values[row * matrix.n_cols + col];
    count += value == value ? 1U : 0U;
  }
  if (count > 0) atomicAdd(n_present + col, count);
}

__global__ void __launch_bounds__(kBlockThreads)
    ExtractKernel(Matrix matrix, std::int64_t col, std::uint32_t* keys, std::uint32_t* rows) {
  std::int64_t const row = GridIndex();
  if (row >= matrix.n_rows) return;
  keys[row] = SortKeyOf(matrix.values[row * matrix.n_cols + col]);
  rows[row] = static_cast<std::uint32_t>(row);
}

__global__ void __launch_bounds__(kBlockThreads)
    AppendKernel(std::uint32_t const* keys, std::uint32_t const* rows, std::int64_t n, std::uint32_t* to_rows,
                 float* to_values) {
  std::int64_t const index = GridIndex();
  if (index >= n) return;
  to_rows[index] = rows[index];
  to_values[index] = ValueOf(keys[index]);
}

/// Makes the keys and rows of entries. keys: the feature in the upper half, the value's key in the lower half. rows:
/// the last row that begins at or before the entry; earlier rows without entries may begin there too.
__global__ void __launch_bounds__(kBlockThreads)
    EntryKeysKernel(Span<std::int64_t const> row_ptr, std::uint32_t const* features, float const* values,
                    std::int64_t n_entries, std::uint64_t* keys, std::uint32_t* rows) {
  std::int64_t const entry = GridIndex();
  if (entry >= n_entries) return;
  std::int64_t low = 0;
  for (auto high = static_cast<std::int64_t>(row_ptr.size()) - 1; high - low > 1;) {
    std::int64_t const middle = (low + high) / 2;
    if (row_ptr.data()[middle] <= entry) {
      low = middle;
    } else {
      high = middle;
    }
  }
  rows[entry] = static_cast<std::uint32_t>(low);
  keys[entry] = std::uint64_t{features[entry]} << 32U | SortKeyOf(values[entry]);
}

__global__ void __launch_bounds__(kBlockThreads)
    EntryValuesKernel(std::uint64_t const* keys, std::int64_t n_entries, float* values) {
  std::int64_t const entry = GridIndex();
  if (entry < n_entries) values[entry] = ValueOf(static_cast<std::uint32_t>(keys[entry]));
}

/// Sets column_ptr, [n_cols + 1], to the first entry whose feature is not below the column.
__global__ void __launch_bounds__(kBlockThreads)
    ColumnPtrKernel(Span<std::uint64_t const> keys, Span<std::int64_t> column_ptr) {
  std::int64_t const col = GridIndex();
  if (col >= static_cast<std::int64_t>(column_ptr.size())) return;
  auto const key = static_cast<std::uint64_t>(col) << 32U;
  std::int64_t low = 0;
  for (auto high = static_cast<std::int64_t>(keys.size()); low < high;) {
    std::int64_t const middle = (low + high) / 2;
    if (keys.data()[middle] < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  column_ptr.data()[col] = low;
}

__global__ void __launch_bounds__(kBlockThreads)
    BothWaysKernel(Span<std::int64_t const> column_ptr, std::int64_t n_rows, float const* values,
                   std::uint8_t* both_ways) {
  std::int64_t const col = GridIndex();
  if (col + 1 >= static_cast<std::int64_t>(column_ptr.size())) return;
  std::int64_t const begin = column_ptr.data()[col];
  std::int64_t const end = column_ptr.data()[col + 1];
  bool const complete = end - begin == n_rows;
  bool const constant = begin < end && values[begin] == values[end - 1];
  both_ways[col] = complete || constant ? 0 : 1;
}

/// Pairs of keys and rows, with the memory to sort them.
template <typename Key>
class PairSorter {
 public:
  PairSorter(Buffer<Key>* keys, Buffer<std::uint32_t>* rows, CudaContext const& cuda)
      : cuda_(cuda),
        other_keys_(cuda, keys->size()),
        other_rows_(cuda, rows->size()),
        keys_(keys->data(), other_keys_.data()),
        rows_(rows->data(), other_rows_.data()) {}

  Key* Keys() { return keys_.Current(); }
  std::uint32_t* Rows() { return rows_.Current(); }
  std::uint32_t* OtherRows() { return rows_.Alternate(); }

  void Sort(std::int64_t n, int n_bits) {
    scratch_.Run(cuda_, [&](void* temp, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(temp, bytes, keys_, rows_, n, 0, n_bits, cuda_.stream);
    });
  }
  /// Leaves the sorted rows in `rows`, the buffer that was passed to the constructor.
  void TakeRows(Buffer<std::uint32_t>* rows) {
    if (rows_.Current() != rows->data()) std::swap(*rows, other_rows_);
  }

 private:
  CudaContext cuda_;
  Buffer<Key> other_keys_;
  Buffer<std::uint32_t> other_rows_;
  cub::DoubleBuffer<Key> keys_;
  cub::DoubleBuffer<std::uint32_t> rows_;
  CubScratch scratch_;
};

std::size_t Size(std::int64_t n) { return static_cast<std::size_t>(n); }

std::string Describe(DataMatrix const& data) {
  return "the sorted columns of " + std::to_string(data.NumRows()) + " rows and " + std::to_string(data.NumCols()) +
         " columns";
}

void RequireDense(CudaContext const& cuda, DataMatrix const& data) {
  auto const n_cells = Size(data.NumRows()) * Size(data.NumCols());
  RequireMemory(cuda, Describe(data),
                {{"entries", 8 * Size(data.NumEntries())},
                 {"matrix", data.OnDevice() == nullptr ? 4 * n_cells : 0},
                 {"sorting", 17 * Size(data.NumRows())}});
}

void RequireSparse(CudaContext const& cuda, DataMatrix const& data) {
  auto const n_entries = Size(data.NumEntries());
  RequireMemory(cuda, Describe(data),
                {{"entries", 8 * n_entries}, {"row pointers", 8 * Size(data.NumRows())}, {"sorting", 21 * n_entries}});
}

/// Returns the starts of the columns, [n_cols + 1]; waits for the counts of present values.
std::vector<std::int64_t> CountColumns(CudaContext const& cuda, Matrix const& matrix, bool has_missing) {
  std::vector<unsigned long long> counts(Size(matrix.n_cols), static_cast<unsigned long long>(matrix.n_rows));
  if (has_missing) {
    Buffer<unsigned long long> const n_present(cuda, counts.size());
    FillZero(cuda, n_present.data(), n_present.size());
    auto const n_threads = std::max<std::int64_t>(1, kCountingThreads / matrix.n_cols) * matrix.n_cols;
    Launch(cuda, GridFor(n_threads, kBlockThreads), kBlockThreads, CountPresentKernel, matrix, n_threads,
           n_present.data());
    counts = ToHost(cuda, n_present.data(), n_present.size());
  }
  std::vector<std::int64_t> column_ptr{0};
  for (auto const count : counts) column_ptr.push_back(column_ptr.back() + static_cast<std::int64_t>(count));
  return column_ptr;
}

void SortDense(CudaContext const& cuda, DataMatrix const& data, DeviceColumns* columns) {
  Buffer<float> copy;
  auto const* on_device = data.OnDevice();
  if (on_device == nullptr) copy = ToDevice(cuda, data.Dense().values);
  auto const* values = on_device == nullptr ? copy.data() : LayoutOn(cuda, *on_device).values;
  Matrix const matrix{values, data.NumRows(), data.NumCols()};
  columns->column_ptr = CountColumns(cuda, matrix, data.HasMissing());
  Buffer<std::uint32_t> keys(cuda, Size(matrix.n_rows));
  Buffer<std::uint32_t> rows(cuda, Size(matrix.n_rows));
  PairSorter<std::uint32_t> sorter(&keys, &rows, cuda);
  for (std::int64_t col = 0; col < matrix.n_cols; ++col) {
    Launch(cuda, GridFor(matrix.n_rows, kBlockThreads), kBlockThreads, ExtractKernel, matrix, col, sorter.Keys(),
           sorter.Rows());
    sorter.Sort(matrix.n_rows, 32);
    auto const begin = columns->column_ptr[Size(col)];
    auto const n = columns->column_ptr[Size(col) + 1] - begin;
    Launch(cuda, GridFor(n, kBlockThreads), kBlockThreads, AppendKernel, sorter.Keys(), sorter.Rows(), n,
           columns->rows.data() + begin, columns->values.data() + begin);
  }
}

/// Sorts sparse data. Buffers are used twice: the values of `columns` and the spare rows first hold the matrix's values
/// and features.
void SortSparse(CudaContext const& cuda, DataMatrix const& data, DeviceColumns* columns) {
  auto const& csr = data.Csr();
  auto const n = data.NumEntries();
  auto const row_ptr = ToDevice(cuda, csr.row_ptr);
  Buffer<std::uint64_t> keys(cuda, Size(n));
  PairSorter<std::uint64_t> sorter(&keys, &columns->rows, cuda);
  CopyToDevice(cuda, csr.values.data(), csr.values.size(), columns->values.data());
  CopyToDevice(cuda, csr.features.data(), csr.features.size(), sorter.OtherRows());
  Launch(cuda, GridFor(n, kBlockThreads), kBlockThreads, EntryKeysKernel, row_ptr.span(), sorter.OtherRows(),
         columns->values.data(), n, sorter.Keys(), sorter.Rows());
  int n_bits = 32;
  while ((data.NumCols() - 1) >> (n_bits - 32) != 0) ++n_bits;
  if (n > 0) sorter.Sort(n, n_bits);
  Launch(cuda, GridFor(n, kBlockThreads), kBlockThreads, EntryValuesKernel, sorter.Keys(), n, columns->values.data());
  Buffer<std::int64_t> const column_ptr(cuda, Size(data.NumCols()) + 1);
  Span<std::uint64_t const> const sorted(sorter.Keys(), Size(n));
  Launch(cuda, GridFor(data.NumCols() + 1, kBlockThreads), kBlockThreads, ColumnPtrKernel, sorted, column_ptr.span());
  columns->column_ptr = ToHost(cuda, column_ptr.data(), column_ptr.size());
  sorter.TakeRows(&columns->rows);
}

/// Sets both_ways. Waits for the flags, and thereby for the sort, so that the matrix may be freed.
void SetBothWays(CudaContext const& cuda, DeviceColumns* columns) {
  auto const column_ptr = ToDevice(cuda, columns->column_ptr);
  Buffer<std::uint8_t> const both_ways(cuda, Size(columns->NumCols()));
  Launch(cuda, GridFor(columns->NumCols(), kBlockThreads), kBlockThreads, BothWaysKernel, column_ptr.span(),
         columns->n_rows, columns->values.data(), both_ways.data());
  columns->both_ways = ToHost(cuda, both_ways.data(), both_ways.size());
}

}  // namespace

DeviceColumns MakeDeviceColumns(CudaContext const& cuda, Context const&, DataMatrix const& data) {
  if (data.NumRows() >= std::numeric_limits<std::uint32_t>::max()) {
    Fail(ErrorKind::kData, "the exact method takes up to ", std::numeric_limits<std::uint32_t>::max() - 1,
         " rows, got ", data.NumRows(), "; use tree_method=hist.");
  }
  (data.IsDense() ? RequireDense : RequireSparse)(cuda, data);
  DeviceColumns columns;
  columns.n_rows = data.NumRows();
  columns.rows = Buffer<std::uint32_t>(cuda, Size(data.NumEntries()));
  columns.values = Buffer<float>(cuda, Size(data.NumEntries()));
  (data.IsDense() ? SortDense : SortSparse)(cuda, data, &columns);
  SetBothWays(cuda, &columns);
  return columns;
}

std::shared_ptr<Kept<DeviceColumns> const> KeptColumnsOf(Context const& ctx, DataMatrix const& data) {
  return KeptWith<DeviceColumns>(data, {"cuda columns"}, ctx.device.ordinal);
}

std::shared_ptr<DeviceColumns const> DeviceColumnsOf(Context const& ctx, DataMatrix const& data) {
  return KeptColumnsOf(ctx, data)->Get([&](CudaContext const& cuda) {
    return std::make_unique<DeviceColumns const>(MakeDeviceColumns(cuda, ctx, data));
  });
}

}  // namespace kauri::cuda
