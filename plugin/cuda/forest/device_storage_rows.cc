#include "cuda/common/fill_margins.h"
#include "cuda/data/cuda_memory.h"
#include "cuda/forest/host_rows.h"

namespace kauri::cuda {
namespace {

void FillStart(CudaContext const& cuda, MarginStart const& start, Span<float> margins) {
  if (!start.of_row.empty()) return CopyToDevice(cuda, start.of_row.data(), start.of_row.size(), margins.data());
  Buffer<float> const of_output(cuda, start.of_output.size());
  CopyToDevice(cuda, start.of_output.data(), start.of_output.size(), of_output.data());
  FillMargins(cuda, of_output.span(), margins);
}

}  // namespace

DeviceRows RowsOn(CudaContext const& cuda, DeviceStorage const& storage) {
  auto const& layout = LayoutOn(cuda, storage);
  DeviceRows rows;
  rows.n_rows = layout.n_rows;
  rows.n_cols = layout.n_cols;
  rows.values = layout.values;
  rows.row_stride = layout.row_stride;
  rows.col_stride = layout.col_stride;
  return rows;
}

std::unique_ptr<OwnedFloats> PredictDeviceRows(DeviceForest const& forest, DeviceStorage const& storage,
                                               PredictKind kind, TreeRange trees, MarginStart const& start) {
  auto const device = forest.DeviceOrdinal();
  DeviceScope const scope(device);
  auto const rows = RowsOn({device, nullptr}, storage);
  auto const width = kind == PredictKind::kLeaf ? forest.OnHost().LeafWidth(trees) : forest.OnHost().n_outputs;
  auto result = std::make_unique<OwnedFloats>(device, rows.n_rows * width);
  auto const& cuda = result->Cuda();
  if (kind == PredictKind::kMargin) FillStart(cuda, start, result->Values());
  WalkForest(cuda, forest, rows, kind, trees, result->Values().data());
  return result;
}

}  // namespace kauri::cuda
