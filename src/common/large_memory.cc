#include "common/large_memory.h"

#include <cstdint>

#include "common/platform/memory.h"
#include "common/threads/parallel_for.h"

namespace kauri {
namespace {

// The system takes whole pages; systems with larger pages refuse, which does no harm
constexpr std::uintptr_t kPage = 4096;
constexpr std::size_t kWorthIt = std::size_t{4} << 20U;

/// The whole pages of a memory.
struct Pages {
  std::uintptr_t begin;
  std::uintptr_t end;

  Pages(void const* memory, std::size_t n_bytes)
      : begin((reinterpret_cast<std::uintptr_t>(memory) + kPage - 1) / kPage * kPage),
        end((reinterpret_cast<std::uintptr_t>(memory) + n_bytes) / kPage * kPage) {}
};

}  // namespace

void AdviseLargePages(void const* memory, std::size_t n_bytes) {
  if (n_bytes < kWorthIt) return;
  Pages const pages(memory, n_bytes);
  platform::HintLargePages(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin);
}

void ProvidePages(Context const& ctx, void* memory, std::size_t n_bytes) {
  constexpr std::uintptr_t kPart = std::uintptr_t{2} << 20U;  // a large page
  if (n_bytes < kWorthIt || ctx.threads <= 1) return;
  Pages const pages(memory, n_bytes);
  auto const first = pages.begin / kPart * kPart;
  auto const n_parts = static_cast<std::int64_t>((pages.end - first + kPart - 1) / kPart);
  ParallelFor(ctx, n_parts, [&](std::int64_t part) {
    auto const begin = first + static_cast<std::uintptr_t>(part) * kPart;
    auto const from = begin < pages.begin ? pages.begin : begin;
    auto const to = begin + kPart < pages.end ? begin + kPart : pages.end;
    platform::PopulatePages(reinterpret_cast<void*>(from), to - from);
  });
}

}  // namespace kauri
