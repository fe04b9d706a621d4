#include "cuda/hist/approx/column_share.h"

#include "cuda/data/convert.h"
#include "kauri/span.h"

namespace kauri::cuda {
namespace {

/// Returns rows of a matrix without gaps, on the main device; empty if they have none where they are.
Buffer<float> PackRows(SharedMatrix const& from, RowPart const& rows) {
  if (rows.col_stride == 1 && rows.row_stride == from.n_cols) return {};
  ArrayView view;
  view.data = rows.values;
  view.shape = {rows.n_rows, from.n_cols};
  view.strides = {4 * rows.row_stride, 4 * rows.col_stride};
  view.n_dims = 2;
  Buffer<float> packed(from.main, ToSize(rows.n_rows * from.n_cols));
  PackElements(from.main, view, reinterpret_cast<char*>(packed.data()));
  return packed;
}

}  // namespace

ColumnShare::ColumnShare(int device, int main) : stream_(device) {
  DeviceScope const scope(device);
  ReachEachOther(device, main);
}

std::size_t ColumnShare::NumBytes(std::int64_t n_rows, std::int64_t n_cols, ShardRange rows, ShardRange cols) {
  auto bytes = sizeof(float) * (ToSize(rows.count) * ToSize(n_cols) + ToSize(n_rows));
  for (auto const& part : OrderedMemory(n_rows, cols.count)) bytes += part.bytes;
  return bytes;
}

std::size_t ColumnShare::BytesOnMain(std::int64_t n_rows, std::int64_t n_cols, ShardRange rows, ShardRange cols) {
  return sizeof(std::uint32_t) * (ToSize(n_rows) * ToSize(cols.count) + ToSize(rows.count) * ToSize(n_cols));
}

void ColumnShare::Take(SharedMatrix const& from, ShardRange rows, ShardRange cols) {
  auto part = from.rows;
  part.values += rows.first * part.row_stride;
  part.n_rows = rows.count;
  auto const packed = PackRows(from, part);
  auto const keys = KeysInRowOrder(from.main, from.rows, cols);
  from.main.Synchronize();  // for the values and keys, which the other device copies

  DeviceScope const scope(Cuda().device);
  auto const main = from.main.device;
  values_ = Buffer<float>(Cuda(), ToSize(rows.count * from.n_cols));
  CopyFromDevice(Cuda(), main, packed.size() == 0 ? part.values : packed.data(), values_.size(), values_.data());
  rows_ = {0, rows.count, values_.data(), from.n_cols, 1};
  columns_.n_rows = keys.n_rows;
  columns_.n_cols = keys.n_cols;
  columns_.keys = Buffer<std::uint32_t>(Cuda(), keys.keys.size());
  columns_.summaries = Buffer<ColumnSummary>(Cuda(), keys.summaries.size());
  CopyFromDevice(Cuda(), main, keys.keys.data(), keys.keys.size(), columns_.keys.data());
  CopyFromDevice(Cuda(), main, keys.summaries.data(), keys.summaries.size(), columns_.summaries.data());
  Cuda().Synchronize();  // for the copies: their sources are freed now, and other streams read the values
  SortColumns(Cuda(), &columns_);
}

void ColumnShare::BeginCuts(OrderedCutTask task, int main) {
  if (columns_.n_cols == 0) return;
  DeviceScope const scope(Cuda().device);
  auto const n_rows = task.weights.size();
  weights_.Reserve(Cuda(), n_rows);
  CopyFromDevice(Cuda(), main, task.weights.data(), n_rows, weights_.data());
  task.weights = {weights_.data(), n_rows};
  cutter_.Begin(Cuda(), columns_, task);
}

void ColumnShare::CollectCuts(std::vector<FeatureCuts>* features) const {
  if (columns_.n_cols == 0) return;
  DeviceScope const scope(Cuda().device);
  cutter_.Collect(Cuda(), features);
}

}  // namespace kauri::cuda
