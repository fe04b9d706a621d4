#include "data/sketch/cut_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "data/ranks_data.h"
#include "data/sketch/quantile_sketch.h"
#include "support/error.h"

namespace kauri {
namespace {

using testing::ErrorsOnRanks;
using testing::MakeMatrix;
using testing::Random;

TEST(WeightUnit, KeepsWholeWeightsAndTotalsBelowTheLimit) {
  constexpr auto kMost = std::numeric_limits<float>::max();
  for (auto const largest : {1e-45F, 1e-30F, 0.1F, 1.0F, 3.0F, 1e7F, kMost}) {
    for (auto const n_rows : {std::int64_t{1}, std::int64_t{1000}, (std::int64_t{1} << 32U) - 1}) {
      WeightUnit const unit(largest, n_rows);
      auto const total = static_cast<long double>(unit.Of(largest)) * static_cast<long double>(n_rows);
      EXPECT_LT(total, 0x1p62L) << largest << " " << n_rows;
      EXPECT_GE(total, 0x1p59L) << largest << " " << n_rows;
      EXPECT_EQ(unit.Of(0.0F), 0);
    }
  }
  WeightUnit const unit(1e6F, 1000000);
  for (int weight = 1; weight < 1000000; weight += 999) {
    EXPECT_EQ(unit.Of(static_cast<float>(weight)), weight * unit.Of(1.0F));
  }
  EXPECT_EQ(unit.Of(1e-9F), 0) << "less than a unit";
}

TEST(CutWeights, DoNotDependOnTheOrderOfRows) {
  Random random(6);
  std::vector<float> values;
  std::vector<float> weights;
  std::vector<std::int64_t> order(5000);
  std::iota(order.begin(), order.end(), 0);
  for (int row = 0; row < 5000; ++row) {
    values.push_back(static_cast<float>(random.Below(700)));
    weights.push_back(static_cast<float>(random.Uniform()));
  }
  auto const cuts = [&] {
    return MakeQuantileCuts({}, *MakeMatrix(testing::PickRows(values, 1, order), 1, false), 300,
                            {nullptr, testing::PickRows(weights, 1, order)})
        .values;
  };
  auto const expected = cuts();
  for (int i = 0; i < 20; ++i) {
    for (std::size_t at = order.size(); at > 1; --at)
      std::swap(order[at - 1], order[random.Below(static_cast<std::uint32_t>(at))]);
    EXPECT_EQ(cuts(), expected);
  }
}

TEST(CutWeights, OfRanksAreAlikeWhereAllAre) {
  auto const run = [](std::vector<std::vector<float>> const& weights, std::vector<std::vector<float>> const& expected) {
    auto const errors = RunRanks(static_cast<int>(weights.size()), [&](Collective* collective) {
      Context ctx;
      ctx.collective = collective;
      MetaInfo info;
      info.weights = weights[collective->Rank()];
      info.n_rows = static_cast<std::int64_t>(info.weights.size());
      EXPECT_EQ(CutWeights(ctx, info), expected[collective->Rank()]);
    });
    for (auto const& error : errors) EXPECT_EQ(error, "");
  };
  run({{2, 2}, {2}, {}}, {{}, {}, {}});
  run({{2, 2}, {3}, {}}, {{2, 2}, {3}, {}});
  run({{0, 0}, {0, 1}}, {{0, 0}, {0, 1}});
  run({{}, {}}, {{}, {}});
}

TEST(CutWeights, AreOfAllRanksOrOfNone) {
  auto const errors = ErrorsOnRanks(2, [](Context const& ctx) {
    std::vector<float> const weights{1.0F, 2.0F};
    FindWeightUnit(ctx, ctx.collective->Rank() == 0 ? Span<float const>(weights) : Span<float const>(), 2, 4);
  });
  EXPECT_EQ(errors[0], "");
  ExpectParts(errors[1], {"the 2 rows of this rank have no weights", "give weights on all ranks"});
}

}  // namespace
}  // namespace kauri
