#include "data/sketch/group_cuts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/ranks_data.h"
#include "data/sketch/counted_column.h"
#include "data/sketch/quantile_sketch.h"
#include "support/error.h"

namespace kauri {
namespace {

using testing::CountingCollective;
using testing::ErrorsOnRanks;
using testing::MakeMatrix;
using testing::MakePartitions;
using testing::OnRanks;
using testing::Partition;
using testing::PickRows;
using testing::Random;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Returns a value of a column; each kind of column has its own distribution.
float Draw(std::size_t kind, Random* random) {
  auto const uniform = static_cast<float>(random->Uniform());
  switch (kind % 9) {
    case 0:
      return random->Normal();
    case 1:
      return static_cast<float>(random->Below(3));  // few values
    case 2:
      return uniform < 0.6F ? 0.0F : random->Normal();  // one heavy value
    case 3:
      return std::floor(std::exp(7.0F * uniform));  // many heavy values and a tail
    case 4:
      return uniform < 0.3F ? kNan : static_cast<float>(random->Below(400)) - 200.0F;
    case 5:
      return std::ldexp(uniform - 0.5F, static_cast<int>(random->Below(250)) - 125);  // all magnitudes
    case 6:
      return kNan;
    case 7:
      return 7.5F;
    default:
      return uniform < 0.5F ? -0.0F : 1.0F + 1e-6F * static_cast<float>(random->Below(9));  // adjacent values
  }
}

std::vector<float> MakeTable(std::int64_t n_rows, std::int64_t n_cols, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values;
  for (std::int64_t row = 0; row < n_rows; ++row) {
    for (std::int64_t col = 0; col < n_cols; ++col)
      values.push_back(Draw(static_cast<std::size_t>(col) + seed, &random));
  }
  return values;
}

enum class Weights { kNone, kWhole, kReal, kHuge };

std::vector<float> MakeWeights(std::int64_t n_rows, Weights kind, std::uint64_t seed) {
  Random random(seed + 1000);
  std::vector<float> weights;
  for (std::int64_t row = 0; row < n_rows && kind != Weights::kNone; ++row) {
    auto const uniform = static_cast<float>(random.Uniform());
    auto const huge = std::ldexp(uniform, static_cast<int>(random.Below(250)) - 125);
    weights.push_back(kind == Weights::kWhole ? static_cast<float>(random.Below(4))
                                              : (kind == Weights::kReal ? uniform : huge));
  }
  return weights;
}

void ExpectSameCuts(QuantileCuts const& actual, QuantileCuts const& expected) {
  EXPECT_EQ(actual.values, expected.values);
  EXPECT_EQ(actual.feature_begin, expected.feature_begin);
  EXPECT_EQ(actual.min_values, expected.min_values);
  EXPECT_EQ(actual.categories, expected.categories);
}

struct Table {
  std::int64_t n_cols = 1;
  std::vector<float> values;
  std::vector<float> weights = {};
  bool sparse = false;
};

void CheckCuts(Table const& table, int max_bin, Partition const& partition, QuantileCuts const& expected) {
  OnRanks(partition, [&](Context const& ctx, std::vector<std::int64_t> const& rows) {
    auto const data = MakeMatrix(PickRows(table.values, table.n_cols, rows), table.n_cols, table.sparse);
    auto const weights = PickRows(table.weights, 1, rows);
    ExpectSameCuts(MakeQuantileCuts(ctx, *data, max_bin, {nullptr, weights}), expected);
  });
}

TEST(GroupCuts, AreThoseOfOneProcess) {
  std::size_t n_checked = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    auto const n_rows = std::int64_t{700} + 900 * static_cast<std::int64_t>(seed);
    for (auto const kind : {Weights::kNone, Weights::kWhole, Weights::kReal, Weights::kHuge}) {
      Table const table{9, MakeTable(n_rows, 9, seed), MakeWeights(n_rows, kind, seed), seed % 2 == 1};
      auto const data = MakeMatrix(table.values, table.n_cols, table.sparse);
      for (int const max_bin : {2, 3, 16, 255, 256, 1024}) {
        auto const expected = MakeQuantileCuts({}, *data, max_bin, {nullptr, table.weights});
        auto const n_ranks = std::vector<int>{1, 2, 3, 5, 8}[n_checked % 5];
        CheckCuts(table, max_bin, MakePartitions(n_rows, n_ranks, seed)[n_checked / 5 % 5], expected);
        ++n_checked;
      }
    }
  }
}

TEST(GroupCuts, OfEveryPartition) {
  for (std::int64_t const n_cols : {1, 7, 40}) {
    Table const table{n_cols, MakeTable(1500, n_cols, 5), {}, false};
    auto const expected = MakeQuantileCuts({}, *MakeMatrix(table.values, n_cols, false), 64);
    for (int const n_ranks : {1, 2, 3, 5, 8}) {
      for (auto const& partition : MakePartitions(1500, n_ranks, 9)) CheckCuts(table, 64, partition, expected);
    }
  }
}

TEST(GroupCuts, OfFewRowsAndOfNone) {
  for (std::int64_t const n_rows : {0, 1, 2, 9}) {
    Table const table{9, MakeTable(n_rows, 9, 3), {}, false};
    auto const expected = MakeQuantileCuts({}, *MakeMatrix(table.values, 9, false), 256);
    for (auto const& partition : MakePartitions(n_rows, 3, 1)) CheckCuts(table, 256, partition, expected);
  }
}

TEST(GroupCuts, OfManyRows) {  // ranks are selected without sorting all keys
  for (auto const kind : {Weights::kNone, Weights::kReal}) {
    Table const table{6, MakeTable(280000, 6, 0), MakeWeights(280000, kind, 1), false};
    auto const data = MakeMatrix(table.values, 6, false);
    for (int const max_bin : {40, 256}) {
      auto const expected = MakeQuantileCuts({}, *data, max_bin, {nullptr, table.weights});
      CheckCuts(table, max_bin, MakePartitions(280000, 2, 2)[0], expected);
    }
  }
}

TEST(CountedColumn, WeighsAnyPartsOfKeys) {
  Random random(4);
  std::vector<float> values;
  std::vector<float> weights;
  for (int i = 0; i < 140000; ++i) {
    values.push_back(Draw(i % 5 == 0 ? 4 : 0, &random));
    weights.push_back(static_cast<float>(random.Below(5)));
  }
  WeightUnit const unit(4.0F, 140000);
  for (std::size_t const n : {std::size_t{0}, std::size_t{1}, std::size_t{5000}, values.size()}) {
    for (bool const weighted : {false, true}) {
      ColumnPart const part{{values.data(), n}, weighted ? Span<float const>(weights.data(), n) : Span<float const>()};
      CountedColumn column(part, weighted ? std::optional<WeightUnit>(unit) : std::nullopt);
      for (int i = 0; i < 60; ++i) {
        auto const shift = 5U * random.Below(6);
        auto const first = (ToKey(values[random.Below(140000)]) >> (shift + 5U)) << (shift + 5U);
        KeyParts const parts{std::isnan(FromKey(first)) ? 0U : first, shift, 32};
        std::vector<std::int64_t> expected(32);
        for (std::size_t at = 0; at < n; ++at) {
          auto const offset = (ToKey(values[at]) - parts.first) >> shift;
          if (std::isnan(values[at]) || ToKey(values[at]) < parts.first || offset >= 32) continue;
          expected[offset] += weighted ? unit.Of(weights[at]) : 1;
        }
        std::vector<std::int64_t> actual(32, -1);
        column.Prepare({parts});
        column.Weigh(parts, actual.data());
        ASSERT_EQ(actual, expected) << n << " " << shift;
      }
    }
  }
}

TEST(GroupCuts, CategoriesAreThoseOfAllRanks) {
  Random random(8);
  std::vector<float> values;
  for (int row = 0; row < 600; ++row) {
    values.push_back(static_cast<float>(random.Below(40)));
    values.push_back(random.Normal());
    values.push_back(row == 17 ? 70000.0F : static_cast<float>(random.Below(2)));
  }
  auto const typed = [](std::vector<float> const& rows) {
    auto data = MakeMatrix(rows, 3, false);
    data->MutableInfo()->feature_types = {"c", "q", "c"};
    return data;
  };
  auto const expected = MakeQuantileCuts({}, *typed(values), 16);
  for (auto const& partition : MakePartitions(600, 5, 4)) {
    OnRanks(partition, [&](Context const& ctx, std::vector<std::int64_t> const& rows) {
      ExpectSameCuts(MakeQuantileCuts(ctx, *typed(PickRows(values, 3, rows)), 16), expected);
    });
  }
}

TEST(GroupCuts, TellWhatTheySendOfContinuousColumns) {
  Random random(1);
  std::vector<float> values(20000 * 28);
  for (auto& value : values) value = random.Normal();
  auto const partition = MakePartitions(20000, 2, 1)[0];
  std::vector<std::size_t> bytes(2);
  std::vector<std::size_t> calls(2);
  OnRanks(partition, [&](Context const& ctx, std::vector<std::int64_t> const& rows) {
    CountingCollective counting(ctx.collective);
    auto counted = ctx;
    counted.collective = &counting;
    MakeQuantileCuts(counted, *MakeMatrix(PickRows(values, 28, rows), 28, false), 256);
    bytes[ctx.collective->Rank()] = counting.NumBytes();
    calls[ctx.collective->Rank()] = counting.NumCalls();
  });
  EXPECT_EQ(bytes[0], bytes[1]);
  RecordProperty("bytes", static_cast<int>(bytes[0]));
  RecordProperty("calls", static_cast<int>(calls[0]));
  EXPECT_GT(bytes[0], 6600000U);
  EXPECT_LT(bytes[0], 7500000U);
  EXPECT_LT(calls[0], 20U);
}

TEST(GroupCuts, RefuseColumnsThatDiffer) {
  auto const errors = ErrorsOnRanks(2, [&](Context const& ctx) {
    auto const wide = MakeMatrix({1, 2, 3, 4}, 1 + ctx.collective->Rank(), false);
    MakeQuantileCuts(ctx, *wide, 16);
  });
  for (auto const& error : errors) ExpectParts(error, {"number of columns", "rank 0 has 1, rank 1 has 2"});
}

}  // namespace
}  // namespace kauri
