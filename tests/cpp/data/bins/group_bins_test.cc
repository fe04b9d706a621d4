/// \file Bins in a group of ranks: one common layout, and the codes of each row as in one process.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "collective/reduce.h"
#include "data/bins/bin_matrix.h"
#include "data/bins/bin_store_maker.h"
#include "data/bins/derived_bins.h"
#include "data/ranks_data.h"
#include "support/error.h"

namespace kauri {
namespace {

using testing::BatchesOfRank;
using testing::ErrorsOnRanks;
using testing::MakeFlagValues;
using testing::MakeMatrix;
using testing::MakeOneHotValues;
using testing::MakePartitions;
using testing::MakeValues;
using testing::MatrixSpec;
using testing::OnRanks;
using testing::Partition;
using testing::PickRows;

using Rows = std::vector<std::int64_t>;

struct Table {
  char const* name;
  std::vector<float> values;
  std::int64_t n_cols = 1;
  bool sparse = false;
  int max_bin = 256;
  std::vector<std::string> types = {};
  std::vector<float> weights = {};

  std::int64_t NumRows() const { return static_cast<std::int64_t>(values.size()) / n_cols; }
};

std::vector<Table> MakeTables() {
  MatrixSpec dense{1100, 9, 0.0, 0, false, 1};
  MatrixSpec missing{1100, 9, 0.2, 40, false, 2};
  MatrixSpec sparse{1100, 30, 0.9, 0, true, 3};
  MatrixSpec half{1100, 6, 0.5, 0, true, 4};  // dense on some ranks, sparse on others
  auto rare = MakeValues(dense);              // missing on one rank only
  rare[5] = std::numeric_limits<float>::quiet_NaN();
  std::vector<Table> tables{{"dense", MakeValues(dense), 9},
                            {"missing", MakeValues(missing), 9},
                            {"one value missing", rare, 9},
                            {"words", MakeValues(dense), 9, false, 700},
                            {"sparse", MakeValues(sparse), 30, true},
                            {"sparse, many bins", MakeValues(sparse), 30, true, 900},
                            {"half sparse", MakeValues(half), 6, true},
                            {"flags", MakeFlagValues(1500, 14, false, 1), 14},
                            {"flags, missing", MakeFlagValues(1500, 14, true, 2), 14},
                            {"one-hot", MakeOneHotValues(1300, 4, 6, false), 24},
                            {"one-hot, absent", MakeOneHotValues(1300, 4, 6, true), 24, true}};
  Table categories{"categories", MakeValues({900, 3, 0.1, 30, false, 6}), 3, false, 64, {"c", "q", "c"}};
  tables.push_back(categories);
  return tables;
}

std::unique_ptr<DataMatrix> MakeData(Table const& table, Rows const& rows) {
  auto data = MakeMatrix(PickRows(table.values, table.n_cols, rows), table.n_cols, table.sparse);
  data->MutableInfo()->feature_types = table.types;
  data->MutableInfo()->weights = PickRows(table.weights, 1, rows);
  return data;
}

std::unique_ptr<DataMatrix> MakeWhole(Table const& table) {
  Rows rows(table.NumRows());
  std::iota(rows.begin(), rows.end(), 0);
  return MakeData(table, rows);
}

/// Compares layout and codes of a rank's rows with those from one process.
void ExpectRowsOf(BinMatrix const& whole, Rows const& rows, BinMatrix const& part) {
  EXPECT_EQ(part.IsDense(), whole.IsDense());
  EXPECT_EQ(part.FeatureBegin(), whole.FeatureBegin());
  EXPECT_EQ(part.Cuts().values, whole.Cuts().values);
  EXPECT_EQ(part.Cuts().categories, whole.Cuts().categories);
  EXPECT_EQ(part.HasByteCodes(), whole.HasByteCodes());
  EXPECT_EQ(part.HasEvenCells(), whole.HasEvenCells());
  EXPECT_EQ(part.Bundled().bundle_of, whole.Bundled().bundle_of);
  EXPECT_EQ(part.Bundled().most_frequent, whole.Bundled().most_frequent);
  ASSERT_EQ(part.NumRows(), static_cast<std::int64_t>(rows.size()));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t feature = 0; feature < static_cast<std::size_t>(whole.NumCols()); ++feature) {
      ASSERT_EQ(part.FindCode(static_cast<std::int64_t>(row), feature), whole.FindCode(rows[row], feature));
    }
  }
}

