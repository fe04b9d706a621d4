/// \file What split_criterion=absolute_error does not go with, whatever the tree method.
#pragma once

#include "kauri/data_matrix.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"

namespace kauri {

/// \throws Error(kParameter) for what label bins do not go with; for errors that are none of two straight lines.
void RequireAbsoluteError(TreeParam const& param);
void RequireAbsoluteError(LineErrors const& errors, DataMatrix const& data);

}  // namespace kauri
