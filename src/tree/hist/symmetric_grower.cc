#include "tree/hist/symmetric_grower.h"

#include "data/bins/bin_store.h"
#include "kauri/error.h"

namespace kauri {

void RequireSymmetric(DataMatrix const& data, TreeParam const& param, GradientTableView const& table) {
  if (param.extra_trees && table.stride == 0) {
    Fail(ErrorKind::kParameter,
         "extra_trees=1: grow_policy=symmetric supports random thresholds only with vector leaves, and ",
         "the model has one output; set extra_trees=0, or grow_policy=depthwise.");
  }
  if (auto const bins = BinsOf(data); bins != nullptr && bins->IsInFile()) {
    Fail(ErrorKind::kParameter,
         "grow_policy=symmetric needs the bins in memory, and they are in a file (external memory); use ",
         "QuantileDMatrix in place of ExtMemQuantileDMatrix, or set grow_policy=depthwise.");
  }
}

}  // namespace kauri
