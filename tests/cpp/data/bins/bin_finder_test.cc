#include "data/bins/bin_finder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/sketch/quantile_sketch.h"
#include "support/random_matrix.h"

namespace kauri {
namespace {

using testing::Random;

constexpr auto kInfinity = std::numeric_limits<float>::infinity();
constexpr auto kLargest = std::numeric_limits<float>::max();

/// Returns ascending cuts of a given shape; the last lies beyond the values.
std::vector<float> MakeCutsOfShape(int shape, std::size_t n_bins) {
  Random random(static_cast<std::uint64_t>(shape) + 1);
  std::vector<float> cuts;
  while (cuts.size() + 1 < n_bins) {
    auto const normal = random.Normal();
    cuts.push_back(shape == 0   ? normal
                   : shape == 1 ? std::exp(20.0F * normal)
                   : shape == 2 ? 1000.0F + normal
                   : shape == 3 ? normal * 1e-40F
                                : (random.Uniform() < 0.5 ? normal : normal * 1e30F));
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  }
  if (shape == 4 && n_bins > 3) {
    cuts.front() = -kLargest;
    cuts.back() = kLargest;
  }
  cuts.push_back(kInfinity);
  return cuts;
}

/// Returns the cuts, their neighbours, zeros and extremes.
std::vector<float> ValuesAround(std::vector<float> const& cuts) {
  std::vector<float> values{0.0F, -0.0F, kLargest, -kLargest, kInfinity, -kInfinity, 1e-45F, -1e-45F};
  for (auto const cut : cuts) {
    values.insert(values.end(), {cut, std::nextafter(cut, -kInfinity), std::nextafter(cut, kInfinity), cut * 0.9F});
  }
  return values;
}

TEST(BinFinder, FindsWhatTheSearchFinds) {
  for (int shape = 0; shape < 5; ++shape) {
    for (std::size_t const n_bins : {1U, 2U, 3U, 37U, 256U, 1000U}) {
      auto const cuts = MakeCutsOfShape(shape, n_bins);
      auto const values = ValuesAround(cuts);
      for (std::uint32_t const most_slots : {2U, 64U, 1U << 14U}) {
        BinFinder const finder(cuts.data(), static_cast<std::uint32_t>(n_bins), most_slots);
        std::vector<std::uint32_t> bins(BinFinder::kBlock);
        for (std::size_t begin = 0; begin < values.size(); begin += BinFinder::kBlock) {
          auto const n = std::min(BinFinder::kBlock, values.size() - begin);
          finder.Find(values.data() + begin, n, bins.data());
          for (std::size_t i = 0; i < n; ++i) {
            auto const value = values[begin + i];
            ASSERT_EQ(bins[i], FindBin(cuts, static_cast<std::uint32_t>(n_bins), value))
                << shape << " " << n_bins << " " << most_slots << " " << value;
          }
        }
      }
    }
  }
}

TEST(BinFinder, MissingValuesGetABinOfTheFeature) {
  auto const cuts = MakeCutsOfShape(0, 10);
  BinFinder const finder(cuts.data(), 10, 64);
  auto const nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> const values{nan, -nan};
  std::vector<std::uint32_t> bins(2);
  finder.Find(values.data(), 2, bins.data());
  EXPECT_LT(bins[0], 10U);
  EXPECT_LT(bins[1], 10U);
}

}  // namespace
}  // namespace kauri
