/// \file Predictions for rows of a host view by a forest on the device. Up to six tiles are in flight, so that the
/// host's copying, both directions of the bus and the traversals overlap; host threads never wait for each other at the
/// end of a tile.
///
/// Floor, 10 M rows of 28 columns, 1.12 GB: 22 ms of a bus of 50 GB/s, beside 17 ms in which 16 threads copy them.
///
/// PredictDeviceRows predicts rows in device memory, without a copy through the host.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "cuda/data/device_floats.h"
#include "cuda/forest/device_forest.h"
#include "cuda/forest/walk_forest.h"
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

/// The form in which rows of a view go to a device: with one column for each slot, or with all columns up to the last
/// one that the forest uses. Picking the slots of dense rows one by one takes a host thread ten times as long as
/// copying the rows, so nearly all columns go if nearly all are used: the device picks them.
struct TileForm {
  TileForm(Forest const& forest, DataView const& rows);
  /// Copies rows [begin, end) to tile: [end - begin, n_cols], in host memory.
  void Copy(Forest const& forest, DataView const& rows, std::int64_t begin, std::int64_t end, float* tile) const;
  /// Returns a table of such rows in device memory.
  DeviceRows Table(float const* values, std::int64_t n_rows) const;

  std::int64_t n_cols;
  bool columns_are_slots;
};

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

/// Returns the rows in the form that WalkForest takes. \throws Error(kDevice) unless they are on the device of `cuda`.
DeviceRows RowsOn(CudaContext const& cuda, DeviceStorage const& rows);

/// Returns margins or leaves, [n_rows, width]; `trees` are numbered within the forest. Asynchronous on the result's own
/// stream. \throws Error(kDevice) unless rows and forest are on one device, Error(kMemory).
std::unique_ptr<OwnedFloats> PredictDeviceRows(DeviceForest const& forest, DeviceStorage const& rows, PredictKind kind,
                                               TreeRange trees, MarginStart const& start);

}  // namespace kauri::cuda
