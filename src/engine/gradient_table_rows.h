/// \file The two passes over a block of rows that a gradient table is made in.
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
  std::int64_t first_row;  ///< the number of the first
};

/// What the units and the layout follow from.
struct RowSurvey {
  std::vector<float> largest;  ///< [n_outputs, 2]: absolute values of gradients and hessians
  bool same_hessians = true;   ///< of all outputs, row by row
};

/// Adds the rows to *survey. False when a number is not finite.
bool SurveyRows(GradientRows const& rows, RowSurvey* survey);

/// Rows of a GradientTableView.
struct TableRows {
  std::int64_t n_hessians;
  std::int64_t stride;
  std::int32_t* values;  ///< [n_rows, stride]
};

/// QuantisePair of every pair. steps: [n_outputs, 2], the reciprocals of the units. sampled: [all rows] or empty.
void QuantiseRows(GradientRows const& rows, Span<double const> steps, Span<std::uint8_t const> sampled,
                  TableRows const& out);

}  // namespace kauri