/// Checks that all ranks have lists, or none, with the same most frequent codes.
void ExpectOneLayout(Context const& ctx, BinMatrix const& bins) {
  EXPECT_EQ(MaxOverRanks(ctx, bins.LayoutDigest()), bins.LayoutDigest());
  EXPECT_EQ(MaxOverRanks(ctx, bins.Sparse().IsEmpty() ? 1 : 0), bins.Sparse().IsEmpty() ? 1U : 0U);
}

BinMatrix MakeBinsOf(Context const& ctx, DataMatrix const& data, int max_bin) {
  return {ctx, data, MakeQuantileCuts(ctx, data, max_bin)};
}

TEST(GroupBins, AreThoseOfOneProcess) {
  std::size_t n_checked = 0;
  for (auto const& table : MakeTables()) {
    SCOPED_TRACE(table.name);
    auto const whole = MakeBinsOf({}, *MakeWhole(table), table.max_bin);
    for (int const n_ranks : {1, 2, 3, 5, 8}) {
      auto const partitions = MakePartitions(table.NumRows(), n_ranks, 7);
      OnRanks(partitions[n_checked++ % partitions.size()], [&](Context const& ctx, Rows const& rows) {
        auto const part = MakeBinsOf(ctx, *MakeData(table, rows), table.max_bin);
        ExpectRowsOf(whole, rows, part);
        ExpectOneLayout(ctx, part);
      });
    }
    n_checked += 1;  // selects other partitions for the next table with this number of ranks
  }
}

/// Adds a row to its histogram cells: one for each bundle, list entry, or feature.
void AddRow(BinMatrix const& bins, std::int64_t row, FixedSum const& sum, std::vector<FixedSum>* cells) {
  if (bins.HasBundles()) {
    auto const& bundled = bins.Bundled();
    for (std::size_t bundle = 0; bundle < bundled.bundles.size(); ++bundle) {
      auto const code = bundled.codes.rows[row * bundled.codes.row_stride + static_cast<std::int64_t>(bundle)];
      (*cells)[bundled.bundles[bundle].first_cell + code] += sum;
    }
    return;
  }
  auto const& lists = bins.Sparse();
  for (auto i = lists.row_ptr[row]; i < lists.row_ptr[row + 1]; ++i) (*cells)[lists.cells[i]] += sum;
}

TEST(GroupBins, UsualCellsFollowFromTheSumOfAllRanks) {
  int n_listed = 0;
  int n_bundled = 0;
  for (auto const& table : MakeTables()) {
    SCOPED_TRACE(table.name);
    auto const whole = MakeBinsOf({}, *MakeWhole(table), table.max_bin);
    if (!whole.IsDense() || (whole.Sparse().IsEmpty() && !whole.HasBundles())) continue;
    ++(whole.HasBundles() ? n_bundled : n_listed);
    FixedSum total;
    std::vector<FixedSum> expected(whole.NumCells());
    for (std::int64_t row = 0; row < whole.NumRows(); ++row) {
      FixedSum const sum{row * row - 7000, row + 1};
      total += sum;
      for (std::size_t f = 0; f < ToSize(whole.NumCols()); ++f)
        expected[whole.FeatureBegin()[f] + whole.FindCode(row, f)] += sum;
    }
    for (auto const& partition : MakePartitions(table.NumRows(), 3, 2)) {
      OnRanks(partition, [&](Context const& ctx, Rows const& rows) {
        auto const part = MakeBinsOf(ctx, *MakeData(table, rows), table.max_bin);
        std::vector<FixedSum> cells(part.NumCells());
        for (std::size_t i = 0; i < rows.size(); ++i) {
          AddRow(part, static_cast<std::int64_t>(i), {rows[i] * rows[i] - 7000, rows[i] + 1}, &cells);
        }
        SumOverRanks(ctx, Span<std::int64_t>(reinterpret_cast<std::int64_t*>(cells.data()), cells.size() * 2));
        part.FillMostFrequent(0, static_cast<std::uint32_t>(table.n_cols), total, cells.data());
        for (std::size_t cell = 0; cell < cells.size(); ++cell) {
          ASSERT_EQ(cells[cell].gradient, expected[cell].gradient) << cell;
          ASSERT_EQ(cells[cell].hessian, expected[cell].hessian) << cell;
        }
      });
    }
  }
  EXPECT_GE(n_listed, 2);
  EXPECT_GE(n_bundled, 1);
}

