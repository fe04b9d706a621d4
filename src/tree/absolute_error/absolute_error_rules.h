/// \file Checks which options and data split_criterion=absolute_error supports, for all tree methods.
#pragma once

#include "kauri/data_matrix.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"

namespace kauri {

/// Refuse what label bins do not support. \throws Error(kParameter) for such options or data, and for losses that do
/// not consist of two straight lines.
void RequireAbsoluteError(TreeParam const& param);
void RequireAbsoluteError(LineErrors const& errors, DataMatrix const& data);

}  // namespace kauri
