/// \file What a Learner explains, and how much of it is returned.
///
/// A block is what one row and output have: n_features + 1 columns, the last of which is the bias, or for pairs the
/// square of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "booster/column_kinds.h"
#include "kauri/data_matrix.h"
#include "kauri/model.h"
#include "kauri/predictor.h"
#include "kauri/span.h"

namespace kauri {

/// The rows, which must outlive the task.
struct ExplainTask {
  DataView const& rows;
  Span<float const> base_margin;         ///< [n_rows, n_outputs], or empty
  DataView const* background = nullptr;  ///< given: interventional contributions against its rows
  DeclaredColumns columns = {};          ///< of the rows
  DeclaredColumns background_columns = {};
};

/// What becomes of the rows.
enum class ExplainReduction {
  kNone,    ///< each row's values
  kMeanAbs  ///< the mean over the rows of their absolute values, added in float64 in the order of the rows
};

struct ExplainOptions {
  PredictKind kind = PredictKind::kContribution;  ///< contributions or pairs of any kind
  IterationRange iterations;
  bool strict_shape = false;
  std::string shap_method;             ///< empty: the parameter shap_method decides
  std::vector<std::int64_t> features;  ///< only their columns are returned, in this order, then the bias; empty: all
  ExplainReduction reduction = ExplainReduction::kNone;
};

/// Of interactions without the pairs that no tree makes interact.
struct SparseOptions {
  IterationRange iterations;
  std::string shap_method;  ///< empty: the parameter shap_method decides
  std::int64_t top_k = 0;   ///< pairs per row and output; 0: all. See Predictor::PredictSparse.
};

/// Whether it has a number per feature or per pair.
bool IsExplanation(PredictKind kind);

/// Rows whose full blocks, `row_width` floats each, are a tile of bounded size; at least one.
std::int64_t ExplainTileRows(std::int64_t row_width);

/// \throws Error(kParameter) for a feature that the model does not have, or that is there twice.
void CheckFeatures(std::vector<std::int64_t> const& features, std::int64_t n_features);

/// Cells of a block that `features` ask for, row by row where the block is a square; empty features: all cells.
std::vector<std::int64_t> CellsOf(std::vector<std::int64_t> const& features, std::int64_t n_features, bool pairs);

}  // namespace kauri
