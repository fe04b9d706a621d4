/// \file Copies of parts of a model.
#pragma once

#include <cstdint>

#include "kauri/model.h"

namespace kauri {

/// Returns a copy of the model without its trees and their numbering. Does not pay for copying the trees.
Model WithoutTrees(Model const& model);

/// Returns a model of iterations begin, begin + step, ... below end (0: all). Keeps the attributes of early stopping
/// only if they still hold. \throws Error(kParameter) when the range or the step does not fit, and for a linear model.
Model SliceOf(Model const& model, IterationRange range, std::int64_t step);

}  // namespace kauri
