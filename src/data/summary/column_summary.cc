#include "data/summary/column_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "common/threads/parallel_for.h"
#include "data/column_parts.h"
#include "data/sketch/gk_sketch.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::unique_ptr<ColumnSketch> MakeSketch(SketchChoice const& sketch) {
  if (sketch == nullptr) return std::make_unique<ExactSketch>();
  return sketch->Make(sketch->SummaryBins());
}

void RequireWeights(Span<float const> weights, std::int64_t n_rows) {
  if (!weights.empty() && static_cast<std::int64_t>(weights.size()) != n_rows) {
    Fail(ErrorKind::kData, "there are ", weights.size(), " weights for ", n_rows, " rows; expected one for each.");
  }
  for (std::size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] >= 0.0F && weights[row] < std::numeric_limits<float>::infinity()) continue;
    Fail(ErrorKind::kData, "weight of row ", row, " is ", weights[row], "; expected a finite number of at least 0.");
  }
}

/// Returns mean, standard deviation, skewness, kurtosis.
std::vector<double> Shape(PowerSums const& sums) {
  if (sums.weight <= 0.0) return {kNone, kNone, kNone, kNone};
  if (sums.min == sums.max) return {sums.min, 0.0, kNone, kNone};
  auto const variance = sums.sums[2] / sums.weight;
  auto const deviation = std::sqrt(variance);
  return {std::ldexp(sums.mean, sums.exponent), std::ldexp(deviation, sums.exponent),
          sums.sums[3] / sums.weight / (variance * deviation),
          sums.sums[4] / sums.weight / (variance * variance) - 3.0};
}

/// Returns the bound on the rank error of a quantile, or NaN.
double BoundOrNone(ColumnSketch const& sketch) {
  return sketch.RankErrorBound() >= 1.0 ? kNone : sketch.QuantileErrorBound();
}

}  // namespace

void SummaryOptions::Validate() const {
  auto before = 0.0;
  for (auto const share : quantiles) {
    if (!(share >= before) || share > 1.0) {
      Fail(ErrorKind::kParameter, "quantiles has ", share, " after ", before,
           "; expected shares that ascend from 0 to 1.");
    }
    before = share;
  }
  if (sketch != nullptr) sketch->RequireSummary();
}

std::vector<std::string> const& SummaryFields() {
  static std::vector<std::string> const kFields{"count", "missing", "distinct", "min",      "max",
                                                "mean",  "std",     "skewness", "kurtosis", "rank_error"};
  return kFields;
}

ColumnSummaries::ColumnSummaries(SummaryOptions options) : options_(std::move(options)) { options_.Validate(); }

std::int64_t ColumnSummaries::NumFields() const {
  return static_cast<std::int64_t>(SummaryFields().size() + options_.quantiles.size());
}

void ColumnSummaries::Add(Context const& ctx, DataView const& rows, Span<float const> weights) {
  RequireWeights(weights, rows.NumRows());
  if (parts_ == nullptr) {
    columns_.resize(static_cast<std::size_t>(rows.NumCols()));
    for (auto& column : columns_) column.sketch = MakeSketch(options_.sketch);
    auto const take = [this](DataMatrix* part, Span<float const> of_part) { Take(*part, of_part); };
    parts_ = std::make_unique<RowParts>(rows.NumCols(), take);
  }
  ctx_ = &ctx;
  parts_->Add(ctx, rows, weights);
}

void ColumnSummaries::Take(DataMatrix const& part, Span<float const> weights) {
  n_rows_ += weights.empty()
                 ? part.NumRows()
                 : std::count_if(weights.begin(), weights.end(), [](float weight) { return weight > 0.0F; });
  ForEachColumnPart(*ctx_, part, part.NumRows(), weights, [&](std::size_t feature, ColumnPart const& values) {
    auto& column = columns_[feature];
    for (std::size_t i = 0; i < values.values.size(); ++i) {
      auto const has_weight = values.weights.empty() || values.weights[i] > 0.0F;
      column.n_values += has_weight && !std::isnan(values.values[i]) ? 1 : 0;
    }
    column.sums.Add(values.values, values.weights);
    column.few.Add(values.values, values.weights);
    column.sketch->Add(values.values, values.weights);
  });
}

std::vector<double> ColumnSummaries::Finish(Context const& ctx) {
  if (parts_ == nullptr) Fail(ErrorKind::kData, "there are no rows to summarize; add some first.");
  ctx_ = &ctx;
  parts_->Finish(ctx);
  std::vector<double> table(columns_.size() * static_cast<std::size_t>(NumFields()));
  ParallelFor(ctx, NumCols(), [&](std::int64_t column) {
    auto const fields = Describe(columns_[static_cast<std::size_t>(column)]);
    std::copy(fields.begin(), fields.end(), table.begin() + column * NumFields());
  });
  columns_.clear();
  parts_ = nullptr;
  n_rows_ = 0;
  return table;
}

std::vector<double> ColumnSummaries::Describe(Column const& column) const {
  auto const sums = column.sums.Sums();
  auto const is_empty = column.n_values == 0;
  auto const distinct = column.few.AreAll() ? static_cast<double>(column.few.Values().size()) : kNone;
  auto const bound = is_empty ? kNone : BoundOrNone(*column.sketch);
  std::vector<double> fields{static_cast<double>(column.n_values), static_cast<double>(n_rows_ - column.n_values),
                             distinct, is_empty ? kNone : sums.min, is_empty ? kNone : sums.max};
  for (auto const number : Shape(sums)) fields.push_back(number);
  fields.push_back(bound);
  auto const values = is_empty ? std::vector<float>(options_.quantiles.size(), std::numeric_limits<float>::quiet_NaN())
                               : QuantilesOf(column.sketch->Ranks(), options_.quantiles);
  for (std::size_t i = 0; i < values.size(); ++i) {  // sketches may have lost the smallest and largest values
    auto const share = options_.quantiles[i];
    auto const value = std::clamp(values[i], sums.min, std::max(sums.min, sums.max));
    fields.push_back(is_empty ? kNone : (share <= 0.0 ? sums.min : (share >= 1.0 ? sums.max : value)));
  }
  return fields;
}

}  // namespace kauri
