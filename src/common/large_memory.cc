#include "common/large_memory.h"

#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace kauri {

void AdviseLargePages([[maybe_unused]] void const* memory, [[maybe_unused]] std::size_t n_bytes) {
#ifdef __linux__
  constexpr std::uintptr_t kPage = 4096;  // madvise wants whole ones; wider systems refuse, which does no harm
  constexpr std::size_t kWorthIt = std::size_t{4} << 20U;
  if (n_bytes < kWorthIt) return;
  auto const begin = (reinterpret_cast<std::uintptr_t>(memory) + kPage - 1) / kPage * kPage;
  auto const end = (reinterpret_cast<std::uintptr_t>(memory) + n_bytes) / kPage * kPage;
  static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE));
#endif
}

}  // namespace kauri
