#include "data/sketch_cuts.h"

#include <cmath>
#include <memory>
#include <utility>

#include "data/column_parts.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerPart = 1 << 16;

/// Each cut becomes the smallest value of the data in its bin; a bin without any goes, with its cut.
void MoveToValues(Context const& ctx, DataMatrix const& data, Span<float const> weights,
                  std::vector<FeatureCuts>* features) {
  constexpr float kNone = std::numeric_limits<float>::infinity();
  std::vector<std::vector<float>> smallest;  // of each bin
  for (auto const& feature : *features) smallest.emplace_back(feature.values.size() + 1, kNone);
  ForEachColumnPart(ctx, data, kRowsPerPart, weights, [&](std::size_t f, ColumnPart const& part) {
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

}  // namespace

std::vector<FeatureCuts> SketchedCuts(Context const& ctx, DataMatrix const& data, int max_bin,
                                      CutOptions const& options) {
  std::vector<FeatureCuts> features(static_cast<std::size_t>(data.NumCols()));
  std::vector<std::unique_ptr<ColumnSketch>> sketches;
  for (std::size_t f = 0; f < features.size(); ++f) sketches.push_back(MakeColumnSketch(options.sketch, max_bin));
  ForEachColumnPart(ctx, data, kRowsPerPart, options.weights, [&](std::size_t f, ColumnPart const& part) {
    for (auto const value : part.values) {
      if (!std::isnan(value)) features[f].AddValue(value);
    }
    sketches[f]->Add(part.values, part.weights);
  });
  ParallelFor(ctx, data.NumCols(), [&](std::int64_t feature) {
    auto const f = static_cast<std::size_t>(feature);
    auto const ranks = std::exchange(sketches[f], nullptr)->Ranks();
    features[f].values =
        MakeCuts(RankBoundaries(ranks), features[f].n_values < data.NumRows(), static_cast<std::uint32_t>(max_bin));
  });
  if (options.sketch == SketchKind::kMoments) MoveToValues(ctx, data, options.weights, &features);
  return features;
}

}  // namespace kauri
