#include "tree/absolute_error/label_rows.h"

#include <algorithm>

#include "tree/absolute_error/feature_codes.h"

namespace kauri {
namespace {

/// Returns the last bins of groups that grow with the distance from the quantile's bin, where most sides have theirs.
LabelBinList EndsOfGroups(std::size_t of_quantile, std::size_t last) {
  constexpr std::size_t kWidths[] = {1, 1, 2, 4, 8};
  LabelBinList ends;
  auto const add = [&](std::size_t bin) { ends.push_back(static_cast<std::uint8_t>(bin)); };
  auto below = of_quantile;  // bins not in any group yet
  for (auto const width : kWidths) {
    if (below == 0) break;
    add(below - 1);
    below -= std::min(below, width);
  }
  if (below > 0) add(below - 1);
  std::reverse(ends.begin(), ends.end());
  auto end = of_quantile;
  for (auto const width : kWidths) {
    if (end >= last) break;
    add(end);
    end += width;
  }
  add(last);
  return ends;
}

}  // namespace

LabelRows::LabelRows(FixedResiduals const& residuals, Span<FixedPair const> pairs)
    : residuals_(residuals),
      pairs_(pairs),
      binner_(residuals),
      bin_of_(pairs.size()),
      rows_(pairs.size()),
      sums_(pairs.size()),
      sorted_pairs_(pairs.size()) {}

/// Stores the bins of rows and counts the rows of each bin.
void LabelRows::Count(RowSlice const& slice, LabelBins* bins) {
  auto* const bin_of = bin_of_.data() + slice.begin;
  binner_.Find(slice, bin_of);
  std::array<std::int64_t, kLabelBins> n_rows{};
  for (std::int64_t i = 0; i < slice.end - slice.begin; ++i) ++n_rows[bin_of[i]];
  bins->begin[0] = slice.begin;
  for (std::size_t bin = 0; bin < kLabelBins; ++bin) bins->begin[bin + 1] = bins->begin[bin] + n_rows[bin];
}

void LabelRows::Move(RowSlice const& slice, LabelBins const& bins) {
  auto next = bins.begin;
  for (auto position = slice.begin; position < slice.end; ++position) {
    auto const row = RowAt(slice, position);
    auto const to = static_cast<std::size_t>(next[bin_of_[static_cast<std::size_t>(position)]]++);
    rows_[to] = static_cast<std::uint32_t>(row);
    sums_[to] = residuals_.Of(row);
    sorted_pairs_[to] = pairs_[row];
  }
}

/// Returns the sums of the bins.
LabelSums LabelRows::Add(LabelBins* bins) const {
  LabelSums sums{};
  for (std::size_t bin = 0; bin < kLabelBins; ++bin) {
    ResidualSum sum;
    auto is_weightless = false;
    for (auto position = bins->begin[bin]; position < bins->begin[bin + 1]; ++position) {
      auto const& row = sums_[static_cast<std::size_t>(position)];
      sum += row;
      is_weightless |= row.weight == 0;
    }
    bins->has_weightless |= is_weightless;
    sums[bin] = sum;
    bins->all += sum;
  }
  return sums;
}

LabelBins LabelRows::Sort(RowSlice const& slice) {
  LabelBins bins;
  Count(slice, &bins);
  Move(slice, bins);
  auto const sums = Add(&bins);
  BinSides sides(residuals_, sums, bins.all);
  bins.errors = sides.RightErrors();
  std::size_t last = kLabelBins;
  while (last > 1 && bins.begin[last - 1] == slice.end) --last;
  bins.ends = EndsOfGroups(sides.RightBin(), last - 1);
  return bins;
}

}  // namespace kauri
