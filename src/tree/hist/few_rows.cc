#include "tree/hist/few_rows.h"

#include <algorithm>

namespace kauri {
namespace {

constexpr std::uint32_t kWordBits = 64;

/// Copies the pairs of the rows and the positions of their bin indices.
template <typename Code>
void GatherRows(BinCodes<Code> const& codes, Span<FixedPair const> pairs, RowSlice slice, FewRowsScratch* scratch) {
  auto const n = static_cast<std::size_t>(slice.end - slice.begin);
  scratch->places.resize(std::max(scratch->places.size(), n));
  scratch->pairs.resize(std::max(scratch->pairs.size(), n));
  for (std::size_t i = 0; i < n; ++i) {
    auto const position = slice.begin + static_cast<std::int64_t>(i);
    auto const row = slice.rows == nullptr ? position : static_cast<std::int64_t>(slice.rows[position]);
    scratch->places[i] = row * codes.row_stride;
    scratch->pairs[i] = pairs[row];
  }
}

/// Adds the gathered rows to the cells of one feature, and marks these cells as used. codes: the feature's code of row
/// 0; `scratch->places` are the distances from there to the other rows. Cell n_bins takes the missing values.
template <typename Code>
void AddRows(Code const* codes, std::size_t n_rows, FewRowsScratch* scratch) {
  auto* const cells = scratch->cells.data();
  auto* const used = scratch->used.data();
  auto const* places = scratch->places.data();
  auto const* pairs = scratch->pairs.data();
  for (std::size_t i = 0; i < n_rows; ++i) {
    std::uint32_t const code = codes[places[i]];
    cells[code] += pairs[i];
    used[code / kWordBits] |= std::uint64_t{1} << (code % kWordBits);
  }
}

/// Calls fn(bin, sum) for the cells with rows, in ascending order, and clears them.
template <typename Fn>
void TakeUsed(std::uint32_t n_bins, FewRowsScratch* scratch, Fn&& fn) {
  for (std::uint32_t word = 0; word <= n_bins / kWordBits; ++word) {  // one more bit for missing values
    for (auto bits = scratch->used[word]; bits != 0; bits &= bits - 1) {
      auto const code = word * kWordBits + static_cast<std::uint32_t>(__builtin_ctzll(bits));
      auto const cell = scratch->cells[code];
      scratch->cells[code] = {};
      if (code < n_bins) fn(code, cell);  // otherwise, the value is missing
    }
    scratch->used[word] = 0;
  }
}

/// Clears the cells and copies bins with non-zero sums to the scratch. Returns their number.
std::int64_t CollectUsed(std::uint32_t n_bins, FewRowsScratch* scratch) {
  auto* const left = scratch->scan.left.data();
  auto* const codes = scratch->scan.codes.data();
  FixedSum sum;
  std::int64_t count = 0;
  TakeUsed(n_bins, scratch, [&](std::uint32_t code, FixedSum cell) {
    sum += cell;
    left[count] = sum;
    codes[count] = code;
    count += static_cast<std::int64_t>((cell.gradient | cell.hessian) != 0);
  });
  return count;
}

/// Clears the cells and turns cells with non-zero sums into scratch entries.
void CollectEntries(std::uint32_t n_bins, FewRowsScratch* scratch) {
  auto& entries = scratch->scan.entries;
  entries.clear();
  entries.reserve(n_bins);  // so that nothing fails while cells are cleared
  TakeUsed(n_bins, scratch, [&](std::uint32_t code, FixedSum cell) {
    if (!(cell == FixedSum{})) entries.push_back({static_cast<std::int32_t>(code), cell});
  });
}

/// Adds the gathered rows to the cells of a feature.
template <typename Code>
void AddFeature(BinMatrix const& bins, BinCodes<Code> const& codes, RowSlice slice, std::uint32_t feature,
                FewRowsScratch* scratch) {
  std::size_t const n_codes = bins.NumBins(feature) + 1;
  if (scratch->cells.size() < n_codes) scratch->cells.resize(n_codes);
  scratch->used.resize(std::max(scratch->used.size(), n_codes / kWordBits + 1));
  scratch->scan.Reserve(n_codes);
  AddRows(codes.rows.data() + feature, static_cast<std::size_t>(slice.end - slice.begin), scratch);
}

/// Calls fn(codes) with bin indices of the matrix's width.
template <typename Fn>
void WithCodes(BinMatrix const& bins, Fn&& fn) {
  if (bins.HasByteCodes()) {
    fn(bins.Bytes());
  } else {
    fn(bins.Words());
  }
}

/// Searches one feature after the other.
template <typename Code>
void SearchCells(BinSplitFinder const& finder, BinMatrix const& bins, BinCodes<Code> const& codes, FewRows const& rows,
                 FewRowsScratch* scratch, SplitCandidate* best) {
  GatherRows(codes, rows.pairs, rows.slice, scratch);
  for (auto const feature : rows.features) {
    AddFeature(bins, codes, rows.slice, feature, scratch);
    if (bins.Cuts().IsCategorical(feature)) {
      CollectEntries(bins.NumBins(feature), scratch);
      finder.FindAmongEntries(feature, rows.node, &scratch->scan, best);
    } else {
      finder.FindAmong(feature, CollectUsed(bins.NumBins(feature), scratch), rows.node, scratch->scan, best);
    }
  }
}

RowKind ReadPair(FixedPair pair, std::int64_t* to) {
  to[0] = pair.gradient;
  to[1] = pair.hessian;
  if (pair.hessian > 0) return RowKind::kIsSeen;
  return pair.gradient == 0 && pair.hessian == 0 ? RowKind::kAddsNothing : RowKind::kMayCancel;
}

/// Searches the random thresholds of all columns except scratch->drawn.others. Returns false if it cannot.
bool SearchDrawn(BinSplitFinder const& finder, BinMatrix const& bins, FewRows const& rows, FewRowsScratch* scratch,
                 SplitCandidate* best) {
  if (!rows.draws) return false;
  auto& drawn = scratch->drawn;
  drawn.rows.codes = bins.Bytes().rows.data();
  drawn.rows.n_sums = 2;
  auto const read = [&](std::int64_t row, std::int64_t* to) { return ReadPair(rows.pairs[row], to); };
  if (!drawn.rows.Gather(rows.slice, bins.Bytes().row_stride, read)) {
    drawn.has_failed = true;
    return false;
  }
  DrawThresholds(bins, rows.node.draw, rows.features, &drawn);
  *best = finder.FindDrawn(drawn, rows.node, &scratch->scan);
  return true;
}

}  // namespace

bool AreFewRows(BinMatrix const& bins, std::int64_t n_rows, bool draws) {
  constexpr std::int64_t kRowsPerCell = 1;       // measured break-even
  constexpr std::int64_t kDrawnRowsPerCell = 4;  // measured likewise
  if (!bins.IsDense() || bins.HasBundles()) return false;
  auto const rows_per_cell = draws ? kDrawnRowsPerCell : kRowsPerCell;
  return n_rows * bins.NumCols() <= rows_per_cell * static_cast<std::int64_t>(bins.NumCells());
}

void FindSplitOfFewRows(BinSplitFinder const& finder, BinMatrix const& bins, FewRows const& rows,
                        FewRowsScratch* scratch, SplitCandidate* best) {
  SplitCandidate of_drawn;
  auto features = rows.features;
  if (SearchDrawn(finder, bins, rows, scratch, &of_drawn)) features = scratch->drawn.others;
  if (!features.empty()) {
    WithCodes(bins, [&](auto const& codes) {
      SearchCells(finder, bins, codes, {rows.pairs, rows.slice, features, rows.node, false}, scratch, best);
    });
  }
  if (IsBetter(of_drawn, *best)) *best = of_drawn;
}

std::vector<std::int32_t> RightCategoriesOfFewRows(BinSplitFinder const& finder, BinMatrix const& bins,
                                                   FewRows const& rows, SplitCandidate const& best,
                                                   FewRowsScratch* scratch) {
  WithCodes(bins, [&](auto const& codes) {
    GatherRows(codes, rows.pairs, rows.slice, scratch);
    AddFeature(bins, codes, rows.slice, best.feature, scratch);
  });
  CollectEntries(bins.NumBins(best.feature), scratch);
  return finder.RightCategories(best, rows.node.categories, &scratch->scan.entries);
}

}  // namespace kauri
