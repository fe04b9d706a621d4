#include "predictor/lanes/bin_packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "support/random_matrix.h"

namespace kauri {
namespace {

using Sizes = std::vector<std::uint8_t>;

/// Returns mostly short sizes, like paths of shallow trees, or any sizes.
Sizes RandomSizes(std::size_t n, std::uint32_t largest, std::uint64_t seed) {
  testing::Random random(seed);
  Sizes sizes(n);
  for (auto& size : sizes) size = static_cast<std::uint8_t>(1 + random.Below(largest));
  return sizes;
}

/// Packs by the definitions, checking all open bins.
std::int64_t NaiveBins(Sizes sizes, int capacity, bool best) {
  std::sort(sizes.rbegin(), sizes.rend());
  std::vector<int> left;
  for (int const size : sizes) {
    auto chosen = left.end();
    for (auto bin = left.begin(); bin != left.end(); ++bin) {
      if (*bin < size) continue;
      if (chosen == left.end() || (best && *bin < *chosen)) chosen = bin;
    }
    if (chosen == left.end()) chosen = left.insert(left.end(), capacity);
    *chosen -= size;
  }
  return static_cast<std::int64_t>(left.size());
}

/// Returns each item's bin by best fit. Of bins with equal room it takes the one used last.
std::vector<std::int64_t> NaiveBestFit(Sizes const& sizes, int capacity) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  std::vector<int> left;
  std::vector<std::size_t> touched;  // time of the last use
  std::vector<std::int64_t> bins(sizes.size());
  for (std::size_t time = 0; time < order.size(); ++time) {
    auto const size = sizes[order[time]];
    auto best = left.size();
    for (std::size_t bin = 0; bin < left.size(); ++bin) {
      if (left[bin] < size) continue;
      auto const is_first = best == left.size();
      if (is_first || left[bin] < left[best] || (left[bin] == left[best] && touched[bin] > touched[best])) best = bin;
    }
    if (best == left.size()) {
      left.push_back(capacity);
      touched.push_back(0);
    }
    left[best] -= size;
    touched[best] = time;
    bins[order[time]] = static_cast<std::int64_t>(best);
  }
  return bins;
}

std::vector<std::int64_t> BinOfItem(Packing const& packing) {
  std::vector<std::int64_t> bins(packing.items.size());
  for (std::int64_t bin = 0; bin < packing.NumBins(); ++bin) {
    for (auto i = packing.bin_begin[bin]; i < packing.bin_begin[bin + 1]; ++i) bins[packing.items[i]] = bin;
  }
  return bins;
}

/// Checks that every item is in one bin, and that no bin is too full or empty.
void ExpectValid(Packing const& packing, Sizes const& sizes, int capacity) {
  auto items = packing.items;
  ASSERT_EQ(packing.bin_begin.front(), 0);
  ASSERT_EQ(packing.bin_begin.back(), static_cast<std::int64_t>(items.size()));
  std::int64_t used = 0;
  for (std::int64_t bin = 0; bin < packing.NumBins(); ++bin) {
    int total = 0;
    for (auto i = packing.bin_begin[bin]; i < packing.bin_begin[bin + 1]; ++i) total += sizes[items[i]];
    ASSERT_GT(total, 0);
    ASSERT_LE(total, capacity);
    used += total;
  }
  EXPECT_EQ(packing.used, used);
  if (packing.NumBins() > 0) {
    EXPECT_DOUBLE_EQ(packing.Utilisation(),
                     static_cast<double>(used) / static_cast<double>(capacity * packing.NumBins()));
  }
  std::sort(items.begin(), items.end());
  for (std::size_t i = 0; i < items.size(); ++i) ASSERT_EQ(items[i], static_cast<std::int64_t>(i));
}

TEST(BinPacking, EqualsTheNaiveAlgorithms) {
  for (std::uint32_t const largest : {4U, 12U, 32U}) {
    for (std::size_t const n : {1U, 2U, 31U, 32U, 33U, 900U}) {
      auto const sizes = RandomSizes(n, largest, largest * 1000 + n);
      SCOPED_TRACE("largest " + std::to_string(largest) + ", " + std::to_string(n) + " items");
      auto const best = PackBins(sizes, 32, BinPacking::kBestFitDecreasing);
      auto const first = PackBins(sizes, 32, BinPacking::kFirstFitDecreasing);
      auto const next = PackBins(sizes, 32, BinPacking::kNextFit);
      auto const none = PackBins(sizes, 32, BinPacking::kNone);
      for (auto const* packing : {&best, &first, &next, &none}) ExpectValid(*packing, sizes, 32);
      EXPECT_EQ(best.NumBins(), NaiveBins(sizes, 32, true));
      EXPECT_EQ(first.NumBins(), NaiveBins(sizes, 32, false));
      EXPECT_EQ(none.NumBins(), static_cast<std::int64_t>(n));
      EXPECT_LE(best.NumBins(), next.NumBins());
      auto const fewest = (best.used + 31) / 32;
      EXPECT_LE(next.NumBins(), 2 * fewest);
      EXPECT_LE(9 * best.NumBins(), 11 * fewest + 9 * 4) << "11/9 of the fewest and four";
    }
  }
}

/// A row of sizes for which the methods differ: best fit fills the gap of 2 with the 2, first fit the gap of 3.
TEST(BinPacking, ByHand) {
  Sizes const sizes{7, 8, 3, 2};
  auto const items = [&](BinPacking method) { return PackBins(sizes, 10, method); };
  EXPECT_EQ(items(BinPacking::kBestFitDecreasing).items, (std::vector<std::int64_t>{1, 3, 0, 2}));
  EXPECT_EQ(items(BinPacking::kBestFitDecreasing).NumBins(), 2);
  EXPECT_EQ(items(BinPacking::kNextFit).bin_begin, (std::vector<std::int64_t>{0, 1, 2, 4}));
  EXPECT_EQ(items(BinPacking::kNone).NumBins(), 4);
  EXPECT_EQ(PackBins(Sizes{6, 5, 4, 4}, 10, BinPacking::kFirstFitDecreasing).items,
            (std::vector<std::int64_t>{0, 2, 1, 3}));
}

TEST(BinPacking, ByNumbersTheSameBinsAsItemByItem) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    auto const largest = 1 + static_cast<std::uint32_t>(seed * 7 % 32);
    auto const sizes = RandomSizes(1 + seed * 23 % 700, largest, seed);
    ASSERT_EQ(BinOfItem(PackBins(sizes, 32, BinPacking::kBestFitDecreasing)), NaiveBestFit(sizes, 32)) << seed;
  }
  for (int capacity : {1, 3, 10}) {  // few kinds of bins, which become others
    auto const sizes = RandomSizes(300, static_cast<std::uint32_t>(capacity), 5);
    ASSERT_EQ(BinOfItem(PackBins(sizes, capacity, BinPacking::kBestFitDecreasing)), NaiveBestFit(sizes, capacity));
  }
}

