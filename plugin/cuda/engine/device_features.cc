#include "cuda/engine/device_features.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "common/threads/parallel_for.h"
#include "cuda/hist/bins/kept_bins.h"
#include "cuda/hist/bins/values_of_codes.h"
#include "data/bins/bin_store.h"

namespace kauri::cuda {
namespace {

std::size_t Size(std::int64_t n) { return static_cast<std::size_t>(n); }

/// Number of rows that a thread decodes at a time, and number of floats that cross the bus at a time.
constexpr std::int64_t kRowsPerBlock = 1024;
constexpr std::int64_t kFloatsPerPart = std::int64_t{1} << 24U;

/// Copies the values of a view of stored rows, part by part.
void CopyView(CudaContext const& cuda, Context const& ctx, DataView const& view, float* to) {
  auto const n_cols = view.NumCols();
  auto const rows_of_part = std::max<std::int64_t>(1, kFloatsPerPart / std::max<std::int64_t>(1, n_cols));
  std::vector<float> part;
  for (std::int64_t first = 0; first < view.NumRows(); first += rows_of_part) {
    auto const n_rows = std::min(rows_of_part, view.NumRows() - first);
    part.resize(Size(n_rows * n_cols));
    ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      view.CopyRows(first + begin, first + end, n_cols, part.data() + begin * n_cols);
    });
    CopyToDevice(cuda, part.data(), part.size(), to + first * n_cols);
    cuda.Synchronize();  // for the part, which the next one overwrites
  }
}

void DecodeBins(CudaContext const& cuda, Context const& ctx, DataMatrix const& matrix, float* to) {
  auto const store = BinsOf(matrix);
  auto const kept = store == nullptr ? nullptr : KeptBinsOn(cuda.device, store->OnDevice());
  if (kept != nullptr) return WriteValues(cuda, *kept, to);
  CopyView(cuda, ctx, *matrix.View(), to);
}

}  // namespace

DeviceRows DeviceFeatures::Rows() const {
  DeviceRows rows;
  rows.n_rows = n_rows;
  rows.n_cols = n_cols;
  if (row_ptr.size() == 0) {
    rows.values = values.data();
    rows.row_stride = n_cols;
  } else {
    rows.row_ptr = row_ptr.data();
    rows.features = features.data();
    rows.entries = values.data();
  }
  return rows;
}

std::size_t BytesOfFeatures(DataMatrix const& matrix) {
  if (matrix.Store() != nullptr) return sizeof(float) * Size(matrix.NumRows() * matrix.NumCols());
  auto const& csr = matrix.Csr();
  auto const n_values = matrix.Dense().values.size() + csr.values.size();
  return 4 * (n_values + csr.features.size()) + 8 * csr.row_ptr.size();
}

DeviceFeatures MakeFeatures(CudaContext const& cuda, Context const& ctx, DataMatrix const& matrix) {
  DeviceFeatures made;
  made.n_rows = matrix.NumRows();
  made.n_cols = matrix.NumCols();
  if (matrix.Store() != nullptr) {
    made.values = Buffer<float>(cuda, Size(made.n_rows * made.n_cols));
    DecodeBins(cuda, ctx, matrix, made.values.data());
    return made;
  }
  auto const& csr = matrix.Csr();
  made.values = ToDevice(cuda, matrix.IsDense() ? matrix.Dense().values : csr.values);
  made.row_ptr = ToDevice(cuda, csr.row_ptr);
  made.features = ToDevice(cuda, csr.features);
  return made;
}

}  // namespace kauri::cuda
