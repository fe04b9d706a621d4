#include "data/sketch/sketch_method.h"

#include <limits>

#include "data/sketch/gk_sketch.h"
#include "data/sketch/sketch_cuts.h"
#include "kauri/registry.h"

namespace kauri {

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

std::vector<FeatureCuts> SketchMethod::Cut(Context const& ctx, DataMatrix const& data, int max_bin,
                                           Span<float const> weights) const {
  FeatureSketches sketches(data.NumCols(), max_bin, [&](std::size_t) { return Make(max_bin); });
  sketches.Add(ctx, data, weights);
  return sketches.Cut(ctx, data.NumRows());
}

std::unique_ptr<ColumnSketch> GkMethod::Make(int max_bin) const {
  return std::make_unique<GkSketch>(SketchEntries(max_bin));
}

std::string KeyOf(SketchChoice const& sketch) { return sketch == nullptr ? "exact" : sketch->Key(); }

Registry<SketchFactory>& SketchRegistry() {
  struct Sketches : Registry<SketchFactory> {
    Sketches() : Registry<SketchFactory>("sketch") {
      Add({"gk", "Summaries of blocks of rows, with a bound on ranks.",
           [](TreeParam const&) { return std::make_shared<GkMethod const>(); }});
    }
  };
  static Sketches sketches;
  return sketches;
}

}  // namespace kauri