/// Device threads reconstruct the packing from a plan: each item begins where the larger items of its bin end.
TEST(PackingPlan, PlacesOfItems) {
  for (std::size_t const n : {0U, 1U, 33U, 5000U, 300000U}) {
    SCOPED_TRACE(n);
    auto const sizes = RandomSizes(n, 32, n);
    auto const packing = PackBins(sizes, 32, BinPacking::kBestFitDecreasing);
    std::vector<std::int64_t> counts(33, 0);
    for (auto const size : sizes) ++counts[size];
    auto const plan = PlanBestFit(counts, 32);
    EXPECT_LT(plan.runs.size(), 1000U);
    ASSERT_EQ(plan.n_bins, packing.NumBins());
    auto const n_runs = static_cast<std::int64_t>(plan.runs.size());
    std::vector<std::int64_t> sorted(n);
    std::iota(sorted.begin(), sorted.end(), std::int64_t{0});
    std::stable_sort(sorted.begin(), sorted.end(), [&](auto a, auto b) { return sizes[a] > sizes[b]; });
    std::vector<ItemPlace> place(n);
    for (std::size_t i = 0; i < n; ++i) {
      place[sorted[i]] = PlaceOfItem(plan.runs.data(), n_runs, static_cast<std::int64_t>(i));
    }
    auto const n_loads = static_cast<std::int64_t>(plan.loads.size());
    for (std::int64_t bin = 0; bin < plan.n_bins; ++bin) {
      std::int32_t used = 0;
      for (auto i = packing.bin_begin[bin]; i < packing.bin_begin[bin + 1]; ++i) {
        auto const item = packing.items[i];
        ASSERT_EQ(place[item].bin, bin) << "item " << item;
        ASSERT_EQ(place[item].offset, used) << "item " << item;
        used += sizes[item];
      }
      ASSERT_EQ(LastUpTo(plan.loads.data(), n_loads, &BinLoad::first_bin, bin).used, used) << "bin " << bin;
    }
  }
}

TEST(BinPacking, NothingToPack) {
  for (auto const method :
       {BinPacking::kBestFitDecreasing, BinPacking::kFirstFitDecreasing, BinPacking::kNextFit, BinPacking::kNone}) {
    auto const packing = PackBins({}, 32, method);
    EXPECT_EQ(packing.NumBins(), 0);
    EXPECT_EQ(packing.Utilisation(), 1.0);
  }
}

TEST(BinPacking, RefusesWhatFitsNoBin) {
  for (std::uint8_t const size : {0, 33}) {
    Sizes const sizes{3, size};
    EXPECT_THROW(PackBins(sizes, 32, BinPacking::kBestFitDecreasing), Error);
  }
}

}  // namespace
}  // namespace kauri
