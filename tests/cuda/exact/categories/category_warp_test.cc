/// The search of categories by a warp, on the host: the same candidate as the CPU's search, ties and all. Needs no
/// device.
#include "cuda/exact/categories/category_warp.h"

#include <cmath>
#include <numeric>

#include "cuda/exact/categories/category_sums.h"
#include "exact/categories/exact_category_fixture.h"
#include "predictor/lanes/host_warp.h"

namespace kauri::testing {
namespace {

/// A node with all rows of one feature.
struct NodeCase {
  std::vector<FixedSum> sums;  ///< [n_categories]
  std::vector<CategoryEntry> entries;
  GainParam param;
  CategoryRules rules;
  CategoryNode node;
};

NodeCase RandomCase(std::uint64_t seed) {
  Random random(seed);
  NodeCase made;
  auto const n = 1 + static_cast<std::int32_t>(random.Below(seed % 3 == 0 ? 200 : 12));
  auto const n_rows = static_cast<std::int64_t>(1 + random.Below(300));
  auto const level = MakeCategoryLevel({{n}, n_rows, 1, 0.2, random.Below(2) == 0, seed});
  made.sums = level.SumsOf(0, 0);
  made.entries = level.EntriesOf(0, 0);
  made.param = level.param;
  made.param.lambda = random.Below(3) * 0.5;
  made.param.alpha = random.Below(3) == 0 ? 1.0 : 0.0;
  made.param.max_delta_step = random.Below(3) == 0 ? 0.5 : 0.0;
  made.param.min_child_weight = random.Below(3);
  made.param.monotone = random.Below(4) == 0;
  made.rules.max_onehot = static_cast<std::int32_t>(1 + random.Below(20));
  std::int32_t const most[] = {1, 2, 5, 33, 64, 1000};
  made.rules.max_partition = most[random.Below(6)];
  made.node.feature = 7;
  made.node.n_categories = n;
  made.node.total = level.TotalOf(0);
  if (made.param.monotone) made.node.bounds = {-0.3, 0.4};
  made.node.node_gain = NodeGain(made.node.total, made.param, made.node.bounds);
  return made;
}

SplitCandidate ByHost(NodeCase const& made, double floor) {
  auto entries = made.entries;
  auto const just_below = std::nextafter(floor, -kInfinity);
  return FindCategorySplit(made.param, made.rules, made.node, just_below, &entries);
}

std::vector<std::uint32_t> OrderOf(NodeCase const& made) {
  std::vector<std::uint32_t> order(made.sums.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return CategoryWeight(made.sums[a], made.param) < CategoryWeight(made.sums[b], made.param);
  });
  return order;
}

cuda::SegmentCandidate ByWarp(NodeCase const& made, double floor) {
  auto const order = OrderOf(made);
  cuda::CategorySegment segment;
  segment.sums = made.sums.data();
  segment.order = order.data();
  segment.node = made.node;
  segment.max_partition = made.rules.max_partition;
  segment.one_hot = category_search::UsesOneHot(made.rules, made.node.n_categories);
  return cuda::CategoryWarp<HostWarp>(HostWarp(), made.param, segment, floor).Find();
}

void ExpectSame(SplitCandidate const& expected, cuda::SegmentCandidate const& found) {
  ASSERT_EQ(expected.IsValid(), found.state != cuda::SegmentCandidate::kNone);
  if (!expected.IsValid()) return;
  EXPECT_EQ(expected.loss_change, found.loss_change);
  EXPECT_EQ(expected.threshold, found.threshold);
  EXPECT_EQ(expected.default_left, found.state == cuda::SegmentCandidate::kDefaultLeft);
  EXPECT_TRUE(expected.left == found.left);
}

TEST(CategoryWarp, IsTheHostsSearch) {
  int n_splits = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    auto const made = RandomCase(seed);
    auto const expected = ByHost(made, 1e-6);
    ExpectSame(expected, ByWarp(made, 1e-6));
    n_splits += expected.IsValid() ? 1 : 0;
  }
  EXPECT_GT(n_splits, 1000);
}

TEST(CategoryWarp, TheFloorItselfCounts) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    auto const made = RandomCase(seed);
    auto const best = ByHost(made, 1e-6);
    if (!best.IsValid()) continue;
    ExpectSame(best, ByWarp(made, best.loss_change));
    EXPECT_EQ(ByWarp(made, std::nextafter(best.loss_change, kInfinity)).state, cuda::SegmentCandidate::kNone);
  }
}

/// Sums of the largest number of rows that a block adds up, with the largest numbers of either sign.
TEST(NumberParts, SumsAreExact) {
  std::int32_t const largest = (1 << 30) - 1;
  for (auto const value : {largest, -largest, 0, 1, -1, 32767, 32768, -32768, -32769}) {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    for (std::int64_t row = 0; row < cuda::kRowsPerSumBlock; ++row) {
      low += cuda::NumberParts::Low(value);
      high += cuda::NumberParts::High(value);
    }
    EXPECT_EQ(cuda::NumberParts::Join(low, high), cuda::kRowsPerSumBlock * value) << value;
  }
}

}  // namespace
}  // namespace kauri::testing
