/// \file Predictions for rows of a host view by a forest on the device. Two tiles are in flight, so that the host's
/// copying, both directions of the bus and the traversals overlap.
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
  MarginStart start;
  Span<float> out;
};

/// Copies rows [begin, end), with one column for each slot, to tile: [end - begin, n_slots], in host memory.
void CopySlots(Forest const& forest, DataView const& rows, std::int64_t begin, std::int64_t end, float* tile);

/// The streams, page-locked and device buffers of one call at a time.
class HostRowsSession;

/// Predicts by one forest, which must outlive it, and keeps the sessions of finished calls. Safe from many threads:
/// each call has its own session.
class HostRowsPredictor {
 public:
  explicit HostRowsPredictor(DeviceForest const& forest);
  ~HostRowsPredictor();
  void Predict(Context const& ctx, HostRowsTask const& task) const;

 private:
  DeviceForest const& forest_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<HostRowsSession>> idle_;
};

}  // namespace kauri::cuda
