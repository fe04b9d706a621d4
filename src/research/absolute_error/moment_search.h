/// \file absolute_error_sketch=moments: registers the search of label_moments.h for tree_method=hist.
#pragma once

#include "kauri/registry.h"

namespace kauri {

void RegisterErrorSketches(Registry<ErrorSketchFactory>* registry);

}  // namespace kauri
