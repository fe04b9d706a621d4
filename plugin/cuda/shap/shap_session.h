/// \file A tile of host rows on its way to the device, and of results back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/forest/walk_forest.h"
#include "kauri/predictor.h"

namespace kauri::cuda {

/// One tile at a time: UploadStart, Upload, the work on Cuda(), BeginDownload, and later EndDownload. Up to there the
/// host waits for nothing, unless the rows are staged in several turns. Buffers grow to the largest tile and stay.
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
  /// Room for results.
  float* Output(std::size_t size);
  /// Sends the first `size` results on their way to `to`, behind what the stream holds.
  void BeginDownload(std::size_t size, float* to);
  /// Waits for the results that are on their way, if there are any.
  void EndDownload(Context const& ctx);

 private:
  StreamOwner stream_;  ///< before the buffers, which are freed on it
  std::array<PinnedBuffer<float>, 2> pinned_in_;
  std::array<PinnedBuffer<float>, 2> pinned_out_;
  Buffer<float> features_;
  Buffer<float> start_;
  Buffer<float> out_;
  std::size_t on_the_way_ = 0;  ///< results
  float* to_ = nullptr;
};

}  // namespace kauri::cuda
