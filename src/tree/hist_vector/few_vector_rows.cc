#include "tree/hist_vector/few_vector_rows.h"

#include <algorithm>

#include "tree/hist_vector/vector_adder.h"

namespace kauri {
namespace {

constexpr std::uint32_t kWordBits = 64;

/// The rows of one node, and the search for its splits.
class FewVectorRows {
 public:
  FewVectorRows(BinMatrix const& bins, GradientTableView const& table, RowSlice slice, FewVectorRowsScratch* scratch)
      : bins_(bins), stride_(table.stride), scratch_(*scratch) {
    auto const n = static_cast<std::size_t>(slice.end - slice.begin);
    scratch_.places.resize(n);
    scratch_.values.resize(n * static_cast<std::size_t>(stride_));
    auto const row_stride = bins.HasByteCodes() ? bins.Bytes().row_stride : bins.Words().row_stride;
    for (std::size_t i = 0; i < n; ++i) {
      auto const position = slice.begin + static_cast<std::int64_t>(i);
      auto const row = slice.rows == nullptr ? position : static_cast<std::int64_t>(slice.rows[position]);
      scratch_.places[i] = row * row_stride;
      std::copy_n(table.values.data() + row * stride_, stride_,
                  scratch_.values.data() + static_cast<std::int64_t>(i) * stride_);
    }
  }

  /// Adds the rows to the cells of the feature, calls fn(cells), and clears the cells.
  template <typename Fn>
  void WithCells(std::uint32_t feature, Fn&& fn) {
    AddRows(feature);
    fn(VectorCells{scratch_.cells.data(), stride_, feature});
    WipeCells(stride_, scratch_.codes, scratch_.cells.data());
  }

  void Find(VectorSplitFinder const& finder, VectorCells const& cells, VectorTotal const& node, SplitCandidate* best) {
    auto& scan = scratch_.scan;
    if (bins_.Cuts().IsCategorical(cells.feature)) return finder.Find(cells, node, &scan, best);
    auto const n_bins = bins_.NumBins(cells.feature);
    scan.codes.clear();
    scan.missing.assign(cells.stride, 0);
    for (auto const code : scratch_.codes) {
      if (code == n_bins) {
        scan.missing.assign(cells.Of(code), cells.Of(code) + cells.stride);
      } else if (finder.HoldsRows(cells.Of(code), cells.stride)) {
        scan.codes.push_back(code);
      }
    }
    finder.FindAmong(cells, node, &scan, best);
  }

 private:
  void AddRows(std::uint32_t feature) {
    std::size_t const n_cells = bins_.NumBins(feature) + 1;  // the last cell is for missing values
    auto const n_sums = n_cells * static_cast<std::size_t>(stride_);
    if (scratch_.cells.size() < n_sums) scratch_.cells.resize(n_sums);
    scratch_.used.assign(n_cells / kWordBits + 1, 0);
    GatheredRows const rows{scratch_.places, scratch_.values, stride_};
    AddGatheredRows(bins_, feature, rows, scratch_.cells.data(), scratch_.used.data());
    scratch_.codes.clear();
    for (std::uint32_t word = 0; word < scratch_.used.size(); ++word) {
      for (auto bits = scratch_.used[word]; bits != 0; bits &= bits - 1) {
        scratch_.codes.push_back(word * kWordBits + static_cast<std::uint32_t>(__builtin_ctzll(bits)));
      }
    }
  }

  BinMatrix const& bins_;
  std::int64_t stride_;
  FewVectorRowsScratch& scratch_;
};

/// Searches the random thresholds of all columns except scratch->drawn.others. Returns false if it cannot.
bool SearchDrawn(VectorSplitFinder const& finder, BinMatrix const& bins, RowsOfVectors const& rows,
                 FewVectorRowsScratch* scratch, GrowingNode<VectorGrowth>* node) {
  if (!rows.draws) return false;
  auto& drawn = scratch->drawn;
  drawn.rows.codes = bins.Bytes().rows.data();
  drawn.rows.n_sums = finder.NumSums();
  auto const read = [&](std::int64_t row, std::int64_t* to) {
    CopyIntegers(rows.table.values.data() + row * rows.table.stride, drawn.rows.n_sums, to);
    return finder.KindOf(to);
  };
  if (!drawn.rows.Gather(rows.slice, bins.Bytes().row_stride, read)) {
    drawn.has_failed = true;
    return false;
  }
  DrawThresholds(bins, node->total.draw, *node->features, &drawn);
  node->best = finder.FindDrawn(drawn, node->total, &scratch->scan);
  if (!node->best.IsValid()) return true;
  node->total.left.assign(node->total.sums.size(), 0);
  for (std::int64_t sum = 0; sum < drawn.rows.n_sums; ++sum) {
    node->total.left[sum] = drawn.LeftOf(sum, node->best.feature);
  }
  return true;
}

}  // namespace

bool AreFewVectorRows(BinMatrix const& bins, std::int64_t n_rows, bool draws) {
  constexpr std::int64_t kRowsPerCell = 2;       // measured
  constexpr std::int64_t kDrawnRowsPerCell = 8;  // measured likewise
  if (!bins.IsDense() || bins.HasBundles()) return false;
  auto const rows_per_cell = draws ? kDrawnRowsPerCell : kRowsPerCell;
  return n_rows * bins.NumCols() <= rows_per_cell * static_cast<std::int64_t>(bins.NumCells());
}

void FindSplitOfFewVectorRows(VectorSplitFinder const& finder, BinMatrix const& bins, RowsOfVectors const& rows,
                              FewVectorRowsScratch* scratch, GrowingNode<VectorGrowth>* node) {
  Span<std::uint32_t const> features = *node->features;
  if (SearchDrawn(finder, bins, rows, scratch, node)) features = scratch->drawn.others;
  if (features.empty()) return;
  FewVectorRows by_cells(bins, rows.table, rows.slice, scratch);
  SplitCandidate best;
  for (auto const feature : features) {
    by_cells.WithCells(feature, [&](VectorCells const& cells) { by_cells.Find(finder, cells, node->total, &best); });
  }
  if (!IsBetter(best, node->best)) return;
  node->best = best;
  by_cells.WithCells(best.feature, [&](VectorCells const& cells) { finder.Describe(cells, best, &node->total); });
}

}  // namespace kauri