BatchesOfRank BatchesOf(Table const& table, Rows const& rows, std::int64_t batch_rows) {
  MetaInfo info;
  info.n_rows = static_cast<std::int64_t>(rows.size());
  info.n_cols = table.n_cols;
  info.feature_types = table.types;
  info.weights = PickRows(table.weights, 1, rows);
  return {PickRows(table.values, table.n_cols, rows), info, table.sparse, batch_rows};
}

BinStoreOptions OptionsOf(Table const& table) {
  BinStoreOptions options;
  options.max_bin = table.max_bin;
  return options;
}

TEST(GroupBins, OfBatchesAreThoseOfOneProcess) {
  auto tables = MakeTables();
  auto weighted = tables[1];
  weighted.name = "weights";
  for (std::int64_t row = 0; row < weighted.NumRows(); ++row) {
    weighted.weights.push_back(static_cast<float>(row % 7) / 3.0F);
  }
  tables.push_back(weighted);
  for (auto const& table : tables) {
    SCOPED_TRACE(table.name);
    Rows all(table.NumRows());
    std::iota(all.begin(), all.end(), 0);
    auto batches = BatchesOf(table, all, table.NumRows());
    auto const whole = MakeBinnedMatrix({}, &batches, OptionsOf(table));
    for (auto const& partition : MakePartitions(table.NumRows(), 3, 5)) {
      OnRanks(partition, [&](Context const& ctx, Rows const& rows) {
        auto mine = BatchesOf(table, rows, 100 + 150 * ctx.collective->Rank());
        auto options = OptionsOf(table);
        options.kept_bytes = 1 << (12 + ctx.collective->Rank());  // the ranks keep different numbers of columns
        auto const data = MakeBinnedMatrix(ctx, &mine, options);
        auto const& bins = BinsOf(*data)->Layout();
        // Entries of sparse rows that arrived in batches have no bundles, also in one process.
        if (bins.IsDense()) ExpectRowsOf(BinsOf(*whole)->Layout(), rows, bins);
        EXPECT_EQ(bins.Cuts().values, BinsOf(*whole)->Layout().Cuts().values);
        EXPECT_EQ(data->Info().weights, PickRows(table.weights, 1, rows));
        ExpectOneLayout(ctx, bins);
        auto in_file = options;
        in_file.in_file = true;
        in_file.kept_bytes *= 8;  // each pass reads a file's rows again
        EXPECT_EQ(BinsOf(*MakeBinnedMatrix(ctx, &mine, in_file))->Cuts().values, bins.Cuts().values);
        auto again = BatchesOf(table, rows, 333);
        BinStoreOptions like;
        like.like = data.get();
        EXPECT_EQ(BinsOf(*MakeBinnedMatrix(ctx, &again, like))->Layout().LayoutDigest(), bins.LayoutDigest());
      });
    }
  }
}

