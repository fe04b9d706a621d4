/// \file Statistics of a table's columns in one pass over its rows: counts, bounds, moments, quantiles.
///
/// Memory is the memory of the sketches: all values for sketch=exact, otherwise a number of bytes per column that
/// hardly grows with the rows. The result depends neither on threads nor on the batches: rows are regrouped into parts
/// of one length (data/batches/row_source.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/batches/row_source.h"
#include "data/sketch/gk_sketch.h"
#include "data/sketch/power_sums.h"
#include "data/sketch/sketch_method.h"

namespace kauri {

struct SummaryOptions {
  std::vector<double> quantiles;  ///< shares of all weight
  SketchChoice sketch;            ///< null: exact

  /// Checks the options. \throws Error(kParameter) for quantiles that do not ascend within [0, 1], and as
  /// SketchMethod::RequireSummary does.
  void Validate() const;
};

/// Returns the names of the fields of a summary before the quantiles, in order. Rows without weight are left out of all
/// fields; `count` and `missing` count rows, all others use weights. `distinct`: NaN beyond 256 values. `std`: of the
/// population. `kurtosis`: excess kurtosis (a normal distribution has 0). `rank_error`: the maximum error of the rank
/// of a quantile, as a share of all weight; NaN without a guarantee. Fields that are undefined for a column without
/// values, or with a single distinct value, are NaN.
std::vector<std::string> const& SummaryFields();

class ColumnSummaries {
 public:
  /// \throws as Validate does.
  explicit ColumnSummaries(SummaryOptions options);
  /// weights: [n_rows], or empty. \throws Error(kData) for another number of columns than before, infinite values, and
  /// weights that are negative, infinite or NaN.
  void Add(Context const& ctx, DataView const& rows, Span<float const> weights);
  std::int64_t NumCols() const { return static_cast<std::int64_t>(columns_.size()); }
  std::int64_t NumFields() const;
  /// Returns the summary [n_cols, NumFields()] of all rows added, then starts anew. \throws Error(kData) if none were
  /// added.
  std::vector<double> Finish(Context const& ctx);

 private:
  struct Column {
    std::int64_t n_values = 0;
    PowerSumTree sums{4};
    FewValues few{256};
    std::unique_ptr<ColumnSketch> sketch;
  };

  void Take(DataMatrix const& part, Span<float const> weights);
  std::vector<double> Describe(Column const& column) const;

  SummaryOptions options_;
  std::unique_ptr<RowParts> parts_;
  std::vector<Column> columns_;
  std::int64_t n_rows_ = 0;       ///< rows with positive weight
  Context const* ctx_ = nullptr;  ///< set during a call
};

}  // namespace kauri
