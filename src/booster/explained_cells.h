/// \file Which numbers of an explanation are asked for, and how many rows are explained at a time.
///
/// A block is what one row and output have: n_features + 1 columns, the last of which is the bias, or for pairs the
/// square of them.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/predictor.h"

namespace kauri {

/// Whether it has a number per feature or per pair.
bool IsExplanation(PredictKind kind);

/// Rows whose full blocks, `row_width` floats each, are a tile of bounded size; at least one.
std::int64_t ExplainTileRows(std::int64_t row_width);

/// \throws Error(kParameter) for a feature that the model does not have, or that is there twice.
void CheckFeatures(std::vector<std::int64_t> const& features, std::int64_t n_features);

/// Cells of a block that `features` ask for, row by row where the block is a square; empty features: all cells.
std::vector<std::int64_t> CellsOf(std::vector<std::int64_t> const& features, std::int64_t n_features, bool pairs);

}  // namespace kauri
