/// \file What a table's columns hold, in one pass over its rows: counts, bounds, moments, quantiles.
///
/// Memory is that of the sketches: all values for sketch=exact, for others a number of bytes per column that hardly
/// grows with the rows. The result depends neither on threads nor on how the rows come in: batches are made into parts
/// of one length (data/row_parts.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/row_parts.h"
#include "data/sketch/column_sketch.h"
#include "data/sketch/few_values.h"
#include "data/sketch/power_sums.h"

namespace kauri {

struct SummaryOptions {
  std::vector<double> quantiles;  ///< shares of all weight
  SketchOptions sketch;

  /// \throws Error(kParameter): shares that do not ascend within [0, 1]; a density that needs the range first; sizes
  /// and orders that no sketch has.
  void Validate() const;
};

/// The fields of a summary before the quantiles, in order. Rows without weight are left out of all; `count` and
/// `missing` count rows, all others weigh them. `distinct`: NaN beyond 256 values. `std`: of the population.
/// `kurtosis`: less 3, that of a normal distribution. `rank_error`: the share of all weight that the rank of a quantile
/// is wrong by at most, NaN where nothing is promised. What a column without values, or with one value, does not have
/// is NaN.
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
  /// [n_cols, NumFields()] of all that was added, which ends. \throws Error(kData) where nothing was.
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
  std::int64_t n_rows_ = 0;       ///< with weight
  Context const* ctx_ = nullptr;  ///< of the call that runs
};

}  // namespace kauri
