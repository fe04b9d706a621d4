/// \file Rows of a host view through a forest on the device: two tiles in flight, so that the host's copying, both
/// directions of the bus and the walks overlap.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "cuda/forest/device_forest.h"
#include "kauri/predictor.h"

namespace kauri::cuda {

/// A margin or leaf prediction on host memory; `trees` numbered within the forest.
struct HostRowsTask {
  DataView const& rows;
  PredictKind kind;
  TreeRange trees;
  MarginStart const& start;
  Span<float> out;
};

/// Rows [begin, end) with the columns that are slots; tile: [end - begin, n_slots], in host memory.
void CopySlots(Forest const& forest, DataView const& rows, std::int64_t begin, std::int64_t end, float* tile);

/// The streams, page-locked and device buffers of one call at a time.
class HostRowsSession;

class ShapModel;

/// A forest with the sessions that its calls have left behind and what its contributions need. Safe from many threads:
/// each call has its own session.
class GpuModel : public DeviceForest {
 public:
  GpuModel(Context const& ctx, Model const& model, TreeRange trees, CoverSource cover);
  ~GpuModel() override;
  void PredictHostRows(Context const& ctx, HostRowsTask const& task) const;
  ShapModel const& Shap() const { return *shap_; }

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<HostRowsSession>> idle_;
  std::unique_ptr<ShapModel> shap_;
};

}  // namespace kauri::cuda
