/// \file Contributions of a compiled model on its device. The data of each method are made on first use and kept.
#pragma once

#include <cstdint>
#include <memory>

#include "cuda/data/device_floats.h"
#include "cuda/forest/device_forest.h"
#include "cuda/forest/walk_forest.h"
#include "cuda/shap/shap_parts.h"
#include "cuda/shap/shap_session.h"
#include "kauri/predictor.h"
#include "predictor/lanes/bin_packing.h"

namespace kauri::cuda {

enum class ShapMethod { kQuadrature, kTreeShap };

struct ShapOptions {
  ShapMethod method = ShapMethod::kQuadrature;
  BinPacking packing = BinPacking::kBestFitDecreasing;  ///< of treeshap
  /// Device memory that the tiles of rows in flight may take together, with their keys and sums, and with rows and
  /// results that are not on the device yet. 0: a share of the free memory. A tile has at least one row.
  std::int64_t tile_bytes = 0;
};

/// Task with all pointers into device memory; trees are numbered within the forest.
struct ShapTask {
  DeviceRows rows;
  PredictKind kind;  ///< contributions or interactions, exact or approximate
  TreeRange trees;
  float const* start;  ///< [n_outputs], or [n_rows, n_outputs] if start_is_of_row
  bool start_is_of_row;
  float* out;                      ///< [n_rows, OutputWidth]
  DeviceEntries const* entries{};  ///< for an exact kind: writes these instead, [n_rows, n_entries]
};

/// Task with results in host memory; rows may be on the device.
struct HostShapTask {
  DataView const& rows;
  PredictKind kind;
  TreeRange trees;
  MarginStart start;
  Span<float> out;
  SparsePlan const* sparse = nullptr;  ///< for kInteraction: out is [n_rows, sparse->RowFloats()]
};

/// Task of Predictor::PredictSparse.
struct SparseShapTask {
  DataView const& rows;
  TreeRange trees;
  MarginStart start;
  std::int64_t top_k;
  SparseInteractions* out;
};

/// Task with rows and results in device memory, the start in host memory.
struct DeviceShapTask {
  DeviceStorage const& rows;
  PredictKind kind;
  TreeRange trees;
  MarginStart start;
};

/// Explains rows on one device. Safe from many threads. The forest must outlive it.
class ShapModel {
 public:
  explicit ShapModel(DeviceForest const& forest);

  /// Explains rows in tiles whose size a quarter of the free device memory allows. Returns when the results are
  /// complete. The size of tiles does not change the bits. \throws Error(kParameter) for paths that treeshap does not
  /// take, Error(kMemory).
  void Explain(Context const& ctx, CudaContext const& cuda, ShapOptions const& options, ShapTask const& task) const;

  /// Does the same as Explain, for rows and results in device memory. \throws Error(kDevice) unless on one device.
  std::unique_ptr<OwnedFloats> ExplainDeviceRows(Context const& ctx, ShapOptions const& options,
                                                 DeviceShapTask const& task) const;

  /// Does the same as Explain, with results in host memory. Device memory holds the model and three tiles of rows with
  /// their results.
  void ExplainHostRows(Context const& ctx, ShapOptions const& options, HostShapTask const& task) const;

  /// Computes interactions without their matrices, in tiles like ExplainHostRows.
  void ExplainSparse(Context const& ctx, ShapOptions const& options, SparseShapTask const& task) const;

 private:
  /// Returns the rows of one of the tiles in flight; width: floats of a row's results.
  std::int64_t TileRows(Context const& ctx, ShapOptions const& options, HostShapTask const& task, std::int64_t width,
                        TilesInFlight const& tiles) const;

  ShapCells CellsOf(Context const& ctx, PredictKind kind) const;
  /// Returns the bytes of a row's keys and sums.
  std::int64_t BytesPerRow(Context const& ctx, PredictKind kind) const;
  std::int64_t Width(ShapTask const& task) const;
  void ExplainTile(Context const& ctx, CudaContext const& cuda, ShapOptions const& options, ShapTask const& task,
                   RangeFacts const& facts) const;
  struct SparseParts {
    RangeFacts const& facts;
    SparsePlan const& plan;
  };
  /// out: [n_rows, plan.RowFloats()]
  void ExplainSparseTile(Context const& ctx, CudaContext const& cuda, ShapOptions const& options, ShapTask const& task,
                         SparseParts const& parts) const;
  void AddTrees(Context const& ctx, CudaContext const& cuda, ShapOptions const& options, ShapTask const& task,
                RowKeys const& keys, ShapSums const& sums) const;

  DeviceForest const& on_device_;
  Forest const& forest_;
  ShapParts parts_;
  IdleTiles idle_;
};

}  // namespace kauri::cuda
