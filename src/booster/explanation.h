/// \file Explanations of rows by a model, and how much of them is returned. All of it is safe from many threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "booster/column_kinds.h"
#include "booster/prediction.h"
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

/// Each row's explanation, or their reduction; shape [n_rows unless reduced, n_outputs if several or strict, columns,
/// columns again of pairs]. Memory beyond the result: a tile of full rows. \throws Error(kParameter): no explanation,
/// features that do not exist, a background for other than kContribution; Error(kData): rows that do not fit.
Prediction Explain(ReadyModel const& model, ExplainTask const& task, ExplainOptions const& options);

/// The same into memory of the caller's; returns the shape.
std::vector<std::uint64_t> ExplainInto(ReadyModel const& model, ExplainTask const& task, ExplainOptions const& options,
                                       ResultMemory const& memory);

/// Interactions as Predictor::PredictSparse gives them; takes no background.
SparseInteractions ExplainSparse(ReadyModel const& model, ExplainTask const& task, SparseOptions const& options);

}  // namespace kauri
