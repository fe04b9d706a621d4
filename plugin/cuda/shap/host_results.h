/// \file Results on their way from the device to the caller's memory.
///
/// Page-locked memory is what the bus is fast with, and what nobody has: locking 0.3 GB takes longer than filling it.
/// So
/// 1. results cross the bus in loads, each behind the kernels that have written it, into one of a few page-locked
///    buffers that are kept;
/// 2. meanwhile the host's threads have the system make the pages where they belong, if there are none yet;
/// 3. as soon as the oldest load has arrived, the host's threads copy it to its place, and its buffer takes the next.
///
/// Floor, 0.31 GB (10,000 rows of Fashion-MNIST, 10 outputs): the bus at 50 GB/s takes 6.3 ms. 16 host threads that
/// read and write 100 GB/s together copy as fast, and zero as many pages in half of that time: 9 ms of the host beside
/// the bus. A load of 8 MiB is 0.17 ms of the bus: enough for the waking of threads (20 us) not to matter, and four of
/// them keep the bus busy while the host's threads begin a tile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "cuda/common/cuda_context.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"
#include "kauri/context.h"

namespace kauri::cuda {

/// Of one device and one thread at a time. Buffers grow to what they have held and stay: 32 MiB at most. After an error
/// it is of no more use but to be destroyed.
class HostResults {
 public:
  /// Counts floats since the beginning.
  using Mark = std::uint64_t;

  explicit HostResults(int device, std::size_t load_floats = kLoadFloats);
  /// Waits: an error may have left copies under way.
  ~HostResults();
  HostResults(HostResults const&) = delete;
  HostResults& operator=(HostResults const&) = delete;

  /// Sends `size` floats of device memory to `to`, behind what the stream of `cuda` holds. Waits for nothing on the
  /// device. Until Finish returns for the mark that it returns, `from` must stay and `to` is undefined.
  Mark Begin(Context const& ctx, CudaContext const& cuda, float const* from, std::size_t size, float* to);
  /// Waits until everything that was begun up to `mark` is where it belongs.
  void Finish(Context const& ctx, Mark mark);
  void FinishAll(Context const& ctx) { Finish(ctx, begun_); }

 private:
  static constexpr std::size_t kLoadFloats = std::size_t{2} << 20U;
  static constexpr std::size_t kNumBuffers = 4;

  /// What has no buffer yet.
  struct Waiting {
    CudaContext cuda;
    float const* from;
    std::size_t size;
    float* to;
    std::size_t load_size;  ///< of all loads but the last
  };
  struct Load {
    explicit Load(int device) : arrived(device) {}

    PinnedBuffer<float> memory;
    Event arrived;
    std::size_t size = 0;
    float* to = nullptr;
  };

  /// Begins copies while there are free buffers.
  void FillBuffers();
  /// Copies the oldest load to its place.
  void TakeOldest(Context const& ctx);
  Load& LoadOf(std::size_t number) { return buffers_[number % kNumBuffers]; }

  std::size_t load_floats_;
  std::deque<Waiting> waiting_;
  std::array<Load, kNumBuffers> buffers_;  ///< load i is in buffer i % kNumBuffers
  std::size_t oldest_ = 0;                 ///< load under way
  std::size_t next_ = 0;                   ///< load
  Mark begun_ = 0;
  Mark done_ = 0;
};

}  // namespace kauri::cuda
