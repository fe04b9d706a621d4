/// The sketches of the research room as a user chooses them, by name.
#include "research/sketch/sketches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/bins/derived_bins.h"
#include "data/ranks_data.h"
#include "data/sketch/quantile_sketch.h"
#include "data/sketch/sketched_cuts.h"
#include "data/summary/column_summary.h"
#include "data/summary/sketched_summary.h"
#include "kauri/parameter.h"
#include "support/error.h"
#include "support/random_matrix.h"

namespace kauri {
namespace {

using testing::MakeMatrix;
using testing::Random;

SketchChoice Sketch(std::string const& name, ParamMap params = {}) {
  params["sketch"] = name;
  GetRegistries();
  return SketchOf(ParseParameters<TreeParam>(params));
}

TEST(SketchedCuts, StorageAndThreadsDoNotMatter) {
  for (auto const* const name : {"moments", "kll"}) testing::CheckStorageAndThreads(Sketch(name));
}

TEST(SketchedCuts, FewDistinctValuesEqualTheExactCuts) {
  for (auto const* const name : {"moments", "kll"}) testing::CheckFewDistinctValues(Sketch(name));
}

TEST(SketchedCuts, MomentsGiveCutsThatAreValuesAndNoEmptyBins) {
  Random random(4);
  std::vector<float> column;
  for (int i = 0; i < 20000; ++i) column.push_back(static_cast<float>(random.Below(400)) * random.Normal());
  auto const cuts = MakeQuantileCuts(Context{}, *MakeMatrix(column, 1, false), 64, {Sketch("moments"), {}});
  EXPECT_GT(cuts.NumBins(0), 40U);
  std::vector<int> counts(cuts.NumBins(0));
  for (auto const value : column) ++counts[FindBin(cuts.Of(0), cuts.NumBins(0), value)];
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 0), 0);
  for (std::uint32_t bin = 0; bin + 1 < cuts.NumBins(0); ++bin) {
    EXPECT_NE(std::find(column.begin(), column.end(), cuts.values[bin]), column.end());
  }
}

TEST(SketchedCuts, CosinesTakeTheRangeInAPassBefore) {
  Random random(1);
  std::vector<float> values;
  for (int i = 0; i < 9000; ++i) values.push_back(1000.0F + static_cast<float>(std::sqrt(random.Uniform())));
  auto const options = Sketch("moments", {{"sketch_density", "cosine"}});
  auto const cuts = MakeQuantileCuts(Context{}, *MakeMatrix(values, 1, false), 16, {options, {}});
  ASSERT_EQ(cuts.NumBins(0), 16U);
  for (std::uint32_t bin = 0; bin + 1 < 16; ++bin) {
    auto const below =
        std::count_if(values.begin(), values.end(), [&](float value) { return value < cuts.values[bin]; });
    EXPECT_NEAR(static_cast<double>(below) / 9000.0, (bin + 1.0) / 16.0, 0.02) << bin;
  }
}

TEST(Sketches, TellSketchesApart) {
  EXPECT_EQ(KeyOf(Sketch("moments")), KeyOf(Sketch("moments", {{"sketch_size", "99"}})));
  EXPECT_NE(KeyOf(Sketch("moments")), KeyOf(Sketch("moments", {{"sketch_order", "12"}})));
  EXPECT_NE(KeyOf(Sketch("moments", {{"sketch_order", "12"}})),
            KeyOf(Sketch("moments", {{"sketch_order", "12"}, {"sketch_density", "legendre"}})));
  EXPECT_NE(KeyOf(Sketch("kll")), KeyOf(Sketch("kll", {{"sketch_size", "99"}})));
  EXPECT_EQ(KeyOf(Sketch("gk", {{"sketch_size", "99"}})), "gk");
  EXPECT_EQ(KeyOf(Sketch("exact", {{"sketch_size", "99"}})), "exact");
}

TEST(ColumnSummary, BatchesThreadsAndStorageDoNotMatter) {
  for (auto const* const name : {"moments", "kll"}) testing::CheckBatchesThreadsAndStorage(Sketch(name));
}

TEST(ColumnSummary, SketchesAreNearAndSayHowFar) {
  testing::CheckQuantilesAndBound(Sketch("kll"));
  testing::CheckQuantilesAndBound(Sketch("moments"), 0.005);
}

TEST(ColumnSummary, RefusesCosines) {
  try {
    ColumnSummaries summaries({{}, Sketch("moments", {{"sketch_density", "cosine"}})});
    FAIL();
  } catch (Error const& error) {
    EXPECT_NE(std::string(error.what()).find("sketch_density=cosine"), std::string::npos);
  }
}

}  // namespace
}  // namespace kauri
