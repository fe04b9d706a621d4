#include "common/platform/memory.h"

#include <malloc.h>
#include <windows.h>

#include <algorithm>

namespace kauri::platform {

void HintLargePages(void* /*pages*/, std::size_t /*n_bytes*/) {}

void PopulatePages(void* /*pages*/, std::size_t /*n_bytes*/) {}

void ReturnFreeMemory() { _heapmin(); }

std::int64_t BytesOfMemory() {
  MEMORYSTATUSEX memory{};
  memory.dwLength = sizeof(memory);
  if (GlobalMemoryStatusEx(&memory) == 0) return 1;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(memory.ullTotalPhys));
}

}  // namespace kauri::platform
