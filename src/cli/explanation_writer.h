/// \file SHAP values as a file: CSV, or NumPy's .npy; written tile after tile, so that all of them never are in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "kauri/model.h"
#include "kauri/span.h"

namespace kauri::cli {

/// What the numbers are: [n_rows, n_outputs, n_columns], and n_columns once more for interactions.
struct ExplanationShape {
  std::int64_t n_rows;
  std::int64_t n_outputs;
  bool interactions;
  std::vector<std::string> columns;  ///< names of the model's features, then "bias"

  /// Floats of one row of the data.
  std::int64_t RowWidth() const;
};

ExplanationShape ShapeOfExplanation(Model const& model, std::int64_t n_rows, bool interactions);

class ExplanationWriter {
 public:
  virtual ~ExplanationWriter() = default;
  /// values: the next rows of the data, [n, RowWidth()]. Failures show in the stream.
  virtual void Write(Span<float const> values) = 0;
};

/// A header and a line of numbers per row. With several outputs a line per row and output, which the first columns
/// `row` and `output` number. Interactions have a line per row, output and feature, with `row` and `feature` in front.
/// Numbers are the shortest that read back as the same float.
std::unique_ptr<ExplanationWriter> MakeCsvWriter(ExplanationShape shape, std::ostream* out);

/// One array of little-endian float32 in the shape above, the axis of outputs left out when there is one.
std::unique_ptr<ExplanationWriter> MakeNpyWriter(ExplanationShape const& shape, std::ostream* out);

}  // namespace kauri::cli
