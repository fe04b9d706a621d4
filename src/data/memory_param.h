/// \file The parameter that bounds memory.
#pragma once

#include <dmlc/parameter.h>

#include "data/memory_budget.h"

namespace kauri {

struct MemoryParam : public dmlc::Parameter<MemoryParam> {
  int memory_budget;

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
  }
  void Validate() const {}
  MemoryBudget Budget() const { return BudgetOfMegabytes(memory_budget); }
};

}  // namespace kauri
