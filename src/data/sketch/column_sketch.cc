#include "data/sketch/column_sketch.h"

#include <limits>

#include "data/sketch/gk_sketch.h"
#include "data/sketch/moment_sketch.h"

namespace kauri {

std::unique_ptr<ColumnSketch> MakeColumnSketch(SketchKind kind, int max_bin) {
  constexpr std::size_t kEntriesPerBin = 8;
  constexpr std::size_t kRanksPerBin = 4;
  auto const n_bins = static_cast<std::size_t>(max_bin);
  if (kind == SketchKind::kMoments) {
    MomentOptions options;
    options.max_distinct = n_bins;
    options.n_ranks = n_bins * kRanksPerBin;
    return std::make_unique<MomentSketch>(options);
  }
  auto const is_exact = kind == SketchKind::kExact;
  return std::make_unique<GkSketch>(is_exact ? std::numeric_limits<std::size_t>::max() : n_bins * kEntriesPerBin);
}

}  // namespace kauri
