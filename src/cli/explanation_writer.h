/// \file Writes SHAP values to a file, CSV or NumPy's .npy, tile by tile, so that they are never all in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "booster/predict/explanation.h"
#include "kauri/model.h"
#include "kauri/span.h"

namespace kauri::cli {

/// Returns whether the path requests NumPy's format; `key` is the parameter's name. \throws Error(kParameter) for an
/// ending of neither format.
bool IsNpyPath(char const* key, std::string const& path);

/// The shape of the numbers: [n_rows, n_outputs, n_columns], and n_columns again for interactions.
struct ExplanationShape {
  std::int64_t n_rows;
  bool reduced;  ///< true if there is no axis of rows; n_rows is 1 then
  std::int64_t n_outputs;
  bool interactions;
  std::vector<std::string> columns;  ///< names of features, then "bias"
};

/// Returns the names `of_map` if it is not empty, else the model's own, or f0, f1, ...
std::vector<std::string> FeatureNames(Model const& model, std::vector<std::string> const& of_map = {});

/// Returns the shape of an explanation. `names`: names of all features, from FeatureNames.
ExplanationShape ShapeOfExplanation(Model const& model, std::vector<std::string> const& names, std::int64_t n_rows,
                                    ExplainOptions const& options);

class ExplanationWriter {
 public:
  virtual ~ExplanationWriter() = default;
  /// Writes the values of the next rows, in the shape's order. Failures show in the stream.
  virtual void Write(Span<float const> values) = 0;
};

/// Creates a writer of a header and a line of numbers per row. With several outputs there is a line per row and output,
/// identified by the first columns `row` and `output`. Interactions have a line per row, output and feature, with `row`
/// and `feature` in front. Reduced explanations have no column `row`. Numbers are the shortest that read back as the
/// same float.
std::unique_ptr<ExplanationWriter> MakeCsvWriter(ExplanationShape shape, std::ostream* out);

/// Creates a writer of one array of little-endian float32 in the shape above, without the axis of outputs if there is
/// one output.
std::unique_ptr<ExplanationWriter> MakeNpyWriter(ExplanationShape const& shape, std::ostream* out);

}  // namespace kauri::cli
