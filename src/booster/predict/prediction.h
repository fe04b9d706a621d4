/// \file Predictions of rows by a model: margins and leaves from the predictor, values from the objective, shapes as
/// the C ABI reports them. All functions are safe from many threads.
///
/// PredictOnDevice makes predictions that stay in device memory. Kinds without a device version are computed from a
/// copy of the rows in host memory.
///
/// Explanations consist of blocks. A block holds the values of one row and output: n_features + 1 columns, the last one
/// the bias, or for pairs a square matrix of that size. CellsOf returns the requested cells of a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "booster/model/column_fit.h"
#include "booster/model/ready_model.h"
#include "kauri/data_matrix.h"
#include "kauri/device_memory.h"
#include "kauri/model.h"
#include "kauri/predictor.h"
#include "kauri/span.h"

namespace kauri {

/// Returns whether a prediction of this kind has a number per feature or per pair.
bool IsExplanation(PredictKind kind);

/// Returns the number of rows in a tile of bounded size, at `row_width` floats per row; at least one.
std::int64_t ExplainTileRows(std::int64_t row_width);

/// Checks requested features. \throws Error(kParameter) for a feature that the model does not have, or a duplicate.
void CheckFeatures(std::vector<std::int64_t> const& features, std::int64_t n_features);

/// Returns the cells of a block that `features` select, row by row if the block is a square; empty features: all cells.
std::vector<std::int64_t> CellsOf(std::vector<std::int64_t> const& features, std::int64_t n_features, bool pairs);

struct PredictOptions {
  PredictKind kind = PredictKind::kValue;
  IterationRange iterations;
  bool strict_shape = false;
  std::string shap_method;        ///< empty: the parameter shap_method decides
  bool validates_columns = true;  ///< false: names are not compared, and columns may be absent (column_fit.h)

  /// Returns the declarations of the rows' columns to compare with the model's.
  DeclaredColumns Compared(DeclaredColumns const& columns) const;
};

/// Rows to predict. The view must outlive this object.
struct GivenRows {
  DataView const& view;
  Span<float const> base_margin;  ///< [n_rows, n_outputs], or empty
  DeclaredColumns columns = {};
};

/// A prediction: `values` row-major, `shape` as XGBoost's C ABI reports it.
struct Prediction {
  std::vector<float> values;
  std::vector<std::uint64_t> shape;
};

/// Predicts the rows. memory: reused for the values. If it is large enough, the system need not create new pages, which
/// takes as long as several devices need to fill them.
Prediction Predict(ReadyModel const& model, GivenRows const& rows, PredictOptions const& options,
                   std::vector<float> memory = {});

/// Provider of memory for a result. Called once, with the number of floats; their initial values do not matter.
using ResultMemory = std::function<Span<float>(std::size_t size)>;

/// Predicts as Predict does, into memory of the caller, and returns the shape.
std::vector<std::uint64_t> PredictInto(ReadyModel const& model, GivenRows const& rows, PredictOptions const& options,
                                       ResultMemory const& memory);

/// Finishes a prediction: transforms and shapes the predictor's `values` as the options require.
Prediction Finish(ReadyModel const& model, PredictOptions const& options, TreeRange trees, std::int64_t n_rows,
                  std::vector<float> values);

/// Returns the shape of a prediction as the C ABI reports it. value_width: floats per row of values and margins.
std::vector<std::uint64_t> ShapeOf(Model const& model, PredictOptions const& options, TreeRange trees,
                                   std::int64_t n_rows, std::int64_t value_width);

/// Returns whether a prediction needs only the margins cached by training.
bool IsOfCachedMargins(PredictOptions const& options);

/// A Prediction in device memory.
struct DevicePrediction {
  std::unique_ptr<DeviceFloats> values;
  std::vector<std::uint64_t> shape;
};

/// Rows in device memory. The rows must outlive this object.
struct GivenDeviceRows {
  DeviceStorage const& storage;
  Span<float const> base_margin;  ///< [n_rows, n_outputs], or empty
  DeclaredColumns columns = {};
};

/// Predicts into the memory of the rows' device.
DevicePrediction PredictOnDevice(ReadyModel const& model, GivenDeviceRows const& rows, PredictOptions const& options);

/// Returns the rows of `data`. \throws Error(kData) unless they are in device memory.
GivenDeviceRows DeviceRowsOf(DataMatrix const& data);

/// Copies a prediction to the memory of a device.
DevicePrediction UploadPrediction(Prediction const& on_host, int device);

}  // namespace kauri
