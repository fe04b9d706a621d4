/// \file SHAP values as a file: CSV, or NumPy's .npy; written tile after tile, so that all of them never are in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "booster/explanation.h"
#include "kauri/model.h"
#include "kauri/span.h"

namespace kauri::cli {

/// Whether the path asks for NumPy's format; `key` is the parameter's name. \throws Error(kParameter) for an ending
/// that is neither.
bool IsNpyPath(char const* key, std::string const& path);

/// What the numbers are: [n_rows, n_outputs, n_columns], and n_columns once more for interactions.
struct ExplanationShape {
  std::int64_t n_rows;
  bool reduced;  ///< there is no axis of rows: n_rows is 1
  std::int64_t n_outputs;
  bool interactions;
  std::vector<std::string> columns;  ///< names of features, then "bias"
};

/// The names `of_map` if there are some, else the model's own, or f0, f1, ...
std::vector<std::string> FeatureNames(Model const& model, std::vector<std::string> const& of_map = {});

/// `names`: of all features, as FeatureNames has them.
ExplanationShape ShapeOfExplanation(Model const& model, std::vector<std::string> const& names, std::int64_t n_rows,
                                    ExplainOptions const& options);

class ExplanationWriter {
 public:
  virtual ~ExplanationWriter() = default;
  /// values: the next rows of the data, in the shape's order. Failures show in the stream.
  virtual void Write(Span<float const> values) = 0;
};

/// A header and a line of numbers per row. With several outputs a line per row and output, which the first columns
/// `row` and `output` number. Interactions have a line per row, output and feature, with `row` and `feature` in front.
/// What is reduced has no column `row`. Numbers are the shortest that read back as the same float.
std::unique_ptr<ExplanationWriter> MakeCsvWriter(ExplanationShape shape, std::ostream* out);

/// One array of little-endian float32 in the shape above, the axis of outputs left out when there is one output.
std::unique_ptr<ExplanationWriter> MakeNpyWriter(ExplanationShape const& shape, std::ostream* out);

}  // namespace kauri::cli
