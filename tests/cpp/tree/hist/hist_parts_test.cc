/// \file The parts of the histogram method, each compared with a loop that implements its definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "support/random_matrix.h"
#include "tree/growth/tree_common.h"
#include "tree/hist/hist_workspace.h"
#include "tree/histogram/bin_scan.h"

namespace kauri {
namespace {

using testing::MakeGradients;
using testing::MakeMatrix;
using testing::MatrixSpec;
using testing::Random;

BinMatrix MakeBins(MatrixSpec const& spec, int max_bin) {
  auto const data = MakeMatrix(spec);
  return {Context{}, *data, MakeQuantileCuts(Context{}, *data, max_bin)};
}

/// Returns bins in every kind of storage and layout of histogram cells.
std::vector<BinMatrix> AllKindsOfBins(std::int64_t n_rows) {
  std::vector<BinMatrix> kinds;
  for (int const max_bin : {256, 20, 600}) {
    for (std::int64_t const n_cols : {1, 5, 8, 31, 32, 150}) {
      MatrixSpec spec;
      spec.n_rows = n_rows;
      spec.n_cols = n_cols;
      spec.missing = n_cols == 5 ? 0.3 : 0.0;
      kinds.push_back(MakeBins(spec, max_bin));
    }
  }
  MatrixSpec spec;
  spec.n_rows = n_rows;
  spec.n_cols = 70;
  spec.missing = 0.9;
  spec.sparse = true;
  kinds.push_back(MakeBins(spec, 256));
  for (bool const absent : {false, true}) {
    auto const data = MakeMatrix(testing::MakeOneHotValues(n_rows, 5, 13, absent, 0.1), 65, absent);
    kinds.emplace_back(Context{}, *data, MakeQuantileCuts(Context{}, *data, 256));
    EXPECT_TRUE(kinds.back().HasBundles() || n_rows < 50);
  }
  for (bool const missing : {false, true}) {
    auto const data = MakeMatrix(testing::MakeFlagValues(n_rows, 14, missing, 3), 14, false);
    kinds.emplace_back(Context{}, *data, MakeQuantileCuts(Context{}, *data, 256));
    EXPECT_TRUE(!kinds.back().Sparse().IsEmpty() || n_rows < 50);
  }
  return kinds;
}

std::vector<std::uint32_t> AllFeatures(BinMatrix const& bins) {
  std::vector<std::uint32_t> features(bins.NumCols());
  std::iota(features.begin(), features.end(), 0U);
  return features;
}

std::vector<FixedSum> NaiveHistogram(BinMatrix const& bins, std::vector<FixedPair> const& pairs,
                                     std::vector<std::uint32_t> const& rows) {
  std::vector<FixedSum> histogram(bins.NumCells());
  for (auto const row : rows) {
    for (std::size_t feature = 0; feature < static_cast<std::size_t>(bins.NumCols()); ++feature) {
      auto const code = bins.FindCode(row, feature);
      if (code != kNoCode) histogram[bins.FeatureBegin()[feature] + code] += pairs[row];
    }
  }
  return histogram;
}

void ExpectEqualFeatures(BinMatrix const& bins, std::vector<std::uint32_t> const& features, FixedSum const* actual,
                         std::vector<FixedSum> const& expected) {
  for (auto const feature : features) {
    auto const n_codes = bins.NumBins(feature) + (bins.MissingCode(feature) == kNoCode ? 0 : 1);
    for (auto cell = bins.FeatureBegin()[feature]; cell < bins.FeatureBegin()[feature] + n_codes; ++cell) {
      ASSERT_TRUE(actual[cell] == expected[cell]) << "feature " << feature << " cell " << cell;
    }
  }
}

FixedSum SumOf(std::vector<FixedPair> const& pairs, std::vector<std::uint32_t> const& rows) {
  FixedSum sum;
  for (auto const row : rows) sum += pairs[row];
  return sum;
}

TEST(HistogramAdder, EqualsASumPerCell) {
  for (auto const& bins : AllKindsOfBins(1100)) {
    HistogramAdder const adder(bins);
    HistogramPool pool(bins.NumCells());
    auto const gradients = MakeGradients(bins.NumRows(), 1);
    std::vector<std::uint32_t> some;
    for (std::uint32_t row = 0; row < 1100; row += 1 + row % 3) some.push_back(row);
    std::vector<std::uint32_t> middle(900);
    std::iota(middle.begin(), middle.end(), 100U);
    auto const last = static_cast<std::uint32_t>(bins.NumCols() - 1);
    for (auto const& features : {AllFeatures(bins), std::vector<std::uint32_t>{last}}) {
      for (auto const& [rows, n_bands] : {std::pair(&some, 1), {&middle, 1}, {&some, 2}, {&middle, 100}}) {
        auto* const histogram = pool.Borrow();
        RowSlice const listed{rows->data(), 0, static_cast<std::int64_t>(rows->size())};
        auto const slice = rows == &middle ? RowSlice{nullptr, 100, 1000} : listed;
        for (auto const& band : adder.Bands(n_bands)) {
          std::fill(histogram + band.first_cell, histogram + band.last_cell, FixedSum{});
          adder.Add(gradients.pairs, slice, features, band, histogram);
        }
        auto const n_cols = static_cast<std::uint32_t>(bins.NumCols());
        bins.FillMostFrequent(0, n_cols, SumOf(gradients.pairs, *rows), histogram);
        ExpectEqualFeatures(bins, features, histogram, NaiveHistogram(bins, gradients.pairs, *rows));
      }
    }
  }
}

/// Returns the best boundary by the shared formulas, trying one after the other.
BestBin NaiveBoundary(GainParam const& param, BinBoundaries const& boundaries, double floor) {
  BestBin best{floor, -1};
  for (std::int64_t i = 0; i < boundaries.n; ++i) {
    auto const left = boundaries.left[i] + boundaries.offset;
    auto const right = boundaries.total - left;
    if (!HasEnoughHessian(left, param) || !HasEnoughHessian(right, param)) continue;
    auto const loss_change = SplitGain(left, right, param, boundaries.bounds, boundaries.sign) - boundaries.node_gain;
    auto const ties = boundaries.keep_last && best.boundary >= 0 && loss_change == best.loss_change;
    if (loss_change > best.loss_change || ties) best = {loss_change, i};
  }
  return best;
}

TEST(FindBestBoundary, HasTheBitsOfTheSharedFormulas) {
  Random random(5);
  for (int trial = 0; trial < 2000; ++trial) {
    GainParam param;
    param.lambda = random.Below(3);
    param.alpha = random.Below(2) * 0.3;
    param.max_delta_step = random.Below(4) == 0 ? 0.5 : 0.0;
    param.min_child_weight = random.Below(2);
    param.unit = {0x1p-20, 0x1p-18};
    param.monotone = random.Below(3) == 0;
    WeightBounds const bounds{-0.5 + random.Below(2) * 0.3, random.Below(2) * 0.1};
    auto const sign = static_cast<int>(random.Below(3)) - 1;
    auto const n = static_cast<std::int64_t>(random.Below(70));
    auto const step = random.Below(2) == 0 ? 1U << 20U : 3U;  // coarse sums make ties
    std::vector<FixedSum> left(n);
    FixedSum sum;
    for (auto& prefix : left) {
      sum += FixedSum{static_cast<std::int64_t>(random.Below(step)) - step / 2, random.Below(step)};
      prefix = sum;
    }
    FixedSum const missing{static_cast<std::int64_t>(random.Below(step)), random.Below(step)};
    auto const total = sum + missing;
    for (bool const goes_left : {false, true}) {
      BinBoundaries const boundaries{
          left.data(), n,   goes_left ? missing : FixedSum{}, total, NodeGain(total, param, bounds), goes_left,
          bounds,      sign};
      for (double const floor : {0.0, 0.01}) {
        auto const actual = FindBestBoundary(param, boundaries, floor);
        auto const expected = NaiveBoundary(param, boundaries, floor);
        ASSERT_EQ(actual.boundary, expected.boundary) << trial;
        ASSERT_EQ(actual.loss_change, expected.loss_change) << trial;
      }
    }
  }
}

TEST(RowLists, SplitIsStableAndTellsEveryRowItsLeaf) {
  for (std::int64_t const n_rows : {1, 17, 255, 20000}) {
    for (auto const& bins : AllKindsOfBins(n_rows)) {
      std::vector<std::uint8_t> marks(n_rows);
      for (std::size_t row = 0; row < marks.size(); ++row) marks[row] = row % 5 != 0;
      for (bool const is_marked : {false, true}) {
        Context ctx;
        ctx.threads = 2;
        RowLists lists;
        is_marked ? lists.Reset(marks, 1) : lists.Reset(n_rows);
        std::vector<std::int32_t> leaf_of_row(marks.size(), -1);
        CodeSplit const first{0, 1, 2, 0, bins.NumBins(0) / 2, is_marked, false};
        CodeSplit const second{2, 3, 4, 0, bins.NumBins(0) * 3 / 4, !is_marked, true};
        lists.Split(ctx, bins, std::vector<CodeSplit>{first}, leaf_of_row);
        auto const left = lists.RangeOf(1);
        EXPECT_TRUE(std::is_sorted(lists.Rows() + left.begin, lists.Rows() + left.end));
        lists.Split(ctx, bins, std::vector<CodeSplit>{second}, leaf_of_row);
        lists.WriteLeaves(ctx, leaf_of_row);
        auto const goes_left = [&](CodeSplit const& split, std::uint32_t code) {
          auto const is_missing = code == kNoCode || code == bins.MissingCode(0);
          return is_missing ? split.default_left : code < split.first_right;
        };
        for (std::int64_t row = 0; row < n_rows; ++row) {
          auto const index = static_cast<std::size_t>(row);
          auto const code = bins.FindCode(row, 0);
          auto const expected = goes_left(first, code) ? 1 : goes_left(second, code) ? 3 : 4;
          ASSERT_EQ(leaf_of_row[index], is_marked && marks[index] == 0 ? -1 : expected) << row;
        }
      }
    }
  }
}

TEST(RowLists, CategoriesGoWhereTheyAreMarked) {
  for (auto const& bins : AllKindsOfBins(300)) {
    for (auto const feature : {std::uint32_t{0}, static_cast<std::uint32_t>(bins.NumCols() - 1)}) {
      for (bool const default_left : {false, true}) {
        CodeSplit split{0, 1, 2, feature, 0, default_left, true};
        for (std::uint32_t bin = 0; bin < bins.NumBins(feature); ++bin) split.right_codes.push_back(bin % 3 == 0);
        RowLists lists;
        lists.Reset(300);
        std::vector<std::int32_t> leaf_of_row(300);
        lists.Split({}, bins, std::vector<CodeSplit>{split}, leaf_of_row);
        for (std::int64_t row = 0; row < 300; ++row) {
          auto const code = bins.FindCode(row, feature);
          auto const is_left = code < bins.NumBins(feature) ? code % 3 != 0 : default_left;
          ASSERT_EQ(leaf_of_row[row], is_left ? 1 : 2);
        }
      }
    }
  }
}

/// Compares the search among few rows with the scan of a histogram, for every third row.
class FewRowsSearch {
 public:
  FewRowsSearch(BinMatrix const& bins, FixedGradients const& gradients, std::uint32_t n_rows, ThresholdDraw draw)
      : bins_(bins), gradients_(gradients), finder_(param_, bins.Cuts()) {
    param_.unit = gradients.unit;
    param_.min_child_weight = 0.0;
    for (std::uint32_t i = 0; i < n_rows; ++i) rows_.push_back(i * 3);
    total_.sum = SumOf(gradients.pairs, rows_);
    total_.gain = NodeGain(total_.sum, param_, total_.bounds);
    total_.draw = draw;
  }

