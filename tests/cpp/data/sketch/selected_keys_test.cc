#include "data/sketch/selected_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/sketch/rank_cuts.h"
#include "support/random_matrix.h"

namespace kauri {
namespace {

using testing::Random;

/// Returns the keys of the values that are present.
std::vector<std::uint32_t> KeysOf(std::vector<float> const& values) {
  std::vector<std::uint32_t> keys;
  for (auto const value : values) {
    if (!std::isnan(value)) keys.push_back(ToKey(value));
  }
  return keys;
}

std::vector<float> SortedCuts(std::vector<std::uint32_t> keys, std::uint32_t n_bins) {
  std::sort(keys.begin(), keys.end());
  std::vector<float> cuts;
  EvenCuts(KeyBoundaries(keys), n_bins, &cuts);
  return cuts;
}

/// Returns a column of a given shape; `share` of the rows have one value, and a tenth of that are NaNs of both signs.
std::vector<float> MakeColumn(int shape, double share, std::size_t n_rows) {
  constexpr auto kNaN = std::numeric_limits<float>::quiet_NaN();
  Random random(static_cast<std::uint64_t>(shape) * 100 + 7);
  std::vector<float> values(n_rows);
  for (auto& value : values) {
    auto const normal = random.Normal();
    auto const drawn = shape == 0   ? normal
                       : shape == 1 ? std::exp(6.0F * normal)
                       : shape == 2 ? std::round(normal * 1000.0F)
                                    : static_cast<float>(random.Uniform()) * 1e-38F;
    value = random.Uniform() < share ? 0.25F : drawn;
    if (random.Uniform() < 0.1 * share) value = random.Uniform() < 0.5 ? kNaN : -kNaN;
  }
  return values;
}

TEST(SelectedKeys, CutsAreThoseOfSortedKeys) {
  SelectedKeys selected;
  auto n_complete = 0;
  for (int shape = 0; shape < 4; ++shape) {
    for (double const share : {0.0, 0.001, 0.02, 0.6}) {
      auto const values = MakeColumn(shape, share, 50000);
      auto const keys = KeysOf(values);
      for (std::uint32_t const max_bin : {2U, 37U, 255U, 256U, 1000U}) {
        auto const n_rows = static_cast<std::int64_t>(values.size());
        if (!selected.Select(values, n_rows, max_bin)) continue;
        auto const summary = selected.Summary();
        ASSERT_EQ(summary.n_values, static_cast<std::int64_t>(keys.size()));
        ASSERT_EQ(ToKey(summary.min), *std::min_element(keys.begin(), keys.end()));
        ASSERT_EQ(ToKey(summary.max), *std::max_element(keys.begin(), keys.end()));
        auto const n_bins = NumEvenBins(summary.n_values < n_rows, max_bin);
        std::vector<float> cuts;
        EvenCuts(selected, n_bins, &cuts);
        if (!selected.IsComplete()) continue;
        ++n_complete;
        ASSERT_EQ(cuts, SortedCuts(keys, n_bins)) << shape << " " << share << " " << n_bins;
      }
    }
  }
  EXPECT_GE(n_complete, 30);
}

TEST(SelectedKeys, EvenColumnsAreComplete) {
  SelectedKeys selected;
  ASSERT_TRUE(selected.Select(MakeColumn(0, 0.0, 200000), 200000, 256));
  std::vector<float> cuts;
  EvenCuts(selected, 256, &cuts);
  EXPECT_TRUE(selected.IsComplete());
  EXPECT_EQ(cuts.size(), 255U);
}

TEST(SelectedKeys, FewValuesAreLeftToSorting) {
  SelectedKeys selected;
  EXPECT_FALSE(selected.Select(std::vector<float>{1.0F, 2.0F, 2.0F, 3.0F}, 4, 4));
  EXPECT_FALSE(selected.Select(std::vector<float>(1000, 5.0F), 1000, 2));
}

}  // namespace
}  // namespace kauri
