#include "data/memory_budget.h"

#include "kauri/error.h"

namespace kauri {

DMLC_REGISTER_PARAMETER(MemoryParam);

void MemoryBudget::Require(std::int64_t needed, char const* what) const {
  if (needed <= bytes) return;
  Fail(ErrorKind::kMemory, "memory_budget=", ToMegabytes(bytes), " (MiB) is too small: ", what, " takes at least ",
       ToMegabytes(needed), " MiB. Raise memory_budget, or use fewer rows or columns, a smaller max_bin, or fewer ",
       "threads.");
}

MemoryBudget BudgetOfMegabytes(std::int64_t megabytes) {
  if (megabytes < 0 || megabytes > MemoryBudget::kNoLimit / MemoryBudget::kMegabyte) {
    Fail(ErrorKind::kParameter, "memory_budget=", megabytes,
         " is not a size; give a number of MiB, or 0 for no limit.");
  }
  if (megabytes == 0) return {};
  return {megabytes * MemoryBudget::kMegabyte};
}

}  // namespace kauri