  SplitCandidate FromHistogram() const {
    auto const histogram = NaiveHistogram(bins_, gradients_.pairs, rows_);
    ScanScratch scratch;
    SplitCandidate best;
    for (auto const feature : AllFeatures(bins_)) {
      finder_.Find(feature, histogram.data() + bins_.FeatureBegin()[feature], total_, &scratch, &best);
    }
    return best;
  }
  SplitCandidate FromRows(FewRowsScratch* scratch) const {
    SplitCandidate best;
    auto const features = AllFeatures(bins_);
    auto const n_rows = static_cast<std::int64_t>(rows_.size());
    scratch->drawn.n_columns = 0;
    FewRows const in_node{gradients_.pairs, {rows_.data(), 0, n_rows}, features, total_, Draws()};
    FindSplitOfFewRows(finder_, bins_, in_node, scratch, &best);
    return best;
  }

  /// Returns whether random thresholds can be chosen for all columns at once; some columns may still be searched
  /// separately.
  bool Draws() const { return finder_.GoesByGainAlone(total_) && bins_.HasByteCodes() && !bins_.HasBundles(); }

 private:
  BinMatrix const& bins_;
  FixedGradients const& gradients_;
  GainParam param_;
  BinSplitFinder finder_;
  std::vector<std::uint32_t> rows_;
  NodeTotal total_;
};

void ExpectEqualSplits(SplitCandidate const& actual, SplitCandidate const& expected) {
  EXPECT_EQ(actual.loss_change, expected.loss_change);
  EXPECT_EQ(actual.feature, expected.feature);
  EXPECT_EQ(actual.threshold, expected.threshold);
  EXPECT_EQ(actual.default_left, expected.default_left);
  EXPECT_TRUE(actual.left == expected.left);
  EXPECT_TRUE(actual.right == expected.right);
}

TEST(FindSplitOfFewRows, EqualsTheScanOfAHistogram) {
  FewRowsScratch few;
  std::array<int, 2> n_valid{};
  for (auto const& bins : AllKindsOfBins(1100)) {
    if (!bins.IsDense()) continue;
    auto const gradients = MakeGradients(bins.NumRows(), 9);
    for (bool const draws : {false, true}) {
      for (std::uint32_t const n_rows : {1U, 2U, 17U, 64U, 300U}) {
        FewRowsSearch const search(bins, gradients, n_rows, {draws, 31});
        auto const expected = search.FromHistogram();
        ExpectEqualSplits(search.FromRows(&few), expected);
        EXPECT_EQ(few.drawn.n_columns > 0, draws && search.Draws());
        n_valid[draws ? 1 : 0] += expected.IsValid() ? 1 : 0;
      }
    }
  }
  for (auto const n : n_valid) EXPECT_GT(n, 50);
}

// Bins whose sums are 0 look empty in a histogram, so random thresholds ignore them: rows without weight, and rows that
// cancel.
TEST(FindSplitOfFewRows, DrawsAmongTheBinsOfAHistogramWhateverCancels) {
  FewRowsScratch few;
  for (auto const& bins : AllKindsOfBins(1100)) {
    if (!bins.IsDense()) continue;
    for (bool const may_cancel : {false, true}) {
      auto gradients = MakeGradients(bins.NumRows(), 9);
      for (std::size_t row = 0; row < gradients.pairs.size(); ++row) {
        if (row % 4 != 0) gradients.pairs[row] = {may_cancel ? (row % 8 < 4 ? 1000 : -1000) : 0, 0};
      }
      for (std::uint32_t const n_rows : {17U, 64U, 300U}) {
        FewRowsSearch const search(bins, gradients, n_rows, {true, n_rows});
        ExpectEqualSplits(search.FromRows(&few), search.FromHistogram());
      }
    }
  }
}

/// Searches as HistGrower does, without the search among few rows.
void FindSplits(Context const& ctx, TreeTask const& task, GainParam const& gain, RowLists const& rows,
                std::vector<HistPair> const& pairs, HistWorkspace* workspace) {
  auto const features = AllFeatures(workspace->Bins());
  auto const& portions = workspace->PlanPortions(ctx, rows, pairs);
  for (std::int64_t index = 0; index < portions.NumTasks(); ++index) {
    auto const& band = portions.BandOf(index);
    for (auto const& piece : portions.PiecesOf(index)) {
      std::fill(piece.histogram + band.first_cell, piece.histogram + band.last_cell, FixedSum{});
      workspace->Adder().Add(task.gradients.pairs, piece.slice, features, band, piece.histogram);
    }
  }
  workspace->FinishSplits(ctx, gain, pairs);
}

TEST(HistWorkspace, SiblingIsTheParentLessTheSmallerChild) {
  for (auto const& bins : AllKindsOfBins(9000)) {
    HistWorkspace workspace(bins);
    auto const gradients = MakeGradients(bins.NumRows(), 4);
    TreeTask task;
    task.gradients = gradients.View();
    Context ctx;
    ctx.threads = 3;
    auto const features = AllFeatures(bins);
    auto const shared = std::make_shared<std::vector<std::uint32_t> const>(features);
    GainParam param;
    param.unit = gradients.unit;
    RowLists lists;
    lists.Reset(bins.NumRows());
    HistNode root;
    root.features = shared;
    std::vector<std::uint32_t> all_rows(9000);
    std::iota(all_rows.begin(), all_rows.end(), 0U);
    root.total.sum = SumOf(gradients.pairs, all_rows);
    std::vector<HistPair> pairs{{&root, nullptr, nullptr}};
    FindSplits(ctx, task, param, lists, pairs, &workspace);
    std::vector<std::int32_t> leaf_of_row(9000);
    lists.Split(ctx, bins, std::vector<CodeSplit>{{0, 1, 2, 0, bins.NumBins(0) / 3, false, false}}, leaf_of_row);
    HistNode small;
    HistNode large;
    small.id = 1;
    large.id = 2;
    small.features = large.features = shared;
    auto const small_range = lists.RangeOf(1);
    small.total.sum = SumOf(gradients.pairs, {lists.Rows() + small_range.begin, lists.Rows() + small_range.end});
    pairs = {{&small, &large, root.histogram}};
    FindSplits(ctx, task, param, lists, pairs, &workspace);
    for (auto const* node : {&small, &large}) {
      auto const range = lists.RangeOf(node->id);
      std::vector<std::uint32_t> const rows(lists.Rows() + range.begin, lists.Rows() + range.end);
      ExpectEqualFeatures(bins, features, node->histogram, NaiveHistogram(bins, gradients.pairs, rows));
    }
  }
}

TEST(HistogramPool, LendsEachBufferOnce) {
  HistogramPool pool(5);
  auto* const first = pool.Borrow();
  auto* const second = pool.Borrow();
  EXPECT_NE(first, second);
  pool.GiveBack(first);
  EXPECT_EQ(pool.Borrow(), first);
  pool.GiveBackAll();
  auto* const again = pool.Borrow();
  EXPECT_TRUE(again == first || again == second);
}

}  // namespace
}  // namespace kauri
