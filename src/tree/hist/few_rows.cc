#include "tree/hist/few_rows.h"

#include <algorithm>

namespace kauri {
namespace {

constexpr std::uint32_t kWordBits = 64;

/// Copies what is needed of the rows.
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

/// Wipes the cells; returns how many of the bins are in the scratch: those whose sums are not zero.
std::int64_t CollectUsed(std::uint32_t n_bins, FewRowsScratch* scratch) {
  auto* const left = scratch->scan.left.data();
  auto* const codes = scratch->scan.codes.data();
  FixedSum sum;
  std::int64_t count = 0;
  for (std::uint32_t word = 0; word < scratch->used.size(); ++word) {
    for (auto bits = scratch->used[word]; bits != 0; bits &= bits - 1) {
      auto const code = word * kWordBits + static_cast<std::uint32_t>(__builtin_ctzll(bits));
      auto const cell = scratch->cells[code];
      scratch->cells[code] = {};
      if (code >= n_bins) continue;  // missing
      sum += cell;
      left[count] = sum;
      codes[count] = code;
      count += static_cast<std::int64_t>((cell.gradient | cell.hessian) != 0);
    }
    scratch->used[word] = 0;
  }
  return count;
}

/// One feature after the other.
template <typename Code>
void SearchCells(BinSplitFinder const& finder, BinMatrix const& bins, BinCodes<Code> const& codes, FewRows const& rows,
                 FewRowsScratch* scratch, SplitCandidate* best) {
  auto const n_rows = static_cast<std::size_t>(rows.slice.end - rows.slice.begin);
  GatherRows(codes, rows.pairs, rows.slice, scratch);
  for (auto const feature : rows.features) {
    auto const n_bins = bins.NumBins(feature);
    std::size_t const n_codes = n_bins + 1;
    if (scratch->cells.size() < n_codes) scratch->cells.resize(n_codes);
    scratch->used.resize(std::max(scratch->used.size(), n_codes / kWordBits + 1));
    scratch->scan.Reserve(n_codes);
    AddRows(codes.rows.data() + feature, n_rows, scratch);
    finder.FindAmong(feature, CollectUsed(n_bins, scratch), rows.node, scratch->scan, best);
  }
}

RowKind ReadPair(FixedPair pair, std::int64_t* to) {
  to[0] = pair.gradient;
  to[1] = pair.hessian;
  if (pair.hessian > 0) return RowKind::kIsSeen;
  return pair.gradient == 0 && pair.hessian == 0 ? RowKind::kAddsNothing : RowKind::kMayCancel;
}

/// Searches the thresholds that are drawn for all columns, those of scratch->drawn.others excepted. False where it
/// cannot.
bool SearchDrawn(BinSplitFinder const& finder, BinMatrix const& bins, FewRows const& rows, FewRowsScratch* scratch,
                 SplitCandidate* best) {
  if (!finder.GoesByGainAlone(rows.node) || !HasColumnsToDraw(bins)) return false;
  auto& drawn = scratch->drawn;
  drawn.rows.codes = bins.Bytes().rows.data();
  drawn.rows.n_sums = 2;
  auto const read = [&](std::int64_t row, std::int64_t* to) { return ReadPair(rows.pairs[row], to); };
  if (!drawn.rows.Gather(rows.slice, bins.Bytes().row_stride, read)) return false;
  DrawThresholds(bins, rows.node.draw, rows.features, &drawn);
  *best = finder.FindDrawn(drawn, rows.node, &scratch->scan);
  return true;
}

}  // namespace

bool AreFewRows(BinMatrix const& bins, std::int64_t n_rows, bool draws) {
  constexpr std::int64_t kRowsPerCell = 1;       // measured: where both take as long
  constexpr std::int64_t kDrawnRowsPerCell = 4;  // the same
  if (!bins.IsDense() || bins.HasBundles() || !bins.Cuts().categories.empty()) return false;
  auto const rows_per_cell = draws ? kDrawnRowsPerCell : kRowsPerCell;
  return n_rows * bins.NumCols() <= rows_per_cell * static_cast<std::int64_t>(bins.NumCells());
}

void FindSplitOfFewRows(BinSplitFinder const& finder, BinMatrix const& bins, FewRows const& rows,
                        FewRowsScratch* scratch, SplitCandidate* best) {
  SplitCandidate of_drawn;
  auto features = rows.features;
  if (SearchDrawn(finder, bins, rows, scratch, &of_drawn)) features = scratch->drawn.others;
  if (!features.empty()) {
    if (bins.HasByteCodes()) {
      SearchCells(finder, bins, bins.Bytes(), {rows.pairs, rows.slice, features, rows.node}, scratch, best);
    } else {
      SearchCells(finder, bins, bins.Words(), {rows.pairs, rows.slice, features, rows.node}, scratch, best);
    }
  }
  if (IsBetter(of_drawn, *best)) *best = of_drawn;
}

}  // namespace kauri
