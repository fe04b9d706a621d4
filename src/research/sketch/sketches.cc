#include "research/sketch/sketches.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/batches/row_source.h"
#include "data/column_parts.h"
#include "data/sketch/sketch_cuts.h"
#include "kauri/error.h"
#include "kauri/tree_param.h"
#include "research/sketch/cosine_sketch.h"
#include "research/sketch/group_sums.h"
#include "research/sketch/kll_sketch.h"
#include "research/sketch/moment_sketch.h"

namespace kauri {
namespace {

DensityRanks RanksFor(int max_bin) {
  constexpr std::size_t kRanksPerBin = 4;
  return {static_cast<std::size_t>(max_bin), static_cast<std::size_t>(max_bin) * kRanksPerBin};
}

std::vector<FeatureCuts> BoundsOf(Context const& ctx, DataMatrix const& data) {
  FeatureSketches bounds(data.NumCols(), 0);
  bounds.Add(ctx, data, {});
  return bounds.Features();
}

class KllMethod : public SketchMethod {
 public:
  explicit KllMethod(int size) : size_(size) {}
  std::string Name() const override { return "kll"; }
  std::string Key() const override { return Name() + ":" + std::to_string(size_); }
  std::unique_ptr<ColumnSketch> Make(int max_bin) const override { return MakeForStream(max_bin, 0); }
  std::unique_ptr<ColumnSketch> MakeForStream(int max_bin, std::uint64_t stream) const override {
    auto const size = size_ == 0 ? SketchEntries(max_bin) : static_cast<std::size_t>(size_);
    return std::make_unique<KllSketch>(size, stream);
  }

 private:
  int size_;  ///< 0: determined by the number of bins
};

/// Power sums, or cosines, whose sketches need the range of a feature first.
class MomentMethod : public SketchMethod {
 public:
  MomentMethod(int order, int density) : order_(order), density_(density) {}
  std::string Name() const override { return "moments"; }
  std::string Key() const override { return Name() + ":" + std::to_string(order_) + ":" + std::to_string(density_); }
  std::unique_ptr<ColumnSketch> Make(int max_bin) const override {
    return std::make_unique<MomentSketch>(MomentOptions{order_, density_ == TreeParam::kLegendre, RanksFor(max_bin)});
  }
  /// Cuts lie between values of the data at first. Each cut moves up to the next value, and empty bins are dropped. In
  /// a group of ranks the cuts are the same for any partition of the rows (group_sums.h).
  std::vector<FeatureCuts> Cut(Context const& ctx, DataMatrix const& data, int max_bin,
                               Span<float const> weights) const override {
    auto features = IsDistributed(ctx) ? CutByGroupSums(ctx, data, max_bin, weights)
                    : IsCosine()       ? CutByCosines(ctx, data, max_bin, weights)
                                       : SketchMethod::Cut(ctx, data, max_bin, weights);
    MoveToValues(ctx, data, weights, &features);
    return features;
  }
  /// A density can afford more bins than a summary of values.
  int SummaryBins() const override { return 1024; }
  void RequireSummary() const override {
    if (!IsCosine()) return;
    Fail(ErrorKind::kParameter, "sketch_density=cosine needs the range of a column before its values, and a summary ",
         "goes over them once; use max_entropy or legendre.");
  }

 private:
  bool IsCosine() const { return density_ == TreeParam::kCosine; }
  std::vector<FeatureCuts> CutByGroupSums(Context const& ctx, DataMatrix const& data, int max_bin,
                                          Span<float const> weights) const {
    return GroupSumCuts(ctx, data, weights, {order_, static_cast<TreeParam::Density>(density_), RanksFor(max_bin)},
                        max_bin);
  }
  std::vector<FeatureCuts> CutByCosines(Context const& ctx, DataMatrix const& data, int max_bin,
                                        Span<float const> weights) const {
    auto const bounds = BoundsOf(ctx, data);
    FeatureSketches sketches(data.NumCols(), max_bin, [&](std::size_t feature) {
      return std::make_unique<CosineSketch>(
          CosineOptions{order_, bounds[feature].min, bounds[feature].max, RanksFor(max_bin)});
    });
    sketches.Add(ctx, data, weights);
    return sketches.Cut(ctx, data.NumRows());
  }

  int order_;
  int density_;  ///< TreeParam::Density
};

}  // namespace

void RegisterResearchSketches(Registry<SketchFactory>* registry) {
  registry->Add({"moments", "A few power sums, without a bound on ranks.", [](TreeParam const& param) {
                   return std::make_shared<MomentMethod const>(param.sketch_order, param.sketch_density);
                 }});
  registry->Add({"kll", "Values left by chance, with a bound on ranks that holds for 99 of 100.",
                 [](TreeParam const& param) { return std::make_shared<KllMethod const>(param.sketch_size); }});
}

}  // namespace kauri
