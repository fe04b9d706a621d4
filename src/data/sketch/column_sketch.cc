#include "data/sketch/column_sketch.h"

#include <limits>

#include "data/sketch/cosine_sketch.h"
#include "data/sketch/exact_sketch.h"
#include "data/sketch/gk_sketch.h"
#include "data/sketch/kll_sketch.h"
#include "data/sketch/moment_sketch.h"

namespace kauri {
namespace {

constexpr std::size_t kEntriesPerBin = 8;

DensityRanks RanksFor(int max_bin) {
  constexpr std::size_t kRanksPerBin = 4;
  return {static_cast<std::size_t>(max_bin), static_cast<std::size_t>(max_bin) * kRanksPerBin};
}

}  // namespace

std::string SketchOptions::Key() const {
  auto key = std::to_string(static_cast<int>(kind));
  if (kind == SketchKind::kKll) key += ":" + std::to_string(size);
  if (kind != SketchKind::kMoments) return key;
  return key + ":" + std::to_string(order) + ":" + std::to_string(static_cast<int>(density));
}

std::unique_ptr<ColumnSketch> MakeColumnSketch(SketchOptions const& options, int max_bin) {
  auto const n_entries = static_cast<std::size_t>(max_bin) * kEntriesPerBin;
  switch (options.kind) {
    case SketchKind::kMoments:
      return std::make_unique<MomentSketch>(MomentOptions{options.order, options.density, RanksFor(max_bin)});
    case SketchKind::kKll:
      return std::make_unique<KllSketch>(options.size == 0 ? n_entries : static_cast<std::size_t>(options.size));
    case SketchKind::kGk:
      return std::make_unique<GkSketch>(n_entries);
    case SketchKind::kExact:
      break;
  }
  return std::make_unique<ExactSketch>();
}

std::unique_ptr<ColumnSketch> MakeCosineSketch(SketchOptions const& options, int max_bin, float low, float high) {
  return std::make_unique<CosineSketch>(CosineOptions{options.order, low, high, RanksFor(max_bin)});
}

std::vector<float> QuantilesOf(ColumnRanks const& ranks, Span<double const> shares) {
  std::vector<float> quantiles;
  std::size_t at = 0;
  for (auto const share : shares) {
    auto const target = share * ranks.below.back();
    while (at + 1 < ranks.values.size() && ranks.below[at + 1] < target) ++at;
    quantiles.push_back(ranks.values.empty() ? std::numeric_limits<float>::quiet_NaN() : ranks.values[at]);
  }
  return quantiles;
}

}  // namespace kauri
