#include "cuda/common/memory_plan.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <sstream>
#include <vector>

#include "kauri/error.h"

namespace kauri::cuda {
namespace {

std::size_t SumOf(std::vector<MemoryPart> const& parts) {
  std::size_t sum = 0;
  // Saturates, because an overflow would make a huge plan look small.
  for (auto const& part : parts) sum += std::min(part.bytes, std::numeric_limits<std::size_t>::max() - sum);
  return sum;
}

/// Returns the bytes that the pool of the device holds without using them.
std::size_t IdleBytesOfPool(CudaContext const& cuda) {
  cudaMemPool_t pool = nullptr;
  std::uint64_t reserved = 0;
  std::uint64_t used = 0;
  KAURI_CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, cuda.device));
  KAURI_CUDA_CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
  KAURI_CUDA_CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  return static_cast<std::size_t>(reserved - used);
}

}  // namespace

std::size_t FreeBytes(CudaContext const& cuda) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  KAURI_CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  return free_bytes + IdleBytesOfPool(cuda);
}

std::size_t MakeRoom(CudaContext const& cuda, std::size_t needed) {
  auto const free_bytes = FreeBytes(cuda);
  if (needed <= free_bytes) return free_bytes;
  GiveUpIdleMemory(cuda.device);
  return FreeBytes(cuda);
}

void RequireMemory(CudaContext const& cuda, std::string const& purpose, std::vector<MemoryPart> const& parts) {
  if (SumOf(parts) <= IdleBytesOfPool(cuda)) return;  // avoids the slow call of the driver
  RequireWithin(MakeRoom(cuda, SumOf(parts)), cuda, purpose, parts);
}

void RequireWithin(std::size_t free_bytes, CudaContext const& cuda, std::string const& purpose,
                   std::vector<MemoryPart> const& parts) {
  auto const needed = SumOf(parts);
  if (needed <= free_bytes) return;
  std::ostringstream list;
  for (auto const& part : parts) list << (&part == parts.data() ? "" : ", ") << part.name << " " << part.bytes;
  Fail(ErrorKind::kMemory, "cuda:", cuda.device, " has too little memory for ", purpose, ": ", needed,
       " bytes are needed (", list.str(), "), ", free_bytes,
       " are free. Use fewer rows or features, end other programs that use this device, or use another device or "
       "device=cpu.");
}

namespace {

struct Registered {
  std::mutex mutex;
  std::vector<std::weak_ptr<IdleMemory const>> all;
};

Registered& All() {
  static Registered registered;
  return registered;
}

/// Returns a copy of the list, so that no lock is held while memory is freed.
std::vector<std::shared_ptr<IdleMemory const>> Alive() {
  std::vector<std::shared_ptr<IdleMemory const>> alive;
  std::lock_guard<std::mutex> const lock(All().mutex);
  for (auto const& one : All().all) {
    if (auto memory = one.lock()) alive.push_back(std::move(memory));
  }
  return alive;
}

}  // namespace

void RegisterIdleMemory(std::shared_ptr<IdleMemory const> const& memory) {
  std::lock_guard<std::mutex> const lock(All().mutex);
  auto& all = All().all;
  all.erase(std::remove_if(all.begin(), all.end(), [](auto const& one) { return one.expired(); }), all.end());
  all.push_back(memory);
}

void GiveUpIdleMemory(int device) {
  for (auto const& memory : Alive()) {
    if (memory->Device() == device) memory->GiveUp();
  }
}

}  // namespace kauri::cuda
