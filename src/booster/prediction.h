/// \file Predictions of rows by a model: margins and leaves from the predictor, values from the objective, shapes as
/// the C ABI reports them. All of it is safe from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "booster/column_kinds.h"
#include "booster/ready_model.h"
#include "kauri/data_matrix.h"
#include "kauri/model.h"
#include "kauri/predictor.h"
#include "kauri/span.h"

namespace kauri {

struct PredictOptions {
  PredictKind kind = PredictKind::kValue;
  IterationRange iterations;
  bool strict_shape = false;
  std::string shap_method;        ///< empty: the parameter shap_method decides
  bool validates_columns = true;  ///< false: names are not compared, and columns may lack (column_fit.h)

  /// The comparison of the columns of rows with the model's.
  DeclaredColumns Compared(DeclaredColumns const& columns) const;
};

/// Rows, which must outlive it.
struct GivenRows {
  DataView const& view;
  Span<float const> base_margin;  ///< [n_rows, n_outputs], or empty
  DeclaredColumns columns = {};
};

/// values: row-major; shape as XGBoost's C ABI reports it.
struct Prediction {
  std::vector<float> values;
  std::vector<std::uint64_t> shape;
};

/// memory: taken over for the values. Large enough, it saves the system from making new pages, which takes as long as
/// several devices need to fill them.
Prediction Predict(ReadyModel const& model, GivenRows const& rows, PredictOptions const& options,
                   std::vector<float> memory = {});

/// Where an explanation goes: called once, with its number of floats, which may have any value.
using ResultMemory = std::function<Span<float>(std::size_t size)>;

/// Predict for an explanation (IsExplanation), into memory of the caller's; returns the shape.
std::vector<std::uint64_t> PredictInto(ReadyModel const& model, GivenRows const& rows, PredictOptions const& options,
                                       ResultMemory const& memory);

/// The end of it: what the predictor computed, `values`, as the options want it.
Prediction Finish(ReadyModel const& model, PredictOptions const& options, TreeRange trees, std::int64_t n_rows,
                  std::vector<float> values);

/// The shape of a prediction as the C ABI reports it. value_width: floats per row of values and margins.
std::vector<std::uint64_t> ShapeOf(Model const& model, PredictOptions const& options, TreeRange trees,
                                   std::int64_t n_rows, std::int64_t value_width);

/// Whether the margins that training keeps are all that a prediction needs.
bool IsOfCachedMargins(PredictOptions const& options);

}  // namespace kauri
