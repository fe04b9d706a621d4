/// \file What split_criterion=absolute_error does not go with, whatever the tree method.
#pragma once

#include "kauri/data_matrix.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"

namespace kauri {

/// \throws Error(kParameter) for what label bins do not go with; for a task without errors of two straight lines.
void RequireAbsoluteError(TreeParam const& param);
void RequireAbsoluteError(TreeTask const& task, DataMatrix const& data);

}  // namespace kauri
