/// \file Explanations of rows by a model, whole or reduced. All functions are safe from many threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "booster/model/column_fit.h"
#include "booster/predict/prediction.h"
#include "kauri/data_matrix.h"
#include "kauri/model.h"
#include "kauri/predictor.h"
#include "kauri/span.h"

namespace kauri {

/// Rows to explain. They must outlive the task.
struct ExplainTask {
  DataView const& rows;
  Span<float const> base_margin;         ///< [n_rows, n_outputs], or empty
  DataView const* background = nullptr;  ///< given: features outside a coalition come from its rows
  DeclaredColumns columns = {};          ///< columns of `rows`
  DeclaredColumns background_columns = {};
};

/// Reduction over the rows.
enum class ExplainReduction {
  kNone,    ///< each row's values
  kMeanAbs  ///< the mean absolute value over the rows, added in float64 in the order of the rows
};

struct ExplainOptions {
  PredictKind kind = PredictKind::kContribution;  ///< contributions or pairs of any kind
  IterationRange iterations;
  bool strict_shape = false;
  std::string shap_method;             ///< empty: the parameter shap_method decides
  std::vector<std::int64_t> features;  ///< only their columns are returned, in this order, then the bias; empty: all
  ExplainReduction reduction = ExplainReduction::kNone;
};

/// Options of sparse interactions, which omit the pairs that interact in no tree.
struct SparseOptions {
  IterationRange iterations;
  std::string shap_method;  ///< empty: the parameter shap_method decides
  std::int64_t top_k = 0;   ///< pairs per row and output; 0: all. See Predictor::PredictSparse.
};

/// Returns each row's explanation, or their reduction; shape [n_rows unless reduced, n_outputs if several or strict,
/// columns, columns again for pairs]. Memory beyond the result: a tile of full rows. \throws Error(kParameter): a kind
/// that is no explanation, unknown features, a background for approximate kinds; Error(kData): rows that do not fit.
Prediction Explain(ReadyModel const& model, ExplainTask const& task, ExplainOptions const& options);

/// Writes the same into memory of the caller and returns the shape.
std::vector<std::uint64_t> ExplainInto(ReadyModel const& model, ExplainTask const& task, ExplainOptions const& options,
                                       ResultMemory const& memory);

/// Checks the rows, not the background. \throws Error(kData): rows that do not fit; Error(kParameter): as
/// CheckExplicable.
void CheckExplainedRows(ReadyModel const& model, ExplainTask const& task);

/// Returns interactions as Predictor::PredictSparse does; takes no background.
SparseInteractions ExplainSparse(ReadyModel const& model, ExplainTask const& task, SparseOptions const& options);

}  // namespace kauri
