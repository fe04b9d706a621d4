#include "kauri/tree_param.h"

#include "kauri/error.h"
#include "tree/feature_cost.h"

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
  ParseFeatureCost(*this);
  if (gradient_bits != 0 && gradient_bits != 4 && gradient_bits != 8) {
    Fail(ErrorKind::kParameter, "gradient_bits=", gradient_bits,
         ": gradients are rounded to 4 or 8 bits; expected 4 or 8, or 0 for gradients that are not rounded.");
  }
  if (sketch_size == 1) {
    Fail(ErrorKind::kParameter, "sketch_size=1 is too small for a sketch; expected 2 or more, or 0 for the default.");
  }
  if (!(bagging_temperature > 0.0F) || !(subsample < 1.0F) || sampling_method != kGradientBased) return;
  Fail(ErrorKind::kParameter, "bagging_temperature=", bagging_temperature, " with sampling_method=gradient_based and ",
       "subsample=", subsample,
       ": both weight the gradients of the sampled rows; set bagging_temperature=0, or sampling_method=uniform.");
}

}  // namespace kauri