TEST(GroupBins, AreKeptWhileEveryRankBringsTheSame) {
  auto const table = MakeTables()[0];
  auto const partition = MakePartitions(table.NumRows(), 3, 1)[0];
  OnRanks(partition, [&](Context const& ctx, Rows const& rows) {
    auto const data = MakeData(table, rows);
    auto const other = MakeData(table, rows);
    BinOptions const options;
    auto const derive = [&](DataMatrix const& matrix) {
      return DeriveBins(ctx, matrix, BinsKey(matrix.Info(), options, CutWeights(ctx, matrix.Info())), options);
    };
    auto const first = derive(*data);
    EXPECT_EQ(derive(*data), first);
    auto const alone = DeriveBins({}, *data, BinsKey(data->Info(), options, {}), options);
    EXPECT_NE(alone, first);
    EXPECT_EQ(alone->Cuts().values, MakeQuantileCuts({}, *data, 256).values);
    auto const is_last = ctx.collective->Rank() == 2;
    auto const mixed = derive(is_last ? *other : *data);  // one rank uses another matrix
    EXPECT_NE(mixed, first);
    EXPECT_EQ(mixed->LayoutDigest(), first->LayoutDigest());
    if (is_last) data->MutableInfo()->weights.assign(rows.size(), 2.0F);
    if (!is_last) data->MutableInfo()->weights.assign(rows.size(), 1.0F);
    EXPECT_NE(derive(*data)->LayoutDigest(), first->LayoutDigest());
  });
}

TEST(GroupBins, GrowStaleOnAllRanksAtOnce) {
  auto table = MakeTables()[0];
  table.weights.assign(table.NumRows(), 1.0F);
  OnRanks(MakePartitions(table.NumRows(), 2, 1)[0], [&](Context const& ctx, Rows const& rows) {
    auto const data = MakeData(table, rows);
    BinsOfTraining bins{BinOptions()};
    auto const first = bins.Make(ctx, *data);
    EXPECT_FALSE(bins.IsStale(ctx, *data));
    if (ctx.collective->Rank() == 1) data->MutableInfo()->labels.assign(rows.size(), 0.5F);
    EXPECT_FALSE(bins.IsStale(ctx, *data));
    if (ctx.collective->Rank() == 1) data->MutableInfo()->weights[3] = 100.0F;
    EXPECT_TRUE(bins.IsStale(ctx, *data));
    EXPECT_NE(bins.Make(ctx, *data)->LayoutDigest(), first->LayoutDigest());
    EXPECT_FALSE(bins.IsStale(ctx, *data));
  });
}

TEST(GroupBins, MustBeMadeTogether) {
  auto const table = MakeTables()[0];
  auto const partition = MakePartitions(table.NumRows(), 2, 1)[0];
  auto const store_of = [&](Context const& ctx, int rank) {
    auto batches = BatchesOf(table, partition[rank], 200);
    return MakeBinnedMatrix(ctx, &batches, OptionsOf(table));
  };
  auto const alone = ErrorsOnRanks(
      2, [&](Context const& ctx) { BinsOfTraining({}).Make(ctx, *store_of({}, ctx.collective->Rank())); });
  for (auto const& error : alone)
    ExpectParts(error, {"differ from the bins of other ranks", "KauriQuantileDMatrixCreate"});
  auto const together = ErrorsOnRanks(2, [&](Context const& ctx) {
    auto const data = store_of(ctx, ctx.collective->Rank());
    EXPECT_EQ(BinsOfTraining({}).Make(ctx, *data), BinsOf(*data)->InMemory());
  });
  EXPECT_EQ(together, std::vector<std::string>(2));
  auto const mixed = ErrorsOnRanks(2, [&](Context const& ctx) {
    auto const rank = ctx.collective->Rank();
    BinsOfTraining({}).Make(ctx, rank == 0 ? *MakeData(table, partition[0]) : *store_of({}, 1));
  });
  for (auto const& error : mixed) ExpectParts(error, {"how rows are kept", "values", "bins"});
}

