/// \file How much memory training may take.
#pragma once

#include <cstdint>
#include <limits>

namespace kauri {

/// What the library may hold at once for one data set and for training on it. What the caller holds (batches, the
/// process itself) is not counted.
struct MemoryBudget {
  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kMegabyte = std::int64_t{1} << 20U;

  std::int64_t bytes = kNoLimit;

  bool IsLimited() const { return bytes != kNoLimit; }
  /// \throws Error(kMemory) when `needed` bytes for `what` are more.
  void Require(std::int64_t needed, char const* what) const;
};

/// Gives memory that was freed back to the system, where the allocator can. Costs a walk through all free memory.
void ReturnFreeMemory();

/// 0: no limit. \throws Error(kParameter) for what cannot be a size.
MemoryBudget BudgetOfMegabytes(std::int64_t megabytes);

/// Rounded up, for messages.
inline std::int64_t ToMegabytes(std::int64_t bytes) {
  return bytes / MemoryBudget::kMegabyte + (bytes % MemoryBudget::kMegabyte != 0 ? 1 : 0);
}

}  // namespace kauri
