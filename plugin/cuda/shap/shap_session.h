/// \file Tiles of host rows on their way to the device, and what a call keeps for the next one.
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

/// One tile at a time: UploadStart, Upload, the work on Cuda(), and its results, which HostResults sends to the host.
/// Up to there the host waits for nothing, unless the rows are staged in several turns. Buffers grow to the largest
/// tile and stay.
class ShapSession {
 public:
  explicit ShapSession(int device) : stream_(device) {}
  /// Waits: buffers of a tile that an error has ended may be in use.
  ~ShapSession() { cudaStreamSynchronize(Cuda().stream); }
  ShapSession(ShapSession const&) = delete;
  ShapSession& operator=(ShapSession const&) = delete;

  CudaContext const& Cuda() const { return stream_.Context(); }
  /// Of device memory.
  std::size_t Bytes() const { return sizeof(float) * (features_.size() + start_.size() + out_.size()); }

  /// Where the margins of rows [begin, end) start: [n_rows, n_outputs] or [n_outputs], as in `start`.
  float const* UploadStart(MarginStart const& start, std::int64_t n_outputs, std::int64_t begin, std::int64_t end);
  /// Those rows with the columns that are slots.
  DeviceRows Upload(Context const& ctx, Forest const& forest, DataView const& rows, std::int64_t begin,
                    std::int64_t end);
  /// Room for results, once those of the tile before are where they belong.
  float* Output(std::size_t size);

 private:
  StreamOwner stream_;  ///< before the buffers, which are freed on it
  std::array<PinnedBuffer<float>, 2> pinned_in_;
  Buffer<float> features_;
  Buffer<float> start_;
  Buffer<float> out_;
};

/// What a call has for its tiles: some of them in flight, their results on one way.
class TilesInFlight {
 public:
  static constexpr std::int64_t kMost = 3;

  explicit TilesInFlight(int device) : device_(device), results_(device) {}

  /// The session of tile `number`, once the results of the tile that had it before are where they belong.
  ShapSession& Take(Context const& ctx, std::int64_t number);
  /// Sends the first `size` results of tile `number`, which lie in its Output, on their way to `to`.
  void Send(Context const& ctx, std::int64_t number, std::size_t size, float* to);
  /// Waits for all results.
  void Finish(Context const& ctx) { results_.FinishAll(ctx); }
  /// Of device memory, of all sessions.
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

/// What calls leave behind for those that come later. Safe from many threads.
class IdleTiles {
 public:
  explicit IdleTiles(int device) : device_(device) {}
  std::unique_ptr<TilesInFlight> Take() const;
  /// Of a call that is through.
  void Keep(std::unique_ptr<TilesInFlight> tiles) const;

 private:
  int device_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<TilesInFlight>> idle_;
};

}  // namespace kauri::cuda
