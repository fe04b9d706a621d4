#include "cuda/hist/approx/column_share.h"

#include <utility>

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

/// cuda: the device of the share, which is current.
std::unique_ptr<OrderedShare const> MakeShare(CudaContext const& cuda, SharedMatrix const& from, ShardRange rows,
                                              ShardRange cols) {
  auto part = from.rows;
  part.values += rows.first * part.row_stride;
  part.n_rows = rows.count;
  auto const main = from.main.device;
  DeviceScope const scope_of_main(main);
  auto const packed = PackRows(from, part);
  auto const keys = KeysInRowOrder(from.main, from.rows, cols);
  from.main.Synchronize();  // for the values and keys, which the other device copies

  DeviceScope const scope(cuda.device);
  auto share = std::make_unique<OrderedShare>();
  share->values = Buffer<float>(cuda, ToSize(rows.count * from.n_cols));
  CopyFromDevice(cuda, main, packed.size() == 0 ? part.values : packed.data(), share->values.size(),
                 share->values.data());
  auto& columns = share->columns;
  columns.n_rows = keys.n_rows;
  columns.n_cols = keys.n_cols;
  columns.keys = Buffer<std::uint32_t>(cuda, keys.keys.size());
  columns.summaries = Buffer<ColumnSummary>(cuda, keys.summaries.size());
  CopyFromDevice(cuda, main, keys.keys.data(), keys.keys.size(), columns.keys.data());
  CopyFromDevice(cuda, main, keys.summaries.data(), keys.summaries.size(), columns.summaries.data());
  cuda.Synchronize();  // for the copies: their sources are freed now
  SortColumns(cuda, &columns);
  return share;
}

}  // namespace

ColumnShare::ColumnShare(int device, int main, std::shared_ptr<Kept<OrderedShare> const> place)
    : place_(std::move(place)), share_(place_->Hold()), stream_(device) {
  DeviceScope const scope(device);
  ReachEachOther(device, main);
}

std::size_t ColumnShare::NumBytes(std::int64_t n_rows, std::int64_t n_cols, ShardRange rows, ShardRange cols) {
  auto bytes = sizeof(float) * ToSize(rows.count) * ToSize(n_cols);
  for (auto const& part : OrderedMemory(n_rows, cols.count)) bytes += part.bytes;
  return bytes;
}

std::size_t ColumnShare::BytesOnMain(std::int64_t n_rows, std::int64_t n_cols, ShardRange rows, ShardRange cols) {
  return sizeof(std::uint32_t) * (ToSize(n_rows) * ToSize(cols.count) + ToSize(rows.count) * ToSize(n_cols));
}

void ColumnShare::Take(SharedMatrix const& from, ShardRange rows, ShardRange cols) {
  DeviceScope const scope(Cuda().device);
  share_ = place_->Get([&](CudaContext const& own) { return MakeShare(own, from, rows, cols); });
  rows_ = {0, rows.count, share_->values.data(), from.n_cols, 1};
}

void ColumnShare::BeginCuts(OrderedCutTask task, int main) {
  if (share_->columns.n_cols == 0) return;
  DeviceScope const scope(Cuda().device);
  auto const n_rows = task.weights.size();
  weights_.Reserve(Cuda(), n_rows);
  CopyFromDevice(Cuda(), main, task.weights.data(), n_rows, weights_.data());
  task.weights = {weights_.data(), n_rows};
  cutter_.Begin(Cuda(), share_->columns, task);
}

void ColumnShare::CollectCuts(std::vector<FeatureCuts>* features) const {
  if (share_->columns.n_cols == 0) return;
  DeviceScope const scope(Cuda().device);
  cutter_.Collect(Cuda(), features);
}

}  // namespace kauri::cuda
