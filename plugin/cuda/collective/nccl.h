/// \file The used part of NCCL, the library that sums arrays over devices; loaded when ranks first need it.
///
/// It is not a dependency: if it is missing, sums go another way. The functions and numbers are from its C interface,
/// which has stayed the same since version 2.4.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <string>

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

}  // namespace kauri::cuda
