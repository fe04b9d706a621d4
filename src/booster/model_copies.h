/// \file Copies of parts of a model.
#pragma once

#include <cstdint>

#include "kauri/model.h"

namespace kauri {

/// All but the trees and what numbers them. Costs what the trees do not.
Model WithoutTrees(Model const& model);

/// Iterations begin, begin + step, ... below end (0: all). Of early stopping it knows what is still true.
/// \throws Error(kParameter) when the range or the step does not fit, and for a linear model.
Model SliceOf(Model const& model, IterationRange range, std::int64_t step);

}  // namespace kauri
