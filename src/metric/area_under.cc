#include "metric/area_under.h"

#include <algorithm>
#include <cmath>

#include "common/sums.h"
#include "common/text/log.h"

namespace kauri {
namespace {

std::size_t Place(std::int64_t place) { return static_cast<std::size_t>(place); }

CurvePoint InUnits(RankedRow const& row, double units) {
  return {WeightInUnits(row.positive, units), WeightInUnits(row.negative, units)};
}

/// Sorted rows, with the curve points before blocks of them.
class Steps {
 public:
  Steps(Context const& ctx, std::vector<RankedRow> const& rows, double units)
      : rows_(rows), units_(units), before_block_(Place(NumBlocks(Size(), kRowBlock)) + 1) {
    ParallelForBlocks(ctx, Size(), kRowBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
      before_block_[Place(block) + 1] = Sum(begin, end);
    });
    for (std::size_t block = 1; block < before_block_.size(); ++block) before_block_[block] += before_block_[block - 1];
  }

  std::int64_t Size() const { return static_cast<std::int64_t>(rows_.size()); }
  CurvePoint Total() const { return before_block_.back(); }

  /// Returns the area of the steps that end in a block.
  template <typename Curve>
  double BlockArea(std::int64_t begin, std::int64_t end) const {
    LaneSum<double> area;
    auto from = PointBefore(FirstEqual(begin));
    auto to = PointBefore(begin);
    for (auto place = begin; place < end; ++place) {
      to += InUnits(rows_[Place(place)], units_);
      if (place + 1 < Size() && rows_[Place(place + 1)].key == rows_[Place(place)].key) continue;
      area.Add(place - begin, Curve::StepArea(from, to));
      from = to;
    }
    return area.Total();
  }

 private:
  CurvePoint Sum(std::int64_t begin, std::int64_t end) const {
    CurvePoint sum;
    for (auto place = begin; place < end; ++place) sum += InUnits(rows_[Place(place)], units_);
    return sum;
  }
  CurvePoint PointBefore(std::int64_t place) const {
    auto const block = place / kRowBlock;
    auto point = before_block_[Place(block)];
    return point += Sum(block * kRowBlock, place);
  }
  /// Returns the first place with the same key as `place`.
  std::int64_t FirstEqual(std::int64_t place) const {
    auto const end = rows_.begin() + place;
    return std::lower_bound(rows_.begin(), end, end->key, [](auto const& row, auto key) { return row.key < key; }) -
           rows_.begin();
  }

  std::vector<RankedRow> const& rows_;
  double units_;
  std::vector<CurvePoint> before_block_;  ///< [n_blocks + 1]
};

/// Returns the number of pairs i < j with values[i] > values[j], by merging. Sorts `values`.
std::int64_t CountInversions(std::vector<std::uint32_t>* values) {
  std::vector<std::uint32_t> merged(values->size());
  std::int64_t inversions = 0;
  for (std::size_t width = 1; width < values->size(); width *= 2) {
    for (std::size_t begin = 0; begin < values->size(); begin += 2 * width) {
      auto const middle = std::min(begin + width, values->size());
      auto const end = std::min(begin + 2 * width, values->size());
      auto left = begin;
      auto right = middle;
      for (auto out = begin; out < end; ++out) {
        auto const take_left = right == end || (left < middle && (*values)[left] <= (*values)[right]);
        if (!take_left) inversions += static_cast<std::int64_t>(middle - left);
        merged[out] = (*values)[take_left ? left++ : right++];
      }
    }
    values->swap(merged);
  }
  return inversions;
}

/// Returns the number of pairs of equal values.
std::int64_t CountTies(std::vector<std::uint32_t> const& sorted) {
  std::int64_t ties = 0;
  std::int64_t before = 0;  // number of earlier values equal to this one
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    before = sorted[i] == sorted[i - 1] ? before + 1 : 0;
    ties += before;
  }
  return ties;
}

}  // namespace

CurvePoint TotalWeight(Context const& ctx, std::vector<RankedRow> const& rows, double units) {
  return Steps(ctx, rows, units).Total();
}

template <typename Curve>
double AreaUnder(Context const& ctx, std::vector<RankedRow> const& rows, double units) {
  Steps const steps(ctx, rows, units);
  auto const area = SumBlocks<double>(ctx, steps.Size(), kRowBlock, [&](std::int64_t begin, std::int64_t end) {
    return steps.BlockArea<Curve>(begin, end);
  });
  return FinishArea<Curve>(area, steps.Total());
}

template double AreaUnder<Roc>(Context const& ctx, std::vector<RankedRow> const& rows, double units);
template double AreaUnder<PrecisionRecall>(Context const& ctx, std::vector<RankedRow> const& rows, double units);

double UnitsOfWeights(MetaInfo const& info) {
  auto const largest = info.weights.empty() ? 1.0F : *std::max_element(info.weights.begin(), info.weights.end());
  return UnitsPerWeight(largest, info.n_rows);
}

std::int64_t TwiceWins(Context const& ctx, float const* predictions, float const* labels, std::int64_t n) {
  std::vector<RankedRow> rows(Place(n));
  for (std::int64_t row = 0; row < n; ++row)
    rows[Place(row)] = {DescendingFloatKey(labels[row]), predictions[row], 0.0F};
  SortRankedRows(ctx, &rows);
  std::vector<std::uint32_t> keys(rows.size());
  std::transform(rows.begin(), rows.end(), keys.begin(),
                 [](auto const& row) { return DescendingFloatKey(row.positive); });
  auto const inversions = CountInversions(&keys);
  auto const ties = CountTies(keys);
  return n * (n - 1) - 2 * inversions - ties;
}

void WarnIfUndefined(std::string const& metric, double area) {
  if (!std::isnan(area)) return;
  Log(LogLevel::kWarning, metric, " is not defined where a class has no rows or a prediction is nan; its value is nan");
}

}  // namespace kauri
