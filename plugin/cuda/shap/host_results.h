/// \file Transfer of results from the device to the caller's memory.
///
/// The bus is fast only with page-locked memory, which callers do not have: locking 0.3 GB takes longer than filling
/// it. Therefore
/// 1. results cross the bus in loads, each queued after the kernels that write it, into one of a few page-locked
///    buffers that are kept;
/// 2. meanwhile the host's threads make the system provide the pages of the destination, if they do not exist yet;
/// 3. when the oldest load has arrived, the host's threads copy it to its destination, and its buffer takes the next
///    load.
///
/// Floor, 0.31 GB (10,000 rows of Fashion-MNIST, 10 outputs): the bus at 50 GB/s takes 6.3 ms. 16 host threads that
/// together read and write 100 GB/s copy as fast. They zero the same number of pages in half of that time: 9 ms of the
/// host beside the bus. A load of 8 MiB takes 0.17 ms of the bus, so that the waking of threads (20 us) does not
/// matter. Four loads keep the bus busy while the host's threads begin a tile.
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

/// Copies results from one device; used by one thread at a time. Buffers grow to the largest load and are kept: 32 MiB
/// at most. After an error the object can only be destroyed.
class HostResults {
 public:
  /// Counts floats since the beginning.
  using Mark = std::uint64_t;

  explicit HostResults(int device, std::size_t load_floats = kLoadFloats);
  /// Waits, because an error may have left copies under way.
  ~HostResults();
  HostResults(HostResults const&) = delete;
  HostResults& operator=(HostResults const&) = delete;

  /// Queues a copy of `size` floats of device memory to `to`, after the work in the stream of `cuda`. Does not wait for
  /// the device. Until Finish returns for the returned mark, `from` must stay and `to` is undefined.
  Mark Begin(Context const& ctx, CudaContext const& cuda, float const* from, std::size_t size, float* to);
  /// Waits until everything that was begun up to `mark` is at its destination.
  void Finish(Context const& ctx, Mark mark);
  void FinishAll(Context const& ctx) { Finish(ctx, begun_); }

 private:
  static constexpr std::size_t kLoadFloats = std::size_t{2} << 20U;
  static constexpr std::size_t kNumBuffers = 4;

  /// Results that have no buffer yet.
  struct Waiting {
    CudaContext cuda;
    float const* from;
    std::size_t size;
    float* to;
    std::size_t load_size;  ///< size of all loads except the last
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
  std::size_t oldest_ = 0;                 ///< the oldest load under way
  std::size_t next_ = 0;                   ///< the next load to begin
  Mark begun_ = 0;
  Mark done_ = 0;
};

}  // namespace kauri::cuda
