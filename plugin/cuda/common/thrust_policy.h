/// \file Thrust on a context's stream, with temporary memory from the async pool.
#pragma once

#include <thrust/execution_policy.h>

#include <cstddef>
#include <map>
#include <utility>

#include "cuda/common/buffer.h"

namespace kauri::cuda {

/// Allocator of Thrust's temporary memory. Holds the memory in use; not shared by threads.
class ThrustMemory {
 public:
  using value_type = char;

  explicit ThrustMemory(CudaContext const& cuda) : cuda_(cuda) {}
  ThrustMemory(ThrustMemory const&) = delete;
  ThrustMemory& operator=(ThrustMemory const&) = delete;

  char* allocate(std::ptrdiff_t bytes) {
    Buffer<char> memory(cuda_, static_cast<std::size_t>(bytes));
    auto* const data = memory.data();
    used_.emplace(data, std::move(memory));
    return data;
  }
  void deallocate(char* data, std::size_t /*bytes*/) { used_.erase(data); }

  /// Policy for calls like thrust::sequence(memory.OnStream(), ...): in the stream's order, without waiting unless the
  /// call returns a value.
  auto OnStream() { return thrust::cuda::par_nosync(*this).on(cuda_.stream); }

 private:
  CudaContext cuda_;
  std::map<char*, Buffer<char>> used_;
};

}  // namespace kauri::cuda
