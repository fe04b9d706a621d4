#include "data/bins/bin_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "data/bins/bin_store_maker.h"
#include "data/copies/slice.h"
#include "data/data_test_support.h"
#include "data/sketch/cut_weights.h"
#include "kauri/error.h"
#include "support/error.h"
#include "support/random_matrix.h"
#include "support/row_batches.h"

namespace kauri {
namespace {

using testing::MakeMatrix;
using testing::MakeValues;
using testing::MatrixSpec;
using testing::RowBatches;

std::unique_ptr<DataMatrix> Make(RowBatches* batches, BinStoreOptions const& options = {}) {
  return MakeBinnedMatrix(Context{}, batches, options);
}

BinStoreOptions InFile() {
  BinStoreOptions options;
  options.in_file = true;
  return options;
}

/// Checks that each value became the lower bound of its bin, or the column's smallest value in the first bin.
void ExpectLowerBounds(DataMatrix const& data, std::vector<float> const& values) {
  auto const shown = RowsOf(data);
  auto const& cuts = BinsOf(data)->Layout().Cuts();
  auto const n_cols = static_cast<std::size_t>(data.NumCols());
  std::vector<float> smallest(n_cols, std::numeric_limits<float>::infinity());
  for (std::size_t cell = 0; cell < values.size(); ++cell) {
    if (!std::isnan(values[cell])) smallest[cell % n_cols] = std::min(smallest[cell % n_cols], values[cell]);
  }
  for (std::size_t cell = 0; cell < values.size(); ++cell) {
    auto const feature = cell % n_cols;
    if (std::isnan(values[cell])) {
      ASSERT_TRUE(std::isnan(shown[cell])) << cell;
      continue;
    }
    auto const bin = FindBin(cuts.Of(feature), cuts.NumBins(feature), values[cell]);
    auto const* of_feature = cuts.Of(feature);
    ASSERT_EQ(shown[cell], bin == 0 ? smallest[feature] : of_feature[bin - 1]) << cell;
  }
}

void ExpectSameCuts(DataMatrix const& a, QuantileCuts const& cuts) {
  EXPECT_EQ(BinsOf(a)->Layout().Cuts().values, cuts.values);
  EXPECT_EQ(BinsOf(a)->Layout().Cuts().feature_begin, cuts.feature_begin);
  EXPECT_EQ(BinsOf(a)->Layout().Cuts().min_values, cuts.min_values);
}

TEST(BinStore, ShowsTheLowerBoundOfEachBin) {
  for (bool const in_file : {false, true}) {
    for (std::uint64_t kind = 0; kind < 8; ++kind) {
      MatrixSpec spec;
      spec.n_rows = kind == 0 ? 1 : 700;
      spec.n_cols = kind % 2 == 0 ? 3 : 11;
      spec.missing = kind < 4 ? 0.0 : 0.7;
      spec.sparse = kind >= 6;
      spec.seed = kind;
      auto options = in_file ? InFile() : BinStoreOptions{};
      options.max_bin = kind % 3 == 0 ? 16 : 400;
      for (std::int64_t const batch_rows : {700, 300, 64}) {
        RowBatches batches(*MakeMatrix(spec), batch_rows);
        auto const data = Make(&batches, options);
        ASSERT_EQ(BinsOf(*data)->IsInFile(), in_file);
        EXPECT_EQ(data->NumEntries(), MakeMatrix(spec)->NumEntries());
        ExpectLowerBounds(*data, MakeValues(spec));
      }
    }
  }
}

TEST(BinStore, ViewGivesAnyRowsAndFeatures) {
  MatrixSpec spec;
  spec.n_cols = 5;
  spec.missing = 0.4;
  for (bool const sparse : {false, true}) {
    spec.sparse = sparse;
    for (auto const& options : {BinStoreOptions{}, InFile()}) {
      RowBatches batches(*MakeMatrix(spec), 40);
      auto const data = Make(&batches, options);
      auto const all = RowsOf(*data);
      std::vector<float> tile(7 * 2, 0.0F);
      ASSERT_TRUE(data->View()->CopyFeatures(50, 57, std::vector<std::int32_t>{-1, 1, -1, 0}, 2, tile.data()));
      std::vector<float> wide(7 * 9, 0.0F);
      data->View()->CopyRows(50, 57, 9, wide.data());
      for (std::size_t row = 0; row < 7; ++row) {
        auto const* expected = all.data() + (50 + row) * 5;
        auto const same = [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); };
        EXPECT_TRUE(same(tile[row * 2], expected[3]) && same(tile[row * 2 + 1], expected[1]));
        EXPECT_TRUE(same(wide[row * 9 + 4], expected[4]) && std::isnan(wide[row * 9 + 5]));
      }
    }
  }
}

TEST(BinStore, AnyBatchesHaveTheExactCuts) {
  for (bool const sparse : {false, true}) {
    MatrixSpec spec;
    spec.n_rows = 9000;
    spec.missing = sparse ? 0.8 : 0.1;
    spec.sparse = sparse;
    auto const matrix = MakeMatrix(spec);
    auto const expected = MakeQuantileCuts(Context{}, *matrix, 256);
    for (std::int64_t const batch_rows : {9000, 1500, 7}) {
      for (auto const& options : {BinStoreOptions{}, InFile()}) {
        RowBatches batches(*matrix, batch_rows);
        ExpectSameCuts(*Make(&batches, options), expected);
      }
    }
  }
}

TEST(BinStore, WhatDoesNotFitTakesMorePasses) {
  for (bool const sparse : {false, true}) {
    MatrixSpec spec;
    spec.n_rows = 30000;
    spec.n_cols = 12;
    spec.missing = sparse ? 0.8 : 0.1;
    spec.sparse = sparse;
    auto const matrix = MakeMatrix(spec);
    for (std::int64_t row = 0; row < spec.n_rows; ++row) {
      matrix->MutableInfo()->weights.push_back(static_cast<float>(row % 7) / 3.0F);
    }
    auto const weights = CutWeights({}, matrix->Info());
    CutOptions cut;
    cut.weights = weights;
    BinStoreOptions options;
    options.max_bin = 40;
    int n_passes = 0;
    for (auto const megabytes : {0, 5}) {
      options.budget = BudgetOfMegabytes(megabytes);
      RowBatches batches(*matrix, 1000);
      ExpectSameCuts(*Make(&batches, options), MakeQuantileCuts(Context{}, *matrix, 40, cut));
      EXPECT_GT(batches.NumRestarts(), n_passes);
      n_passes = batches.NumRestarts();
    }
  }
}

TEST(BinStore, WeightsOfABatchCount) {
  MatrixSpec spec;
  spec.n_rows = 4000;
  auto const matrix = MakeMatrix(spec);
  for (std::int64_t row = 0; row < spec.n_rows; ++row) {
    matrix->MutableInfo()->weights.push_back(static_cast<float>(row % 7));
  }
  auto const weights = CutWeights({}, matrix->Info());
  CutOptions cut;
  cut.weights = weights;
  RowBatches one(*matrix, spec.n_rows);
  ExpectSameCuts(*Make(&one), MakeQuantileCuts(Context{}, *matrix, 256, cut));
  RowBatches several(*matrix, 1500);
  auto const data = Make(&several);
  ExpectSameCuts(*data, MakeQuantileCuts(Context{}, *matrix, 256, cut));
  EXPECT_EQ(data->Info().weights, matrix->Info().weights);
}

TEST(BinStore, WeightsOfQueriesThatAreAlikeInABatchCount) {
  MatrixSpec spec;
  spec.n_rows = 3000;
  auto const matrix = MakeMatrix(spec);
  matrix->MutableInfo()->group_ptr = {0, 500, 1000, 2000, 3000};
  matrix->MutableInfo()->weights = {7.0F, 7.0F, 1.0F, 2.0F};
  auto const weights = CutWeights({}, matrix->Info());
  CutOptions cut;
  cut.weights = weights;
  RowBatches batches(*matrix, 1000);
  ExpectSameCuts(*Make(&batches), MakeQuantileCuts(Context{}, *matrix, 256, cut));
}

TEST(BinStore, SummariesForAFileDoNotDependOnBatches) {
  MatrixSpec spec;
  spec.n_rows = 70000;  // more than one part
  spec.n_cols = 2;
  auto const matrix = MakeMatrix(spec);
  CutOptions cut;
  cut.sketch = std::make_shared<GkMethod>();
  auto const expected = MakeQuantileCuts(Context{}, *matrix, 64, cut);
  auto options = InFile();
  options.max_bin = 64;
  options.kept_bytes = 70000 * 2 * 4 - 1;
  for (std::int64_t const batch_rows : {70000, 65536, 999}) {
    RowBatches batches(*matrix, batch_rows);
    ExpectSameCuts(*Make(&batches, options), expected);
  }
}

/// Data that do not fit are read in further passes.
TEST(BinStore, ABudgetDoesNotChangeTheCutsOfAFile) {
  MatrixSpec spec;
  spec.n_rows = 70000;
  spec.n_cols = 5;
  auto const matrix = MakeMatrix(spec);
  auto const expected = MakeQuantileCuts(Context{}, *matrix, 64);
  auto options = InFile();
  options.max_bin = 64;
  for (int const megabytes : {0, 8, 4}) {
    options.budget = BudgetOfMegabytes(megabytes);
    RowBatches batches(*matrix, 20000);
    ExpectSameCuts(*Make(&batches, options), expected);
  }
}

TEST(BinStore, RefTakesTheCutsOfOtherData) {
  MatrixSpec spec;
  auto const first = MakeMatrix(spec);
  RowBatches batches(*first, 100);
  auto options = BinStoreOptions{};
  options.max_bin = 8;
  auto const train = Make(&batches, options);
  spec.seed = 7;
  spec.missing = 0.2;
  auto const other = MakeMatrix(spec);
  options.max_bin.reset();
  options.like = train.get();
  for (std::int64_t const batch_rows : {100, 30}) {
    RowBatches of_other(*other, batch_rows);
    auto const valid = Make(&of_other, options);
    ExpectSameCuts(*valid, BinsOf(*train)->Layout().Cuts());
    EXPECT_EQ(BinsOf(*valid)->MaxBin(), 8);
    EXPECT_EQ(valid->NumEntries(), other->NumEntries());
  }
  options.like = first.get();  // keeps its values
  RowBatches of_values(*other, 30);
  ExpectSameCuts(*Make(&of_values, options), MakeQuantileCuts(Context{}, *first, 256));
}

TEST(BinStore, SliceHasTheRowsAndWhatIsKnownOfThem) {
  MatrixSpec spec;
  spec.missing = 0.7;
  for (bool const sparse : {false, true}) {
    spec.sparse = sparse;
    auto const matrix = MakeMatrix(spec);
    for (std::int64_t row = 0; row < 100; ++row) matrix->MutableInfo()->labels.push_back(static_cast<float>(row));
    RowBatches batches(*matrix, 100);
    auto const data = Make(&batches);
    std::vector<std::int32_t> const rows{99, 3, 3, 50};
    auto const slice = Slice(Context{}, *data, rows, false);
    EXPECT_EQ(slice->Info().labels, (std::vector<float>{99, 3, 3, 50}));
    auto const all = RowsOf(*data);
    auto const some = RowsOf(*slice);
    std::int64_t n_entries = 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
      auto const expected = all[static_cast<std::size_t>(rows[i / 4]) * 4 + i % 4];
      EXPECT_TRUE(some[i] == expected || (std::isnan(some[i]) && std::isnan(expected)));
      EXPECT_EQ(BinsOf(*slice)->Layout().FindCode(static_cast<std::int64_t>(i / 4), i % 4),
                BinsOf(*data)->Layout().FindCode(rows[i / 4], i % 4));
      n_entries += std::isnan(some[i]) ? 0 : 1;
    }
    EXPECT_EQ(slice->NumEntries(), n_entries);
  }
}

