#include <algorithm>

#include "cuda/common/event.h"
#include "cuda/common/launch.h"

namespace kauri::cuda {
namespace {

constexpr std::size_t kMostWords = 32;
constexpr std::uint64_t kPatienceNanoseconds = 60'000'000'000;
/// Reads of a word between two checks of the clock and of gave_up.
constexpr std::uint32_t kLooks = 1024;

struct Words {
  std::uint32_t const* word[kMostWords];
};

__global__ void SendKernel(std::uint32_t* word, std::uint32_t turn) {
  __threadfence_system();
  *const_cast<std::uint32_t volatile*>(word) = turn;
}

__device__ __forceinline__ std::uint64_t Now() {
  std::uint64_t nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

/// One thread per word.
__global__ void AwaitKernel(Words words, std::uint32_t turn, std::uint32_t volatile* gave_up) {
  auto const* const word = const_cast<std::uint32_t const volatile*>(words.word[threadIdx.x]);
  std::uint64_t const begin = Now();
  for (std::uint32_t look = 0; static_cast<std::int32_t>(*word - turn) < 0; ++look) {
    if (look % kLooks != 0) continue;  // each read of another word crosses the bus as well
    if (*gave_up != 0) break;
    if (Now() - begin > kPatienceNanoseconds) *gave_up = 1;
  }
  __threadfence_system();
}

}  // namespace

void SendSignal(CudaContext const& cuda, std::uint32_t* word, std::uint32_t turn) {
  Launch(cuda, 1, 1, SendKernel, word, turn);
}

void AwaitSignals(CudaContext const& cuda, std::vector<std::uint32_t const*> const& words, std::uint32_t turn,
                  std::uint32_t* gave_up) {
  for (std::size_t first = 0; first < words.size(); first += kMostWords) {
    auto const count = std::min(words.size() - first, kMostWords);
    Words some{};
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(first), count, some.word);
    Launch(cuda, 1, static_cast<int>(count), AwaitKernel, some, turn, gave_up);
  }
}

}  // namespace kauri::cuda
