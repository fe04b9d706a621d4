/// \file Sums over the ranks of a group of integers in device memory.
///
/// 1. The ranks exchange their devices and their versions of NCCL. If each has a device of its own and all have the
///    same NCCL, they make a communicator, whose id goes through the group (Collective::Gather).
/// 2. Before every sum they meet in the group (one Collective::Max). A lost rank is detected there, by the group's own
///    deadline. The rest takes milliseconds.
/// 3. NCCL sums from device to device. The host polls: if a rank is lost after they met, the sum of the others ends
///    when the deadline here has passed, as Error(kCollective).
/// Without a communicator sums go through host memory and Collective::Sum: 16 bytes of a histogram's sum each way over
/// the bus, and the cost of the group's transport.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "cuda/collective/nccl.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"
#include "kauri/context.h"

namespace kauri::cuda {

class DeviceGroup {
 public:
  /// deadline: of a sum by NCCL, counted from the meeting of the ranks.
  explicit DeviceGroup(int device, std::chrono::milliseconds deadline = std::chrono::seconds(20));
  ~DeviceGroup();
  DeviceGroup(DeviceGroup const&) = delete;
  DeviceGroup& operator=(DeviceGroup const&) = delete;

  /// Replaces each value, on the device, by its sum over the ranks of ctx.collective, modulo 2^64. All ranks call it
  /// with the same n. Waits for the sums, or until they are on the way to the device. \throws Error(kCollective).
  void Sum(Context const& ctx, CudaContext const& cuda, std::int64_t* values, std::size_t n);
  /// Returns whether the last Sum used NCCL.
  bool UsesNccl() const { return comm_ != nullptr; }

 private:
  bool IsOf(Context const& ctx) const;
  void Join(Context const& ctx);
  void MakeCommunicator(Context const& ctx);
  void SumByNccl(CudaContext const& cuda, std::int64_t* values, std::size_t n);
  void SumByHost(Context const& ctx, CudaContext const& cuda, std::int64_t* values, std::size_t n);
  void WaitForSum();
  /// Ends the communicator. \throws Error(kCollective).
  [[noreturn]] void GiveUp(char const* why);
  void Leave() noexcept;

  int device_;
  std::chrono::milliseconds deadline_;
  Collective const* of_ = nullptr;  ///< the group that it joined
  int rank_ = -1;
  int size_ = 0;
  NcclComm* comm_ = nullptr;  ///< nullptr: sums go through host memory
  Event summed_;
  PinnedBuffer<std::int64_t> on_host_;
};

}  // namespace kauri::cuda
