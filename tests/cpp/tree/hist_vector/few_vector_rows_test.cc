/// The search among few rows: the same split, and the same knowledge of its children, as from a histogram that is added
/// up code by code.
#include "tree/hist_vector/few_vector_rows.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tree/hist_vector/random_vector_job.h"

namespace kauri {
namespace {

/// What both ways of searching know of a node.
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
    FindSplitOfFewVectorRows(*finder_, *bins_, table_, slice, scratch, &node);
    return node;
  }

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

TEST(FewVectorRows, FindTheSplitOfAHistogram) {
  FewVectorRowsScratch scratch;
  std::int64_t n_valid = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto const job = MakeJob(seed);
    for (std::uint32_t const n_rows : {1U, 2U, 17U, 64U, 300U}) {
      VectorNodeJob const search(job, n_rows, seed % 2 == 1);
      auto const expected = search.FromHistograms();
      auto const actual = search.FromRows(&scratch);
      EXPECT_EQ(actual.best.loss_change, expected.best.loss_change) << seed;
      EXPECT_EQ(actual.best.feature, expected.best.feature) << seed;
      EXPECT_EQ(actual.best.threshold, expected.best.threshold) << seed;
      EXPECT_EQ(actual.best.default_left, expected.best.default_left) << seed;
      EXPECT_EQ(actual.total.left, expected.total.left) << seed;
      EXPECT_EQ(actual.total.right_categories, expected.total.right_categories) << seed;
      n_valid += expected.best.IsValid() ? 1 : 0;
    }
  }
  EXPECT_GT(n_valid, 150);
}

}  // namespace
}  // namespace kauri
