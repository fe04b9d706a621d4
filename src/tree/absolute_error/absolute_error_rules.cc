#include "tree/absolute_error/absolute_error_rules.h"

#include "data/categories/categories.h"
#include "data/meta_info.h"
#include "kauri/error.h"
#include "tree/constraints/constraints.h"
#include "tree/feature_cost.h"

namespace kauri {

void RequireAbsoluteError(TreeParam const& param) {
  auto const refuse = [](char const* what, char const* cure) {
    Fail(ErrorKind::kParameter, "split_criterion=absolute_error ", what, "; ", cure,
         ", or use split_criterion=gradient.");
  };
  if (ParseConstraints(param).HasMonotone()) {
    refuse("does not support monotone_constraints", "leave these out");
  }
  if (param.grow_policy == TreeParam::kSymmetric)
    refuse("does not support grow_policy=symmetric", "set grow_policy=depthwise");
  if (param.extra_trees) refuse("does not support extra_trees=1", "set extra_trees=0");
  if (!ParseFeatureCost(param).empty())
    refuse("measures gains by errors, but feature_cost is in units of gradient gains", "leave it out");
}

void RequireAbsoluteError(LineErrors const& errors, DataMatrix const& data) {
  if (errors.residuals.empty() && data.NumRows() > 0) {
    Fail(ErrorKind::kParameter, "split_criterion=absolute_error needs objective=reg:absoluteerror or ",
         "reg:quantileerror, whose losses are piecewise linear; got another objective ",
         "or custom gradients; use split_criterion=gradient.");
  }
  if (!HasCategorical(data.Info())) return;
  Fail(ErrorKind::kParameter, "split_criterion=absolute_error has no splits by sets of categories, and the data have ",
       "categorical columns; give these as numbers, or use split_criterion=gradient.");
}

}  // namespace kauri