/// One of two ranks; the other rank's part of every answer is noise.
class NoisyCollective : public Collective {
 public:
  explicit NoisyCollective(std::uint64_t seed) : random_(seed), calls_before_(random_.Below(30)) {}
  int Rank() const override { return 0; }
  int Size() const override { return 2; }
  void Sum(Span<std::int64_t> values) override {
    auto const kind = Kind();
    for (auto& value : values) value = static_cast<std::int64_t>(Noise(kind, static_cast<std::uint64_t>(value)));
  }
  void Max(Span<std::uint64_t> values) override {
    auto const kind = Kind();
    for (auto& value : values) value = Noise(kind, value);
  }
  std::vector<std::vector<std::byte>> Gather(Span<std::byte const> mine) override {
    std::vector<std::byte> theirs(mine.begin(), mine.end());
    auto const kind = Kind();
    if (kind == 1) theirs.resize(random_.Below(64) * 4);
    for (auto& byte : theirs) {
      if (kind != 0 && random_.Below(4) == 0) byte = static_cast<std::byte>(random_.Below(256));
    }
    return {{mine.begin(), mine.end()}, theirs};
  }
  void Abort(std::string const&) noexcept override {}

 private:
  /// Returns the kind of noise; 0 is the contribution of a rank without rows.
  std::uint32_t Kind() { return calls_before_-- > 0 ? 0 : random_.Below(4); }
  std::uint64_t Noise(std::uint32_t kind, std::uint64_t value) {
    auto const bits = static_cast<std::uint64_t>(random_.Uniform() * 0x1p63) * 2;
    if (kind == 1) return bits;
    if (kind == 2) return random_.Below(3) == 0 ? value + random_.Below(300) : value;
    if (kind == 3) return random_.Below(9) == 0 ? bits : value;
    return value;
  }

  testing::Random random_;
  int calls_before_;
};

TEST(GroupBins, NoiseOnTheWireIsAnErrorOrOtherBins) {
  int n_errors = 0;
  auto const tables = MakeTables();
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    auto const& table = tables[seed % tables.size()];
    Rows rows(60 + seed % 100);
    std::iota(rows.begin(), rows.end(), 0);
    NoisyCollective noise(seed);
    Context ctx;
    ctx.collective = &noise;
    try {
      auto const data = MakeData(table, rows);
      for (auto const row : rows) data->MutableInfo()->weights.push_back(static_cast<float>(row % 5));
      auto const weights = CutWeights(ctx, data->Info());
      BinMatrix const bins(ctx, *data, MakeQuantileCuts(ctx, *data, 16, {nullptr, weights}));
      std::vector<FixedSum> cells(bins.NumCells());
      bins.FillMostFrequent(0, static_cast<std::uint32_t>(table.n_cols), {}, cells.data());
      auto batches = BatchesOf(table, rows, 50);
      MakeBinnedMatrix(ctx, &batches, {});
    } catch (Error const&) {
      ++n_errors;
    }
  }
  EXPECT_GT(n_errors, 300);
}

TEST(GroupBins, RefuseOptionsThatDiffer) {
  auto const table = MakeTables()[0];
  auto const partition = MakePartitions(table.NumRows(), 2, 1)[0];
  auto const make = [&](auto&& change) {
    return ErrorsOnRanks(2, [&](Context const& ctx) {
      auto batches = BatchesOf(table, partition[ctx.collective->Rank()], 200);
      auto options = OptionsOf(table);
      change(ctx.collective->Rank(), &options);
      MakeBinnedMatrix(ctx, &batches, options);
    });
  };
  auto const places = make([](int rank, BinStoreOptions* options) { options->in_file = rank == 1; });
  for (auto const& error : places) ExpectParts(error, {"bins in memory", "bins in a file"});
  auto const bins = make([](int rank, BinStoreOptions* options) { options->max_bin = 16 + rank; });
  for (auto const& error : bins) ExpectParts(error, {"max_bin=16, ref=none", "max_bin=17, ref=none"});
}

}  // namespace
}  // namespace kauri
