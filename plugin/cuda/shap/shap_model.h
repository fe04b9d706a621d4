/// \file Contributions of a compiled model on its device: what each method needs is made on first use and kept.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda/data/device_floats.h"
#include "cuda/predictor/device_forest.h"
#include "cuda/predictor/walk_forest.h"
#include "cuda/shap/quadrature_shap.h"
#include "cuda/shap/saabas.h"
#include "cuda/shap/tree_shap.h"
#include "kauri/predictor.h"
#include "predictor/bin_packing.h"

namespace kauri::cuda {

enum class ShapMethod { kQuadrature, kTreeShap };

struct ShapOptions {
  ShapMethod method = ShapMethod::kQuadrature;
  BinPacking packing = BinPacking::kBestFitDecreasing;  ///< of treeshap
};

/// All pointers into device memory; trees numbered within the forest.
struct ShapTask {
  DeviceRows rows;
  PredictKind kind;  ///< contributions or interactions, exact or approximate
  TreeRange trees;
  float const* start;  ///< [n_outputs], or [n_rows, n_outputs] if start_is_of_row
  bool start_is_of_row;
  float* out;  ///< [n_rows, OutputWidth]
};

/// The same in host memory.
struct HostShapTask {
  DataView const& rows;
  PredictKind kind;
  TreeRange trees;
  MarginStart const& start;
  Span<float> out;
};

/// Rows and results in device memory, the start in host memory.
struct DeviceShapTask {
  DeviceStorage const& rows;
  PredictKind kind;
  TreeRange trees;
  MarginStart const& start;
};

/// Stream and page-locked memory of one tile at a time.
class ShapSession;

/// Safe from many threads. The forest must outlive it.
class ShapModel {
 public:
  explicit ShapModel(DeviceForest const& forest);
  ~ShapModel();

  /// Works on as many rows at a time as a quarter of the free device memory allows; done when it returns. The same bits
  /// however many those are. \throws Error(kParameter) for paths that treeshap does not take, Error(kMemory).
  void Explain(Context const& ctx, CudaContext const& cuda, ShapOptions const& options, ShapTask const& task) const;

  /// As Explain, for rows that lie in device memory; the result too. \throws Error(kDevice) unless on one device.
  std::unique_ptr<OwnedFloats> ExplainDeviceRows(Context const& ctx, ShapOptions const& options,
                                                 DeviceShapTask const& task) const;

  /// As Explain, for rows in host memory: device memory holds the model and two tiles of rows with their results.
  void ExplainHostRows(Context const& ctx, ShapOptions const& options, HostShapTask const& task) const;

 private:
  /// What a range of trees adds to the bias, and the scale of its sums.
  struct RangeFacts {
    TreeRange trees;
    float scale;
    Buffer<double> expected;  ///< [n_outputs]
  };
  struct PackedRange {
    TreeRange trees;
    BinPacking packing;
    DevicePaths paths;
  };

  std::shared_ptr<RangeFacts const> Facts(Context const& ctx, TreeRange trees) const;
  std::shared_ptr<PackedRange const> Paths(Context const& ctx, TreeRange trees, BinPacking packing) const;
  std::shared_ptr<DeviceProgram const> Program(Context const& ctx, bool with_pairs) const;
  std::shared_ptr<DeviceMeans const> Means(Context const& ctx) const;

  std::unique_ptr<ShapSession> TakeSession() const;
  void KeepSession(std::unique_ptr<ShapSession> session) const;

  std::int64_t BytesPerRow(PredictKind kind) const;
  std::int64_t Width(ShapTask const& task) const;
  void ExplainTile(Context const& ctx, CudaContext const& cuda, ShapOptions const& options, ShapTask const& task,
                   RangeFacts const& facts) const;

  DeviceForest const& forest_;
  StreamOwner stream_;  ///< before the buffers, which are freed on it
  mutable std::mutex mutex_;
  mutable std::shared_ptr<RangeFacts const> facts_;   ///< of the last range
  mutable std::shared_ptr<PackedRange const> paths_;  ///< of the last range and packing
  mutable std::shared_ptr<DeviceProgram const> program_;
  mutable std::shared_ptr<DeviceProgram const> pair_program_;
  mutable std::shared_ptr<DeviceMeans const> means_;
  mutable std::vector<std::unique_ptr<ShapSession>> idle_;
};

}  // namespace kauri::cuda
