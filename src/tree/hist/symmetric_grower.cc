#include "tree/hist/symmetric_grower.h"

#include "data/bins/bin_store.h"
#include "kauri/error.h"

namespace kauri {

void RequireSymmetric(DataMatrix const& data) {
  if (auto const bins = BinsOf(data); bins != nullptr && bins->IsInFile()) {
    Fail(ErrorKind::kParameter, "grow_policy=symmetric takes rows in memory, and the bins are in a file; use ",
         "QuantileDMatrix in place of ExtMemQuantileDMatrix, or set grow_policy=depthwise.");
  }
}

}  // namespace kauri
