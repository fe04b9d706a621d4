#include "data/sketch/sketch_cuts.h"

#include <cmath>
#include <utility>

#include "data/column_parts.h"
#include "data/row_source.h"
#include "kauri/collective.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// Moves each cut to the smallest value of the data in its bin. Drops bins without values, and their cuts.
void MoveToValues(Context const& ctx, DataMatrix const& data, Span<float const> weights,
                  std::vector<FeatureCuts>* features) {
  constexpr float kNone = std::numeric_limits<float>::infinity();
  std::vector<std::vector<float>> smallest;  // smallest value of each bin
  for (auto const& feature : *features) smallest.emplace_back(feature.values.size() + 1, kNone);
  ForEachColumnPart(ctx, data, RowsPerPart(data.NumCols()), weights, [&](std::size_t f, ColumnPart const& part) {
    auto const& cuts = (*features)[f].values;
    for (std::size_t i = 0; i < part.values.size(); ++i) {
      auto const value = part.values[i];
      if (std::isnan(value) || (!part.weights.empty() && part.weights[i] <= 0.0F)) continue;
      auto const bin = FindBin(cuts.data(), static_cast<std::uint32_t>(cuts.size() + 1), value);
      auto& of_bin = smallest[f][bin];
      of_bin = std::min(of_bin, value);
    }
  });
  for (std::size_t f = 0; f < features->size(); ++f) {
    auto& bins = smallest[f];
    bins.erase(std::remove(bins.begin(), bins.end(), kNone), bins.end());
    (*features)[f].values.assign(bins.begin() + (bins.empty() ? 0 : 1), bins.end());
  }
}

bool IsCosines(SketchOptions const& options) {
  return options.kind == SketchKind::kMoments && options.density == SketchDensity::kCosine;
}

std::vector<FeatureCuts> BoundsOf(Context const& ctx, DataMatrix const& data) {
  FeatureSketches bounds(data.NumCols(), 0, std::nullopt);
  bounds.Add(ctx, data, {});
  return bounds.Features();
}

}  // namespace

FeatureSketches::FeatureSketches(std::int64_t n_cols, int max_bin, std::optional<SketchOptions> const& options,
                                 std::vector<FeatureCuts> const& bounds)
    : max_bin_(max_bin), features_(static_cast<std::size_t>(n_cols)) {
  if (!options) return;
  for (std::size_t f = 0; f < features_.size(); ++f) {
    sketches_.push_back(bounds.empty() ? MakeColumnSketch(*options, max_bin)
                                       : MakeCosineSketch(*options, max_bin, bounds[f].min, bounds[f].max));
  }
}

template <typename Rows>
void FeatureSketches::AddRows(Context const& ctx, Rows const& rows, Span<float const> weights) {
  ForEachColumnPart(ctx, rows, RowsPerPart(rows.NumCols()), weights, [&](std::size_t f, ColumnPart const& part) {
    for (auto const value : part.values) {
      if (!std::isnan(value)) features_[f].AddValue(value);
    }
    if (!sketches_.empty()) sketches_[f]->Add(part.values, part.weights);
  });
}

void FeatureSketches::Add(Context const& ctx, DataMatrix const& rows, Span<float const> weights) {
  AddRows(ctx, rows, weights);
}

void FeatureSketches::Add(Context const& ctx, DenseRows const& rows, Span<float const> weights) {
  AddRows(ctx, rows, weights);
}

std::vector<FeatureCuts> FeatureSketches::Cut(Context const& ctx, std::int64_t n_rows) {
  ParallelFor(ctx, static_cast<std::int64_t>(sketches_.size()), [&](std::int64_t feature) {
    auto const f = static_cast<std::size_t>(feature);
    auto const ranks = std::exchange(sketches_[f], nullptr)->Ranks();
    features_[f].values =
        MakeCuts(RankBoundaries(ranks), features_[f].n_values < n_rows, static_cast<std::uint32_t>(max_bin_));
  });
  return std::move(features_);
}

std::size_t FeatureSketches::Bytes() const {
  std::size_t bytes = 0;
  for (auto const& sketch : sketches_) bytes += sketch->Bytes();
  return bytes;
}

char const* NameOf(SketchKind kind) {
  char const* const names[] = {"exact", "gk", "moments", "kll"};
  return names[static_cast<int>(kind)];
}

std::vector<FeatureCuts> SketchedCuts(Context const& ctx, DataMatrix const& data, int max_bin,
                                      CutOptions const& options) {
  if (IsDistributed(ctx)) {
    Fail(ErrorKind::kParameter, "sketch=", NameOf(options.sketch.kind),
         " needs all rows in one process, but they are spread over ", ctx.collective->Size(),
         " ranks. Use sketch=exact, the default.");
  }
  auto const is_series = IsCosines(options.sketch);
  FeatureSketches sketches(data.NumCols(), max_bin, options.sketch,
                           is_series ? BoundsOf(ctx, data) : std::vector<FeatureCuts>());
  sketches.Add(ctx, data, options.weights);
  auto features = sketches.Cut(ctx, data.NumRows());
  if (options.sketch.kind == SketchKind::kMoments) MoveToValues(ctx, data, options.weights, &features);
  return features;
}

}  // namespace kauri
