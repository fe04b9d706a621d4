/// \file Sums over the ranks of a group of integers in device memory.
///
/// 1. The ranks tell each other on which device they are, and which NCCL they have. With devices of their own and the
///    same NCCL they make a communicator, whose id goes through the group (Collective::Gather).
/// 2. Before every sum they meet in the group (one Collective::Max): who is gone is missed there, by the group's own
///    deadline. What follows takes milliseconds.
/// 3. NCCL sums from device to device. The host polls: a rank that goes after they met ends the sum of the others when
///    the deadline here has passed, as Error(kCollective).
/// Without a communicator sums go through host memory and Collective::Sum: 16 bytes of a histogram's sum each way over
/// the bus, and what the group's transport takes.
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
  /// deadline: of a sum by NCCL, from when the ranks have met.
  explicit DeviceGroup(int device, std::chrono::milliseconds deadline = std::chrono::seconds(20));
  ~DeviceGroup();
  DeviceGroup(DeviceGroup const&) = delete;
  DeviceGroup& operator=(DeviceGroup const&) = delete;

  /// values: device, each becomes its sum over the ranks of ctx.collective, modulo 2^64. All ranks call it, with as
  /// many. Waits for the sums, or until they are on the way to the device. \throws Error(kCollective).
  void Sum(Context const& ctx, CudaContext const& cuda, std::int64_t* values, std::size_t n);
  /// Whether the last Sum was NCCL's.
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