TEST(BinStore, PagesTileTheRows) {
  MatrixSpec spec;
  spec.n_rows = 500;
  spec.n_cols = 9;
  spec.missing = 0.7;
  for (bool const sparse : {false, true}) {
    spec.sparse = sparse;
    RowBatches batches(*MakeMatrix(spec), 100);
    auto const data = Make(&batches, InFile());
    auto const bins = BinsOf(*data);
    RowBatches again(*MakeMatrix(spec), 500);
    auto const whole = Make(&again);
    for (std::int64_t const max_bytes : {1, 200, 3000, 1 << 20}) {
      std::int64_t largest = 0;
      auto const starts = bins->PlanPages(max_bytes, &largest);
      ASSERT_EQ(starts.front(), 0);
      ASSERT_EQ(starts.back(), 500);
      EXPECT_EQ(starts.size() == 501U, max_bytes == 1);
      EXPECT_LE(largest, std::max<std::int64_t>(max_bytes, 64));  // a page has at least one row
      auto page = MakePage(bins->Layout(), 0);
      for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
        bins->ReadPage(starts[i], starts[i + 1], &page);
        for (auto row = starts[i]; row < starts[i + 1]; ++row) {
          for (std::size_t feature = 0; feature < 9; ++feature) {
            ASSERT_EQ(page.FindCode(row - starts[i], feature), BinsOf(*whole)->Layout().FindCode(row, feature));
          }
        }
      }
    }
  }
}

