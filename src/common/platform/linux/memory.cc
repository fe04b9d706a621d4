#include "common/platform/memory.h"

#include <sys/mman.h>

#include <cstdlib>  // defines __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace kauri::platform {

void HintLargePages(void* pages, std::size_t n_bytes) { static_cast<void>(madvise(pages, n_bytes, MADV_HUGEPAGE)); }

void PopulatePages(void* pages, std::size_t n_bytes) {
  constexpr int kPopulateWrite = 23;  // since Linux 5.14; older ones refuse
  static_cast<void>(madvise(pages, n_bytes, kPopulateWrite));
}

void ReturnFreeMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace kauri::platform
