/// The search among few rows: the same split, and the same information about its children, as from a histogram scanned
/// code by code.
#include <gtest/gtest.h>

#include <numeric>

#include "tree/hist_vector/random_vector_job.h"
#include "tree/hist_vector/vector_workspace.h"

namespace kauri {
namespace {

/// The inputs of both searches for a node.
class VectorNodeJob {
 public:
  VectorNodeJob(VectorJob const& job, std::uint32_t n_rows, bool draws)
      : data_(MakeMatrix(job.job.values, job.job.n_cols, job.job.sparse)), packed_(job), table_(packed_.View()) {
    data_->MutableInfo()->feature_types = job.types;
    bins_ = std::make_unique<BinMatrix>(Context{}, *data_, MakeQuantileCuts(Context{}, *data_, job.job.param.max_bin));
    gain_ = MakeVectorGainParam(job.job.param, table_, false);
    finder_ =
        std::make_unique<VectorSplitFinder>(gain_, *bins_, CategoryRulesOf(job.job.param), Span<std::int8_t const>());
    for (std::uint32_t i = 0; i < n_rows; ++i) rows_.push_back(i * 3);
    auto const features = std::make_shared<std::vector<std::uint32_t>>(job.job.n_cols);
    std::iota(features->begin(), features->end(), 0U);
    node_.features = features;
    node_.total.sums.assign(table_.stride, 0);
    for (auto const row : rows_) AddRow(row, node_.total.sums.data());
    node_.total.gain = VectorGain(node_.total.sums.data(), gain_, {});
    node_.total.draw = {draws, 77};
  }

  GrowingNode<VectorGrowth> FromHistograms() const {
    auto node = node_;
    VectorScanScratch scratch;
    for (auto const feature : *node.features) {
      auto const sums = Histogram(feature);
      finder_->Find({sums.data(), table_.stride, feature}, node.total, &scratch, &node.best);
    }
    if (!node.best.IsValid()) return node;
    auto const sums = Histogram(node.best.feature);
    finder_->Describe({sums.data(), table_.stride, node.best.feature}, node.best, &node.total);
    return node;
  }
  GrowingNode<VectorGrowth> FromRows(FewVectorRowsScratch* scratch) const {
    auto node = node_;
    RowSlice const slice{rows_.data(), 0, static_cast<std::int64_t>(rows_.size())};
    FindSplitOfFewVectorRows(*finder_, *bins_, {table_, slice, Draws()}, scratch, &node);
    return node;
  }

  /// Returns whether random thresholds can be chosen for all columns at once; some columns may still be searched
  /// separately.
  bool Draws() const { return finder_->GoesByGainAlone(node_.total) && bins_->HasByteCodes() && !bins_->HasBundles(); }

 private:
  void AddRow(std::uint32_t row, std::int64_t* to) const {
    for (std::int64_t i = 0; i < table_.stride; ++i) to[i] += table_.values[ToSize(row * table_.stride + i)];
  }
  std::vector<std::int64_t> Histogram(std::uint32_t feature) const {
    std::vector<std::int64_t> sums(ToSize((bins_->NumBins(feature) + 1) * table_.stride));
    for (auto const row : rows_) AddRow(row, sums.data() + bins_->FindCode(row, feature) * table_.stride);
    return sums;
  }

  std::shared_ptr<DataMatrix> data_;
  PackedGradients packed_;
  GradientTableView table_;
  std::unique_ptr<BinMatrix> bins_;
  VectorGainParam gain_;
  std::unique_ptr<VectorSplitFinder> finder_;
  std::vector<std::uint32_t> rows_;
  GrowingNode<VectorGrowth> node_;
};

VectorJob MakeJob(std::uint64_t seed) {
  constexpr std::int64_t kRows = 900;
  Random random(seed);
  MatrixSpec spec;
  spec.n_rows = kRows;
  spec.n_cols = Pick<std::int64_t>(&random, {1, 5, 9});
  spec.missing = Pick<double>(&random, {0.0, 0.3});
  spec.n_distinct = Pick<std::uint32_t>(&random, {0, 3, 20});
  spec.seed = seed;
  auto job = seed % 3 == 2 ? RandomCategoryJob(seed, kRows, spec.n_cols) : VectorJob();
  job.job.sparse = false;
  job.job.n_cols = spec.n_cols;
  if (seed % 3 != 2) job.job.values = MakeValues(spec);
  job.job.param.max_bin = Pick<int>(&random, {256, 20, 600});
  job.n_outputs = Pick<std::int64_t>(&random, {2, 3, 7, 20});
  job.pairs = MakePairs(kRows, job.n_outputs, random.Below(2) == 0, seed);
  return job;
}

/// Compares both searches; returns whether there is a split.
bool ExpectTheSplitOfAHistogram(VectorNodeJob const& search, FewVectorRowsScratch* scratch) {
  auto const expected = search.FromHistograms();
  scratch->drawn.n_columns = 0;
  auto const actual = search.FromRows(scratch);
  EXPECT_EQ(actual.best.loss_change, expected.best.loss_change);
  EXPECT_EQ(actual.best.feature, expected.best.feature);
  EXPECT_EQ(actual.best.threshold, expected.best.threshold);
  EXPECT_EQ(actual.best.default_left, expected.best.default_left);
  EXPECT_EQ(actual.total.left, expected.total.left);
  EXPECT_EQ(actual.total.right_categories, expected.total.right_categories);
  return expected.best.IsValid();
}

TEST(FewVectorRows, FindTheSplitOfAHistogram) {
  FewVectorRowsScratch scratch;
  std::int64_t n_valid = 0;
  std::int64_t n_drawn = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto const job = MakeJob(seed);
    for (std::uint32_t const n_rows : {1U, 2U, 17U, 64U, 300U}) {
      VectorNodeJob const search(job, n_rows, seed % 2 == 1);
      n_valid += ExpectTheSplitOfAHistogram(search, &scratch) ? 1 : 0;
      EXPECT_EQ(scratch.drawn.n_columns > 0, search.Draws()) << seed;
      n_drawn += search.Draws() ? 1 : 0;
    }
  }
  EXPECT_GT(n_valid, 150);
  EXPECT_GT(n_drawn, 50);
}

// Bins whose sums are all 0 look empty in a histogram, so random thresholds ignore them: rows without weight, and rows
// that cancel.
TEST(FewVectorRows, DrawAmongTheBinsOfAHistogramWhateverCancels) {
  FewVectorRowsScratch scratch;
  std::int64_t n_failed = 0;
  for (std::uint64_t seed = 1; seed < 60; seed += 2) {
    auto job = MakeJob(seed);
    for (std::size_t i = 0; i < job.pairs.size(); ++i) {
      auto const row = i / static_cast<std::size_t>(job.n_outputs);
      auto const may_cancel = seed % 4 == 1;
      if (row % 4 != 0) job.pairs[i] = {may_cancel ? (row % 8 < 4 ? 0.5F : -0.5F) : 0.0F, 0.0F};
      if (seed % 8 == 1 && row % 4 == 1) job.pairs[i].hessian = row % 8 == 1 ? -0.25F : 0.25F;
    }
    for (std::uint32_t const n_rows : {17U, 64U, 300U}) {
      VectorNodeJob const search(job, n_rows, true);
      scratch.drawn.has_failed = false;
      ExpectTheSplitOfAHistogram(search, &scratch);
      n_failed += scratch.drawn.has_failed ? 1 : 0;
    }
  }
  EXPECT_GT(n_failed, 10);
}

}  // namespace
}  // namespace kauri