TEST(BinStore, WhatNeedsValuesSaysSo) {
  RowBatches batches(*MakeMatrix(MatrixSpec{}), 100);
  auto const data = Make(&batches);
  EXPECT_NE(MessageOf([&] { data->Dense(); }).find("a QuantileDMatrix, which keeps bins"), std::string::npos);
  EXPECT_NE(MessageOf([&] { data->Csr(); }).find("make a DMatrix"), std::string::npos);
  RowBatches again(*MakeMatrix(MatrixSpec{}), 100);
  auto const in_file = Make(&again, InFile());
  std::vector<std::int32_t> const rows{0};
  EXPECT_NE(MessageOf([&] { Slice(Context{}, *in_file, rows, false); }).find("cannot be sliced"), std::string::npos);
}

TEST(BinStore, RefusesWhatCannotBe) {
  auto const matrix = MakeMatrix(MatrixSpec{});
  auto const make = [&](BinStoreOptions const& options) {
    return MessageOf([&] {
      RowBatches batches(*matrix, 30);
      Make(&batches, options);
    });
  };
  BinStoreOptions options;
  options.max_bin = 1;
  EXPECT_NE(make(options).find("max_bin=1 is out of range"), std::string::npos);
  RowBatches batches(*matrix, 100);
  auto const train = Make(&batches);
  options.max_bin = 64;
  options.like = train.get();
  EXPECT_NE(make(options).find("max_bin=64, but the data of `ref` have bins of max_bin=256"), std::string::npos);
  MatrixSpec wide;
  wide.n_cols = 5;
  for (std::int64_t const batch_rows : {30, 100}) {
    RowBatches of_wide(*MakeMatrix(wide), batch_rows);
    options.max_bin.reset();
    EXPECT_NE(MessageOf([&] { Make(&of_wide, options); }).find("5 columns, but `ref` has 4"), std::string::npos);
  }
  EXPECT_NE(MessageOf([&] {
              RowBatches none(*matrix, 30, 0);
              Make(&none);
            }).find("there is no batch"),
            std::string::npos);
}

