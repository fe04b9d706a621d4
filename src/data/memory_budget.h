/// \file The memory limit of training, and the parameter that sets it.
#pragma once

#include <dmlc/parameter.h>

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

/// Returns the budget; 0 means no limit. \throws Error(kParameter) for an invalid size.
MemoryBudget BudgetOfMegabytes(std::int64_t megabytes);

/// Converts to megabytes, rounded up, for messages.
inline std::int64_t ToMegabytes(std::int64_t bytes) {
  return bytes / MemoryBudget::kMegabyte + (bytes % MemoryBudget::kMegabyte != 0 ? 1 : 0);
}

struct MemoryParam : public dmlc::Parameter<MemoryParam> {
  int memory_budget;
  float cache_host_ratio;

  DMLC_DECLARE_PARAMETER(MemoryParam) {
    DMLC_DECLARE_FIELD(memory_budget)
        .set_default(0)
        .set_lower_bound(0)
        .describe(
            "MiB that the library may hold at once for training data in external memory (file#cache, "
            "ExtMemQuantileDMatrix) and for training on them with hist; too few are refused before work. 0: those that "
            "the data were made with, or no limit. Of data in memory: MiB of bins and sorted columns that they keep "
            "for "
            "the next training.");
    DMLC_DECLARE_FIELD(cache_host_ratio)
        .set_default(-1.0F)
        .set_range(-1.0F, 1.0F)
        .describe(
            "The share of the rows, 0 to 1, whose bins stay in host memory when hist trains on a CUDA device, which "
            "reads "
            "them over the bus at every level of a tree. Below 0: as many as have no place in the device's memory.");
  }
  void Validate() const {}
  MemoryBudget Budget() const { return BudgetOfMegabytes(memory_budget); }
};

}  // namespace kauri
