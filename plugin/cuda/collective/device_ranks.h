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
///
/// NCCL, the library that sums arrays over devices, is not a dependency: it is loaded when ranks first need it, and if
/// it is missing, sums go another way. Its functions and numbers below are from its C interface, which has stayed the
/// same since version 2.4.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "cuda/common/cuda_context.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"
#include "kauri/context.h"

namespace kauri::cuda {

struct NcclComm;  // NCCL's own type

/// NCCL's type of the same layout: passed by value.
struct NcclId {
  std::array<char, 128> bytes;
};

constexpr int kNcclSuccess = 0;
constexpr int kNcclInProgress = 7;
constexpr int kNcclInt64 = 4;
constexpr int kNcclSum = 0;
/// Older versions do not end a call that another rank has left.
constexpr int kOldestNccl = 20400;  ///< 2.4, in NCCL's numbering

/// The used part of NCCL.
struct Nccl {
  int version = 0;      ///< in NCCL's numbering, 22809 for 2.28.9
  std::string problem;  ///< reason why there is none; empty if it is available

  int (*get_unique_id)(NcclId* id) = nullptr;
  int (*comm_init_rank)(NcclComm** comm, int n_ranks, NcclId id, int rank) = nullptr;
  int (*all_reduce)(void const* from, void* to, std::size_t n, int type, int operation, NcclComm* comm,
                    cudaStream_t stream) = nullptr;
  int (*comm_get_async_error)(NcclComm* comm, int* error) = nullptr;
  int (*comm_abort)(NcclComm* comm) = nullptr;
  char const* (*get_error_string)(int result) = nullptr;

  bool IsThere() const { return problem.empty(); }
};

/// Returns libnccl.so.2 of the system, or the library that the process has loaded already (PyTorch and CuPy bring one).
/// It is searched for once.
Nccl const& GetNccl();

class DeviceRanks {
 public:
  /// deadline: of a sum by NCCL, counted from the meeting of the ranks.
  explicit DeviceRanks(int device, std::chrono::milliseconds deadline = std::chrono::seconds(20));
  ~DeviceRanks();
  DeviceRanks(DeviceRanks const&) = delete;
  DeviceRanks& operator=(DeviceRanks const&) = delete;

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
