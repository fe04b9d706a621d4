#include "kauri/tree_param.h"

#include "kauri/error.h"

namespace kauri {

DMLC_REGISTER_PARAMETER(TreeParam);

void TreeParam::Validate() const {
  auto const positive = [](char const* name, float rate) {
    if (rate > 0.0F) return;
    Fail(ErrorKind::kParameter, "parameter ", name, "='", rate,
         "' would use no data at all; expected a share in (0, 1].");
  };
  positive("subsample", subsample);
  positive("colsample_bytree", colsample_bytree);
  positive("colsample_bylevel", colsample_bylevel);
  positive("colsample_bynode", colsample_bynode);
}

}  // namespace kauri
