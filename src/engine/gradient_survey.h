/// \file Surveys the gradients of all outputs, which determines their units.
#pragma once

#include <cstdint>

#include "engine/gradient_table_rows.h"
#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri {

/// Surveys gradients [n_rows, n_outputs] in one pass, row by row. In a distributed run the result covers the rows of
/// all ranks. \throws Error(kData) for a gradient or hessian that is not finite, naming the first row.
RowSurvey SurveyGradients(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs);

/// Returns the units of an output.
GradientUnit UnitOf(RowSurvey const& survey, std::int64_t output);

}  // namespace kauri
