/// \file The memory limit of training.
#pragma once

#include <cstdint>
#include <limits>

namespace kauri {

/// Limit on the memory of the library for one data set and for training on it. The caller's memory (batches, the
/// process itself) is not counted.
struct MemoryBudget {
  static constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kMegabyte = std::int64_t{1} << 20U;

  std::int64_t bytes = kNoLimit;

  bool IsLimited() const { return bytes != kNoLimit; }
  /// \throws Error(kMemory) if `needed` bytes for `what` exceed the budget.
  void Require(std::int64_t needed, char const* what) const;
};

/// Returns freed memory to the system, if the allocator can. Costs a traversal of all free memory.
void ReturnFreeMemory();

/// Returns the budget; 0 means no limit. \throws Error(kParameter) for an invalid size.
MemoryBudget BudgetOfMegabytes(std::int64_t megabytes);

/// Converts to megabytes, rounded up, for messages.
inline std::int64_t ToMegabytes(std::int64_t bytes) {
  return bytes / MemoryBudget::kMegabyte + (bytes % MemoryBudget::kMegabyte != 0 ? 1 : 0);
}

}  // namespace kauri
