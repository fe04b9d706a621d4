#include "tree/hist/symmetric_grower.h"

#include "data/bins/bin_store.h"
#include "data/categories/categories.h"
#include "kauri/error.h"

namespace kauri {

void RequireSymmetric(DataMatrix const& data) {
  if (HasCategorical(data.Info())) {
    Fail(ErrorKind::kParameter, "grow_policy=symmetric splits numbers, and the data have categorical columns; give ",
         "these as numbers, or set grow_policy=depthwise.");
  }
  if (auto const bins = BinsOf(data); bins != nullptr && bins->IsInFile()) {
    Fail(ErrorKind::kParameter, "grow_policy=symmetric takes rows in memory, and the bins are in a file; use ",
         "QuantileDMatrix in place of ExtMemQuantileDMatrix, or set grow_policy=depthwise.");
  }
}

}  // namespace kauri
