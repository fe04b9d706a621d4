#include "data/sketch/sketch_method.h"

#include <limits>

#include "data/sketch/gk_sketch.h"
#include "data/sketch/sketch_cuts.h"
#include "kauri/error.h"
#include "kauri/registry.h"

namespace kauri {

void ColumnSketch::Send(Parcel* /*out*/) const { Fail(ErrorKind::kInternal, "this sketch is not sent to other ranks"); }

void ColumnSketch::MergeSent(OpenParcel* /*in*/) { Fail(ErrorKind::kInternal, "this sketch is not merged over ranks"); }

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
  auto const is_distributed = IsDistributed(ctx);
  auto const rank = is_distributed ? static_cast<std::uint64_t>(ctx.collective->Rank()) : 0;
  auto const n_rows = MakeCutTask(ctx, data.NumRows(), max_bin, weights).n_rows;
  FeatureSketches sketches(data.NumCols(), max_bin, [&](std::size_t) { return MakeForStream(max_bin, rank); });
  sketches.Add(ctx, data, weights);
  if (is_distributed) {
    auto const beyond = static_cast<std::uint64_t>(ctx.collective->Size());  // a stream of no rank
    sketches.MergeOverRanks(ctx, [&](std::size_t) { return MakeForStream(max_bin, beyond); });
  }
  return sketches.Cut(ctx, n_rows);
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