TEST(BinStore, TheSecondPassMustGiveTheSameRows) {
  for (bool const sparse : {false, true}) {
    MatrixSpec spec;
    spec.sparse = sparse;
    spec.missing = sparse ? 0.8 : 0.0;
    auto const before = MakeMatrix(spec);
    for (auto const& options : {BinStoreOptions{}, InFile()}) {
      auto const message = [&](MatrixSpec const& other) {
        RowBatches batches(*before, 30);
        auto const after = MakeMatrix(other);
        batches.ChangeInPass(options.in_file ? 2 : 3, *after);
        return MessageOf([&] { Make(&batches, options); });
      };
      auto more = spec;
      more.n_rows = 130;
      EXPECT_NE(message(more).find("must give the same rows each time"), std::string::npos);
      auto fewer = spec;
      fewer.n_rows = 90;
      EXPECT_NE(message(fewer).find("must give the same rows each time"), std::string::npos);
      auto holes = spec;
      holes.missing = 0.9;
      if (!sparse || options.in_file) {
        EXPECT_NE(message(holes).find("must give the same rows each time"), std::string::npos);
      }
    }
  }
}

TEST(MemoryBudget, IsCheckedWhileSketching) {
  MatrixSpec spec;
  spec.n_rows = 5000;
  spec.n_cols = 200;
  RowBatches batches(*MakeMatrix(spec), 1000);
  auto options = InFile();
  options.budget = BudgetOfMegabytes(4);
  auto const message = MessageOf([&] { Make(&batches, options); });
  EXPECT_NE(message.find("memory_budget=4 (MiB) is too small"), std::string::npos) << message;
  EXPECT_NE(message.find("Raise memory_budget"), std::string::npos);
  EXPECT_NE(MessageOf([] { BudgetOfMegabytes(-1); }).find("memory_budget=-1"), std::string::npos);
}

}  // namespace
}  // namespace kauri
