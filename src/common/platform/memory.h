/// \file Requests to the system about the memory of this process. All are hints but BytesOfMemory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kauri::platform {

/// Asks for large pages for memory that was not touched yet, `n_bytes` of whole pages.
void HintLargePages(void* pages, std::size_t n_bytes);
/// Asks for the pages of memory at once, instead of at their first use.
void PopulatePages(void* pages, std::size_t n_bytes);
/// Returns freed memory to the system, if the allocator can. Costs a traversal of all free memory.
void ReturnFreeMemory();
/// Returns the size of this machine's memory; 1 at least.
std::int64_t BytesOfMemory();

}  // namespace kauri::platform
