#include "common/platform/memory.h"

namespace kauri::platform {

void HintLargePages(void* /*pages*/, std::size_t /*n_bytes*/) {}

void PopulatePages(void* /*pages*/, std::size_t /*n_bytes*/) {}

void ReturnFreeMemory() {}

}  // namespace kauri::platform
