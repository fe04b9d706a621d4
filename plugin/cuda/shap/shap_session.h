/// \file Tiles of host rows on their way to the device, and buffers that a call keeps for the next one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/forest/walk_forest.h"
#include "cuda/shap/host_results.h"
#include "kauri/predictor.h"

namespace kauri::cuda {

/// Buffers and stream of one tile at a time: UploadStart, Upload, the work on Cuda(), and its results, which
/// HostResults sends to the host. The host does not wait before the results, unless the rows are staged in several
/// turns. Buffers grow to the largest tile and are kept.
class ShapSession {
 public:
  explicit ShapSession(int device) : stream_(device) {}
  /// Waits, because buffers of a tile that failed may be in use.
  ~ShapSession() { cudaStreamSynchronize(Cuda().stream); }
  ShapSession(ShapSession const&) = delete;
  ShapSession& operator=(ShapSession const&) = delete;

  CudaContext const& Cuda() const { return stream_.Context(); }
  /// Returns the bytes of device memory.
  std::size_t Bytes() const { return sizeof(float) * (features_.size() + start_.size() + out_.size()); }

  /// Uploads the margins at which rows [begin, end) start: [n_rows, n_outputs] or [n_outputs], as in `start`.
  float const* UploadStart(MarginStart const& start, std::int64_t n_outputs, std::int64_t begin, std::int64_t end);
  /// Uploads rows [begin, end), in the form of TileForm.
  DeviceRows Upload(Context const& ctx, Forest const& forest, DataView const& rows, std::int64_t begin,
                    std::int64_t end);
  /// Returns memory for results. The results of the previous tile must have reached their destination.
  float* Output(std::size_t size);

 private:
  StreamOwner stream_;  ///< before the buffers, which are freed on it
  std::array<PinnedBuffer<float>, 2> pinned_in_;
  Buffer<float> features_;
  Buffer<float> start_;
  Buffer<float> out_;
};

/// The tiles of a call: up to kMost sessions in flight, whose results go through one HostResults.
class TilesInFlight {
 public:
  static constexpr std::int64_t kMost = 3;

  explicit TilesInFlight(int device) : device_(device), results_(device) {}

  /// Returns the session of tile `number`, once the results of the session's previous tile are at their destination.
  ShapSession& Take(Context const& ctx, std::int64_t number);
  /// Queues a copy of the first `size` results of tile `number`, which are in its Output, to `to`.
  void Send(Context const& ctx, std::int64_t number, std::size_t size, float* to);
  /// Waits for all results.
  void Finish(Context const& ctx) { results_.FinishAll(ctx); }
  /// Returns the bytes of device memory of all sessions.
  std::size_t Bytes() const;

 private:
  struct Tile {
    std::unique_ptr<ShapSession> session;
    HostResults::Mark sent = 0;
  };

  Tile& Of(std::int64_t number) { return tiles_[static_cast<std::size_t>(number % kMost)]; }

  int device_;
  std::array<Tile, kMost> tiles_;
  HostResults results_;  ///< after the sessions: it waits for copies from their memory
};

/// Sessions that finished calls leave for later calls. Safe from many threads.
class IdleTiles {
 public:
  explicit IdleTiles(int device) : device_(device) {}
  std::unique_ptr<TilesInFlight> Take() const;
  /// Keeps the tiles of a finished call.
  void Keep(std::unique_ptr<TilesInFlight> tiles) const;

 private:
  int device_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<TilesInFlight>> idle_;
};

}  // namespace kauri::cuda
