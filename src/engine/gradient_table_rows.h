/// \file The two passes over a block of rows that produce a gradient table.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri {

struct GradientRows {
  GradientPair const* pairs;  ///< [n_rows, n_outputs]
  std::int64_t n_rows;
  std::int64_t n_outputs;
  std::int64_t first_row;  ///< number of the first row
};

/// Properties of the gradients that determine units and layout.
struct RowSurvey {
  std::vector<float> largest;  ///< [n_outputs, 2]: largest absolute values of gradients and hessians
  bool same_hessians = true;   ///< the hessians of all outputs are equal in every row
};

/// Adds the rows to *survey. Returns false if a number is not finite.
bool SurveyRows(GradientRows const& rows, RowSurvey* survey);

/// Rows of a GradientTableView.
struct TableRows {
  std::int64_t n_hessians;
  std::int64_t stride;
  std::int32_t* values;  ///< [n_rows, stride]
};

/// Applies QuantisePair to every pair. steps: [n_outputs, 2], the reciprocals of the units. sampled: [all rows] or
/// empty.
void QuantiseRows(GradientRows const& rows, Span<double const> steps, Span<std::uint8_t const> sampled,
                  TableRows const& out);

}  // namespace kauri
