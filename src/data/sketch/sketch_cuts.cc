#include "data/sketch/sketch_cuts.h"

#include <cmath>
#include <utility>

#include "collective/reduce.h"
#include "data/batches/row_source.h"
#include "data/column_parts.h"
#include "data/sketch/group_cuts.h"

namespace kauri {
FeatureSketches::FeatureSketches(std::int64_t n_cols, int max_bin, SketchMaker const& make)
    : max_bin_(max_bin), features_(static_cast<std::size_t>(n_cols)) {
  if (make == nullptr) return;
  for (std::size_t feature = 0; feature < features_.size(); ++feature) sketches_.push_back(make(feature));
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

void FeatureSketches::MergeOverRanks(Context const& ctx, SketchMaker const& make) {
  constexpr std::size_t kAtOnce = 64;
  CountOverRanks(ctx, features_);
  for (std::size_t begin = 0; begin < sketches_.size(); begin += kAtOnce) {
    auto const end = std::min(begin + kAtOnce, sketches_.size());
    Parcel mine;
    for (auto f = begin; f < end; ++f) std::exchange(sketches_[f], make(f))->Send(&mine);
    for (auto& of_rank : GatherParcels(ctx, mine)) {
      for (auto f = begin; f < end; ++f) sketches_[f]->MergeSent(&of_rank);
    }
  }
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

std::vector<FeatureCuts> SketchedCuts(Context const& ctx, DataMatrix const& data, int max_bin,
                                      CutOptions const& options) {
  return options.sketch->Cut(ctx, data, max_bin, options.weights);
}

}  // namespace kauri
