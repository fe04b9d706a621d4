/// Sketches of rows that are spread over ranks: moments and cosines give the same cuts for any partition; gk and kll
/// stay within the error that they state, compared with exact ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "data/ranks_data.h"
#include "data/sketch/gk_sketch.h"
#include "data/sketch/quantile_sketch.h"
#include "kauri/registry.h"
#include "kauri/tree_param.h"
#include "research/sketch/kll_sketch.h"
#include "research/sketch/sketches.h"
#include "support/error.h"

namespace kauri {
namespace {

using testing::CutAt;
using testing::MakeMatrix;
using testing::MakePartitions;
using testing::OnRanks;
using testing::Partition;
using testing::PickRows;
using testing::Random;

constexpr std::int64_t kCols = 6;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Columns: normal; far from zero; few values; missing values among a tail; a constant; nothing.
std::vector<float> MakeTable(std::int64_t n_rows) {
  Random random(7);
  std::vector<float> values;
  for (std::int64_t row = 0; row < n_rows; ++row) {
    auto const normal = random.Normal();
    values.push_back(normal);
    values.push_back(1000.0F + random.Normal());
    values.push_back(static_cast<float>(random.Below(40)) - 20.0F);
    values.push_back(row % 3 == 0 ? kNan : std::exp(0.5F * random.Normal()));
    values.push_back(2.5F);
    values.push_back(kNan);
  }
  return values;
}

std::vector<float> MakeWeights(std::int64_t n_rows) {
  Random random(8);
  std::vector<float> weights;
  for (std::int64_t row = 0; row < n_rows; ++row) {
    weights.push_back(row % 11 == 0 ? 0.0F : static_cast<float>(random.Uniform()) * 3.0F);
  }
  return weights;
}

SketchChoice MethodOf(std::string const& name, TreeParam::Density density = TreeParam::kMaxEntropy) {
  Registry<SketchFactory> registry("sketch");
  RegisterResearchSketches(&registry);
  if (name == "gk") return std::make_shared<GkMethod>();
  TreeParam param;
  param.sketch_order = 8;
  param.sketch_density = density;
  param.sketch_size = 0;
  return registry.Find(name).make(param);
}

QuantileCuts CutsOf(Context const& ctx, SketchChoice const& method, std::vector<float> const& table,
                    std::vector<float> const& weights, std::vector<std::int64_t> const& rows) {
  auto const data = MakeMatrix(PickRows(table, kCols, rows), kCols, rows.size() % 2 == 1);
  return MakeQuantileCuts(ctx, *data, 32, {method, PickRows(weights, 1, rows)});
}

/// Returns the cuts on which all ranks agree.
QuantileCuts CutsOfGroup(SketchChoice const& method, std::vector<float> const& table, std::vector<float> const& weights,
                         Partition const& partition) {
  std::vector<QuantileCuts> of_rank(partition.size());
  OnRanks(partition, [&](Context const& ctx, std::vector<std::int64_t> const& rows) {
    of_rank[static_cast<std::size_t>(ctx.collective->Rank())] = CutsOf(ctx, method, table, weights, rows);
  });
  for (auto const& cuts : of_rank) {
    EXPECT_EQ(cuts.values, of_rank[0].values);
    EXPECT_EQ(cuts.feature_begin, of_rank[0].feature_begin);
    EXPECT_EQ(cuts.first_values, of_rank[0].first_values);
  }
  return of_rank[0];
}

TEST(GroupSketches, SumsGiveTheSameCutsForAnyPartition) {
  constexpr std::int64_t kRows = 3001;
  auto const table = MakeTable(kRows);
  for (auto const density : {TreeParam::kMaxEntropy, TreeParam::kLegendre, TreeParam::kCosine}) {
    auto const method = MethodOf("moments", density);
    for (auto const& weights : {std::vector<float>{}, MakeWeights(kRows)}) {
      auto const expected = CutsOfGroup(method, table, weights, MakePartitions(kRows, 2, 1)[0]);
      for (int const n_ranks : {2, 3}) {
        for (auto const& partition : MakePartitions(kRows, n_ranks, 5)) {
          auto const cuts = CutsOfGroup(method, table, weights, partition);
          EXPECT_EQ(cuts.values, expected.values);
          EXPECT_EQ(cuts.feature_begin, expected.feature_begin);
        }
      }
    }
  }
}

/// Returns the share of the values of a column, by weight, that are below a value.
double ShareBelow(std::vector<float> const& table, std::vector<float> const& weights, std::size_t column, float value) {
  double below = 0.0;
  double total = 0.0;
  for (std::size_t row = 0; row * kCols < table.size(); ++row) {
    auto const found = table[row * kCols + column];
    auto const weight = weights.empty() ? 1.0 : static_cast<double>(weights[row]);
    if (std::isnan(found)) continue;
    total += weight;
    below += found < value ? weight : 0.0;
  }
  return below / total;
}

TEST(GroupSketches, SumsOfAGroupAreAsGoodAsThoseOfOneProcess) {
  constexpr std::int64_t kRows = 6000;
  auto const table = MakeTable(kRows);
  std::vector<std::int64_t> all(kRows);
  for (std::int64_t row = 0; row < kRows; ++row) all[static_cast<std::size_t>(row)] = row;
  for (auto const& weights : {std::vector<float>{}, MakeWeights(kRows)}) {
    auto const method = MethodOf("moments");
    auto const one = CutsOf(Context(), method, table, weights, all);
    auto const group = CutsOfGroup(method, table, weights, MakePartitions(kRows, 3, 2)[1]);
    EXPECT_EQ(group.feature_begin, one.feature_begin);
    for (std::size_t column : {0U, 1U, 2U, 3U}) {
      auto const begin = static_cast<std::size_t>(one.feature_begin[column]);
      auto const end = static_cast<std::size_t>(one.feature_begin[column + 1]);
      for (auto at = begin; at + 1 < end && at < group.values.size(); ++at) {
        EXPECT_NEAR(ShareBelow(table, weights, column, group.values[at]),
                    ShareBelow(table, weights, column, one.values[at]), 2e-3);
      }
    }
  }
}

/// Merges sketches of the parts of a column as a group does. Returns the largest error of a rank between values.
template <typename Sketch>
double MergedError(std::vector<float> const& values, std::vector<float> const& weights, Partition const& partition,
                   Sketch merged, std::vector<Sketch> parts, double* bound) {
  for (std::size_t rank = 0; rank < partition.size(); ++rank) {
    parts[rank].Add(PickRows(values, 1, partition[rank]), PickRows(weights, 1, partition[rank]));
    Parcel sent;
    parts[rank].Send(&sent);
    OpenParcel received(sent.Bytes());
    merged.MergeSent(&received);
  }
  *bound = merged.QuantileErrorBound();  // a rank is read off at the next value that the sketch keeps
  auto const ranks = merged.Ranks();
  auto const exact = RanksOf(ExactSummary(values, weights));
  double largest = std::fabs(ranks.below.back() / exact.below.back() - 1.0);  // the weight of all values is kept
  for (std::size_t i = 0; i < exact.values.size(); ++i) {
    auto const at = std::lower_bound(ranks.values.begin(), ranks.values.end(), exact.values[i]) - ranks.values.begin();
    auto const stated = ranks.below[static_cast<std::size_t>(at)] / ranks.below.back();
    largest = std::max(largest, std::fabs(stated - exact.below[i] / exact.below.back()));
  }
  return largest;
}

TEST(GroupSketches, GkStaysWithinTheErrorThatItStates) {
  constexpr std::int64_t kRows = 30011;
  Random random(3);
  std::vector<float> values;
  for (std::int64_t row = 0; row < kRows; ++row) {
    values.push_back(row % 4 == 0 ? std::floor(3.0F * random.Normal()) : random.Normal());
  }
  for (auto const& weights : {std::vector<float>{}, MakeWeights(kRows)}) {
    for (int const n_ranks : {1, 2, 3, 7}) {
      for (auto const& partition : MakePartitions(kRows, n_ranks, 4)) {
        constexpr std::size_t kCapacity = 128;
        double bound = 0.0;
        auto const error = MergedError(values, weights, partition, GkSketch(kCapacity),
                                       std::vector<GkSketch>(partition.size(), GkSketch(kCapacity)), &bound);
        EXPECT_LE(error, bound + 1e-9);
        EXPECT_LT(bound, 0.05);
      }
    }
  }
}

TEST(GroupSketches, KllStaysWithinTheErrorThatItStates) {
  constexpr std::int64_t kRows = 30011;
  Random random(4);
  std::vector<float> values;
  for (std::int64_t row = 0; row < kRows; ++row) values.push_back(random.Normal());
  int n_beyond = 0;
  for (int const n_ranks : {1, 2, 3, 7}) {
    for (auto const& partition : MakePartitions(kRows, n_ranks, 4)) {
      constexpr std::size_t kSize = 200;
      std::vector<KllSketch> parts;
      for (std::uint64_t rank = 0; rank < partition.size(); ++rank) parts.emplace_back(kSize, rank);
      double bound = 0.0;
      auto const error = MergedError(values, {}, partition, KllSketch(kSize, partition.size()), parts, &bound);
      n_beyond += error > 1.5 * bound ? 1 : 0;  // the bound holds for 99 of 100 ranks, this is the largest error of all
      EXPECT_LT(bound, 0.05);
    }
  }
  EXPECT_EQ(n_beyond, 0);
}

/// Ranks with the same rows must not make the same errors, which would add up.
TEST(GroupSketches, StreamsOfRanksDiffer) {
  auto const method = MethodOf("kll");
  std::vector<float> values;
  Random random(5);
  for (int i = 0; i < 60000; ++i) values.push_back(random.Normal());
  auto const first = method->MakeForStream(16, 0);
  auto const second = method->MakeForStream(16, 1);
  first->Add(values, {});
  second->Add(values, {});
  EXPECT_NE(first->Ranks().values, second->Ranks().values);
  auto const again = method->MakeForStream(16, 0);
  again->Add(values, {});
  EXPECT_EQ(first->Ranks().values, again->Ranks().values);
}

TEST(GroupSketches, CutsOfMergedSketchesAreTheSameOnAllRanksAndCloseToEvenSteps) {
  constexpr std::int64_t kRows = 20000;
  constexpr int kBins = 32;
  auto const table = MakeTable(kRows);
  auto const weights = MakeWeights(kRows);
  for (auto const* name : {"gk", "kll"}) {
    for (auto const& partition : MakePartitions(kRows, 3, 6)) {
      auto const cuts = CutsOfGroup(MethodOf(name), table, weights, partition);
      for (std::size_t column : {0U, 1U}) {
        auto const begin = static_cast<std::size_t>(cuts.feature_begin[column]);
        ASSERT_EQ(cuts.feature_begin[column + 1] - cuts.feature_begin[column], kBins) << name;
        for (std::size_t bin = 0; bin + 1 < kBins; ++bin) {
          auto const even = static_cast<double>(bin + 1) / kBins;
          EXPECT_NEAR(ShareBelow(table, weights, column, cuts.values[begin + bin]), even, 0.02) << name;
        }
      }
      EXPECT_EQ(cuts.feature_begin[5] - cuts.feature_begin[4], 1) << name;  // a constant
    }
  }
}

TEST(GroupSketches, MessagesThatAreNoSketchesAreRefused) {
  Random random(6);
  std::vector<float> values;
  for (int i = 0; i < 2000; ++i) values.push_back(random.Normal());
  auto const expect_refused = [&](ColumnSketch* sketch, ColumnSketch* other) {
    sketch->Add(values, {});
    Parcel sent;
    sketch->Send(&sent);
    auto const bytes = sent.Bytes();
    int n_refused = 0;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
      auto damaged = bytes;
      damaged[at] ^= std::byte{0xFF};
      for (auto const& message :
           {damaged, std::vector<std::byte>(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at))}) {
        try {
          OpenParcel received(message);
          other->MergeSent(&received);
          other->Ranks();
        } catch (Error const& error) {
          EXPECT_EQ(error.Kind(), ErrorKind::kCollective);
          ++n_refused;
        }
      }
    }
    EXPECT_GT(n_refused, static_cast<int>(bytes.size() / 3));  // every cut, and some of the changes
  };
  GkSketch gk(20);
  GkSketch of_gk(20);
  expect_refused(&gk, &of_gk);
  KllSketch kll(20);
  KllSketch of_kll(20, 1);
  expect_refused(&kll, &of_kll);
}

}  // namespace
}  // namespace kauri
