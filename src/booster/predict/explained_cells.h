/// \file The requested cells of an explanation, and the number of rows explained at a time.
///
/// A block holds the values of one row and output: n_features + 1 columns, the last one the bias, or for pairs a square
/// matrix of that size.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/predictor.h"

namespace kauri {

/// Returns whether a prediction of this kind has a number per feature or per pair.
bool IsExplanation(PredictKind kind);

/// Returns the number of rows in a tile of bounded size, at `row_width` floats per row; at least one.
std::int64_t ExplainTileRows(std::int64_t row_width);

/// Checks requested features. \throws Error(kParameter) for a feature that the model does not have, or a duplicate.
void CheckFeatures(std::vector<std::int64_t> const& features, std::int64_t n_features);

/// Returns the cells of a block that `features` select, row by row if the block is a square; empty features: all cells.
std::vector<std::int64_t> CellsOf(std::vector<std::int64_t> const& features, std::int64_t n_features, bool pairs);

}  // namespace kauri
