/// Dense rows: one thread per key, and neighbouring threads write neighbouring keys. Sparse rows: all keys are first
/// set to missing, then one thread per row stores its entries.
#include "cuda/common/launch.h"
#include "cuda/shap/row_keys.h"

namespace kauri::cuda {
namespace {

__global__ void DenseKeysKernel(ForestView forest, DeviceRows rows, RowKeys keys) {
  std::int64_t const index = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (index >= keys.n_rows * forest.n_slots) return;
  bool const rows_are_neighbours = keys.row_stride == 1;
  std::int64_t const row = rows_are_neighbours ? index % keys.n_rows : index / forest.n_slots;
  std::int64_t const slot = rows_are_neighbours ? index / keys.n_rows : index % forest.n_slots;
  std::int64_t const column = rows.columns_are_slots ? slot : forest.feature_of_slot[slot];
  keys.keys[row * keys.row_stride + slot * keys.slot_stride] =
      column < rows.n_cols ? KeyOf(rows.values[row * rows.row_stride + column * rows.col_stride]) : kMissingKey;
}

__global__ void MissingKeysKernel(RowKeys keys, std::int64_t n_keys) {
  std::int64_t const index = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (index < n_keys) keys.keys[index] = kMissingKey;
}

__global__ void SparseKeysKernel(ForestView forest, DeviceRows rows, RowKeys keys) {
  std::int64_t const row = static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x;
  if (row >= keys.n_rows) return;
  std::int64_t const end = rows.row_ptr[row + 1];
  for (std::int64_t entry = rows.row_ptr[row]; entry < end; ++entry) {
    std::uint32_t const feature = rows.features[entry];
    std::int32_t const slot = feature < forest.n_mapped_features ? forest.slot_of_feature[feature] : -1;
    if (slot >= 0) keys.keys[row * keys.row_stride + slot * keys.slot_stride] = KeyOf(rows.entries[entry]);
  }
}

}  // namespace

void ReadRowKeys(CudaContext const& cuda, ForestView const& forest, DeviceRows const& rows, RowKeys const& keys) {
  auto const n_keys = keys.n_rows * forest.n_slots;
  if (rows.row_ptr == nullptr) {
    return Launch(cuda, GridFor(n_keys, kBlockThreads), kBlockThreads, DenseKeysKernel, forest, rows, keys);
  }
  Launch(cuda, GridFor(n_keys, kBlockThreads), kBlockThreads, MissingKeysKernel, keys, n_keys);
  Launch(cuda, GridFor(keys.n_rows, kBlockThreads), kBlockThreads, SparseKeysKernel, forest, rows, keys);
}

DeviceRows RowsFrom(DeviceRows const& rows, std::int64_t begin, std::int64_t end) {
  auto part = rows;
  part.n_rows = end - begin;
  if (rows.row_ptr != nullptr) {
    part.row_ptr += begin;
  } else {
    part.values += begin * rows.row_stride;
  }
  return part;
}

}  // namespace kauri::cuda
