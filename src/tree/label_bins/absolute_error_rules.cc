#include "tree/label_bins/absolute_error_rules.h"

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
    refuse("knows no order of the children's values, as monotone_constraints ask", "leave them out");
  }
  if (param.grow_policy == TreeParam::kSymmetric) refuse("makes no symmetric trees", "set grow_policy=depthwise");
  if (param.extra_trees) refuse("looks at all thresholds", "set extra_trees=0");
  if (!ParseFeatureCost(param).empty()) refuse("gains errors, and feature_cost is in units of gain", "leave it out");
}

void RequireAbsoluteError(LineErrors const& errors, DataMatrix const& data) {
  if (errors.residuals.empty() && data.NumRows() > 0) {
    Fail(ErrorKind::kParameter, "split_criterion=absolute_error takes objective=reg:absoluteerror and ",
         "reg:quantileerror, whose losses are straight lines; that of this round has a curvature, or its gradients ",
         "were given from outside; use split_criterion=gradient.");
  }
  if (!HasCategorical(data.Info())) return;
  Fail(ErrorKind::kParameter, "split_criterion=absolute_error has no splits by sets of categories, and the data have ",
       "categorical columns; give these as numbers, or use split_criterion=gradient.");
}

}  // namespace kauri
