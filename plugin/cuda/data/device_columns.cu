/// Dense: 1. the matrix is copied; 2. per column, values become keys whose unsigned order is theirs (missing last); 3.
/// a radix sort of (key, row), stable, so rows ascend within equal values; 4. the present part is appended to the
/// columns.
#include <cub/device/device_radix_sort.cuh>
#include <limits>
#include <string>

#include "cuda/common/launch.h"
#include "cuda/data/device_columns.h"
#include "data/sorted_columns.h"
#include "kauri/error.h"

namespace kauri::cuda {
namespace {

constexpr int kThreads = 256;
constexpr std::uint32_t kMissingKey = 0xFFFFFFFFU;

/// -0 counts as 0, as in SortedColumns.
__device__ std::uint32_t KeyOf(float value) {
  if (!(value == value)) return kMissingKey;
  std::uint32_t const bits = __float_as_uint(value == 0.0F ? 0.0F : value);
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

__device__ float ValueOf(std::uint32_t key) {
  return __uint_as_float((key & 0x80000000U) != 0 ? key & 0x7FFFFFFFU : ~key);
}

__global__ void ExtractKernel(float const* matrix, std::int64_t n_rows, std::int64_t n_cols, std::int64_t col,
                              std::uint32_t* keys, std::uint32_t* rows, unsigned long long* n_present) {
  std::int64_t const row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  bool present = false;
  if (row < n_rows) {
    std::uint32_t const key = KeyOf(matrix[row * n_cols + col]);
    keys[row] = key;
    rows[row] = static_cast<std::uint32_t>(row);
    present = key != kMissingKey;
  }
  int const count = __syncthreads_count(present);
  if (threadIdx.x == 0 && count > 0) atomicAdd(n_present + col, static_cast<unsigned long long>(count));
}

__global__ void AppendKernel(std::uint32_t const* keys, std::uint32_t const* rows, std::int64_t n,
                             std::uint32_t* to_rows, float* to_values) {
  std::int64_t const index = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= n) return;
  to_rows[index] = rows[index];
  to_values[index] = ValueOf(keys[index]);
}

void CheckMemory(std::string const& what, std::size_t needed) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  KAURI_CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  if (needed <= free_bytes) return;
  Fail(ErrorKind::kMemory, "the CUDA device has too little memory for ", what, ": ", needed, " bytes are needed, ",
       free_bytes, " of ", total_bytes, " are free. Use fewer rows or columns, another device, or device=cpu.");
}

void SetEnds(CudaContext const& cuda, DeviceColumns* columns) {
  for (std::int64_t col = 0; col < columns->NumCols(); ++col) {
    auto const begin = columns->column_ptr[static_cast<std::size_t>(col)];
    auto const end = columns->column_ptr[static_cast<std::size_t>(col) + 1];
    auto const complete = end - begin == columns->n_rows;
    auto constant = false;
    if (begin < end && !complete) {
      constant = ToHost(cuda, columns->values.data() + begin, 1) == ToHost(cuda, columns->values.data() + end - 1, 1);
    }
    columns->both_ways.push_back(complete || constant ? 0 : 1);
  }
}

void SortDense(CudaContext const& cuda, DataMatrix const& data, DeviceColumns* columns) {
  auto const n_rows = data.NumRows();
  auto const n_cols = data.NumCols();
  auto const size = static_cast<std::size_t>(n_rows);
  auto const matrix = ToDevice(cuda, data.Dense().values);
  Buffer<std::uint32_t> keys(cuda, size);
  Buffer<std::uint32_t> rows(cuda, size);
  Buffer<std::uint32_t> sorted_keys(cuda, size);
  Buffer<std::uint32_t> sorted_rows(cuda, size);
  Buffer<unsigned long long> n_present(cuda, static_cast<std::size_t>(n_cols));
  FillZero(cuda, n_present.data(), n_present.size());
  CubScratch scratch;
  for (std::int64_t col = 0; col < n_cols; ++col) {
    Launch(cuda, GridFor(n_rows, kThreads), kThreads, ExtractKernel, static_cast<float const*>(matrix.data()), n_rows,
           n_cols, col, keys.data(), rows.data(), n_present.data());
    scratch.Run(cuda, [&](void* temp, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(temp, bytes, keys.data(), sorted_keys.data(), rows.data(),
                                             sorted_rows.data(), n_rows, 0, 32, cuda.stream);
    });
    // Waits for the number of present values of the column.
    auto const n = static_cast<std::int64_t>(ToHost(cuda, n_present.data() + col, 1)[0]);
    auto const at = columns->column_ptr.back();
    Launch(cuda, GridFor(n, kThreads), kThreads, AppendKernel, static_cast<std::uint32_t const*>(sorted_keys.data()),
           static_cast<std::uint32_t const*>(sorted_rows.data()), n, columns->rows.data() + at,
           columns->values.data() + at);
    columns->column_ptr.push_back(at + n);
  }
}

void CopySparse(CudaContext const& cuda, SortedColumns const& sorted, DeviceColumns* columns) {
  columns->column_ptr = sorted.ColumnPtr();
  std::vector<std::uint32_t> rows;
  std::vector<float> values;
  rows.reserve(static_cast<std::size_t>(sorted.NumEntries()));
  values.reserve(static_cast<std::size_t>(sorted.NumEntries()));
  for (auto const& entry : sorted.Entries()) {
    rows.push_back(entry.row);
    values.push_back(entry.value);
  }
  columns->rows = ToDevice(cuda, rows);
  columns->values = ToDevice(cuda, values);
  cuda.Synchronize();  // `rows` and `values` end here
}

}  // namespace

DeviceColumns MakeDeviceColumns(CudaContext const& cuda, Context const& ctx, DataMatrix const& data) {
  if (data.NumRows() >= std::numeric_limits<std::uint32_t>::max()) {
    Fail(ErrorKind::kData, "the exact method takes up to ", std::numeric_limits<std::uint32_t>::max() - 1,
         " rows, got ", data.NumRows(), "; use tree_method=hist.");
  }
  DeviceColumns columns;
  columns.n_rows = data.NumRows();
  auto const n_entries = static_cast<std::size_t>(data.NumEntries());
  if (data.IsDense()) {
    auto const n_rows = static_cast<std::size_t>(data.NumRows());
    auto const n_cells = n_rows * static_cast<std::size_t>(data.NumCols());
    CheckMemory("the sorted columns", n_entries * 8 + n_cells * 4 + n_rows * 24);
    columns.rows = Buffer<std::uint32_t>(cuda, n_entries);
    columns.values = Buffer<float>(cuda, n_entries);
    columns.column_ptr = {0};
    SortDense(cuda, data, &columns);
  } else {
    CheckMemory("the sorted columns", n_entries * 8);
    CopySparse(cuda, SortedColumns(ctx, data), &columns);
  }
  SetEnds(cuda, &columns);
  return columns;
}

}  // namespace kauri::cuda
