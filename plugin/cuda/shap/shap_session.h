/// \file A tile of host rows on its way to the device, and of results back.
#pragma once

#include <array>
#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/predictor/walk_forest.h"
#include "kauri/predictor.h"

namespace kauri::cuda {

/// Buffers grow to the largest tile and stay. For one call at a time.
class ShapSession {
 public:
  explicit ShapSession(int device) : stream_(device) {}
  CudaContext const& Cuda() const { return stream_.Context(); }

  /// Rows [begin, end) with the columns that are slots.
  DeviceRows Upload(Context const& ctx, Forest const& forest, DataView const& rows, std::int64_t begin,
                    std::int64_t end);
  /// Where the margins of those rows start: [n_rows, n_outputs] or [n_outputs], as in `start`.
  float const* UploadStart(MarginStart const& start, std::int64_t n_outputs, std::int64_t begin, std::int64_t end);
  /// Room for results.
  float* Output(std::size_t size);
  /// The first `size` results; waits for them.
  void Download(Context const& ctx, std::size_t size, float* to);

 private:
  StreamOwner stream_;  ///< before the buffers, which are freed on it
  std::array<PinnedBuffer<float>, 2> pinned_;
  Buffer<float> features_;
  Buffer<float> start_;
  Buffer<float> out_;
};

}  // namespace kauri::cuda
