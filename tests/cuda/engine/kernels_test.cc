#include <limits>

#include "common/fixed_point.h"
#include "cuda/common/fill_margins.h"
#include "cuda/engine/round_kernels.h"
#include "support/device_fixture.h"
#include "tree/sampling/sampling.h"

namespace kauri::testing {
namespace {

class RoundKernelsTest : public DeviceTest {
 protected:
  /// Compares pairs, unit and sampled rows with the host's.
  void ExpectTheHostsPairs(std::vector<GradientPair> const& gradients, std::int64_t n_outputs, float rate) const {
    auto const n_rows = gradients.size() / static_cast<std::size_t>(n_outputs);
    auto const on_device = cuda::ToDevice(Cuda(), gradients);
    cuda::PairTable const table{on_device.span(), n_outputs};
    cuda::DevicePairSummary summary;
    summary.Clear(Cuda(), n_outputs);
    cuda::FindLargest(Cuda(), table, summary.Largest());
    Context ctx;
    ctx.seed = 77;
    for (std::int64_t output = 0; output < n_outputs; ++output) {
      auto const sampled = SampleRows(ctx, 3, output, rate, static_cast<std::int64_t>(n_rows));
      FixedGradients expected;
      QuantiseGradients(ctx, gradients, n_outputs, output, sampled, &expected);
      cuda::Buffer<FixedPair> pairs(Cuda(), n_rows);
      cuda::Buffer<std::uint8_t> used(Cuda(), sampled.size());
      summary.ClearTotals(Cuda());
      cuda::Quantise(Cuda(), {table,
                              output,
                              summary.Largest() + output,
                              {RowSamplingKey(ctx.seed, 3, output), rate},
                              pairs.span(),
                              used.span(),
                              summary.Totals() + output});
      auto const read = summary.Read(Cuda());
      ASSERT_EQ(static_cast<std::int64_t>(read.largest.size()), n_outputs);
      EXPECT_EQ(read.largest[output].Unit().gradient, expected.unit.gradient);
      EXPECT_EQ(read.largest[output].Unit().hessian, expected.unit.hessian);
      FixedSum sum;
      for (auto const& pair : expected.pairs) sum += pair;
      EXPECT_TRUE(read.sums[output] == sum);
      EXPECT_EQ(Fetch(Cuda(), used), sampled);
      auto const fetched = Fetch(Cuda(), pairs);
      for (std::size_t row = 0; row < n_rows; ++row) {
        ASSERT_EQ(fetched[row].gradient, expected.pairs[row].gradient) << "row " << row;
        ASSERT_EQ(fetched[row].hessian, expected.pairs[row].hessian) << "row " << row;
      }
    }
  }
};

std::vector<GradientPair> RandomPairs(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<GradientPair> pairs(n);
  for (auto& pair : pairs) {
    auto const tiny = random.Below(10) == 0 ? 1e-12F : 1.0F;
    pair = {random.Normal() * tiny, static_cast<float>(random.Uniform()) * tiny};
  }
  return pairs;
}

TEST_F(RoundKernelsTest, PairsHaveTheHostsIntegers) {
  for (std::size_t const n_rows : {1, 31, 32, 33, 255, 257, 70001}) {
    for (std::int64_t const n_outputs : {1, 3, 7, 300, 1500}) {
      if (n_outputs > 7 && n_rows > 300) continue;
      SCOPED_TRACE(std::to_string(n_rows) + " rows, outputs " + std::to_string(n_outputs));
      auto const pairs = RandomPairs(n_rows * static_cast<std::size_t>(n_outputs), n_rows);
      ExpectTheHostsPairs(pairs, n_outputs, 1.0F);
      ExpectTheHostsPairs(pairs, n_outputs, 0.6F);
    }
  }
}

/// Compares the pairs of all outputs at once.
TEST_F(RoundKernelsTest, PairsOfARoundHaveTheHostsIntegers) {
  for (std::size_t const n_rows : {1, 255, 2047, 2049, 70001}) {
    constexpr std::int64_t kOutputs = 5;
    auto const gradients = RandomPairs(n_rows * ToSize(kOutputs), n_rows + 1);
    auto const on_device = cuda::ToDevice(Cuda(), gradients);
    cuda::PairTable const table{on_device.span(), kOutputs};
    cuda::DevicePairSummary summary;
    summary.Clear(Cuda(), kOutputs);
    cuda::FindLargest(Cuda(), table, summary.Largest());
    cuda::Buffer<FixedPair> pairs(Cuda(), n_rows * ToSize(kOutputs));
    cuda::QuantiseRound(Cuda(), {table, summary.Largest(), pairs.data(), summary.Totals()});
    auto const fetched = Fetch(Cuda(), pairs);
    auto const read = summary.Read(Cuda());
    std::vector<cuda::PairTotals> const totals = cuda::ToHost(Cuda(), summary.Totals(), ToSize(kOutputs));
    for (std::int64_t output = 0; output < kOutputs; ++output) {
      FixedGradients expected;
      QuantiseGradients(Context(), gradients, kOutputs, output, {}, &expected);
      FixedSum sum;
      for (std::size_t row = 0; row < n_rows; ++row) {
        auto const& pair = fetched[ToSize(output) * n_rows + row];
        ASSERT_EQ(pair.gradient, expected.pairs[row].gradient) << "row " << row << " of " << n_rows;
        ASSERT_EQ(pair.hessian, expected.pairs[row].hessian) << "row " << row << " of " << n_rows;
        sum += pair;
      }
      EXPECT_TRUE(read.sums[ToSize(output)] == sum);
      EXPECT_TRUE(totals[ToSize(output)].sum == sum);
      EXPECT_EQ(totals[ToSize(output)].unit.gradient, expected.unit.gradient);
      EXPECT_EQ(totals[ToSize(output)].unit.hessian, expected.unit.hessian);
    }
  }
}

TEST_F(RoundKernelsTest, LeavesOfARoundReachTheirOutputs) {
  constexpr std::int64_t kRows = 1000;
  std::vector<float> const values{1.0F, 2.0F, 4.0F, 10.0F, 20.0F};
  std::vector<std::uint32_t> const first_value{0, 3};
  std::vector<std::int32_t> leaves;
  for (std::int64_t row = 0; row < kRows; ++row) leaves.push_back(static_cast<std::int32_t>(row % 3));
  for (std::int64_t row = 0; row < kRows; ++row) leaves.push_back(static_cast<std::int32_t>(row / 7 % 2));
  auto margins = cuda::ToDevice(Cuda(), std::vector<float>(2 * kRows, 0.5F));
  auto const values_there = cuda::ToDevice(Cuda(), values);
  auto const first_there = cuda::ToDevice(Cuda(), first_value);
  auto const leaves_there = cuda::ToDevice(Cuda(), leaves);
  cuda::AddRoundLeaves(Cuda(), {values_there.data(), first_there.data(), leaves_there.data()}, 2, margins.span());
  auto const fetched = Fetch(Cuda(), margins);
  for (std::int64_t row = 0; row < kRows; ++row) {
    ASSERT_EQ(fetched[ToSize(2 * row)], 0.5F + values[ToSize(row % 3)]) << row;
    ASSERT_EQ(fetched[ToSize(2 * row + 1)], 0.5F + values[3 + ToSize(row / 7 % 2)]) << row;
  }
}

TEST_F(RoundKernelsTest, PairsAtTheEdges) {
  std::vector<GradientPair> const zeros(40, {0.0F, 0.0F});
  ExpectTheHostsPairs(zeros, 1, 1.0F);
  auto const kMax = std::numeric_limits<float>::max();
  std::vector<GradientPair> extremes{{-kMax, kMax}, {kMax, 1e-30F}, {-0.0F, 0.0F}, {0.5F, 1.0F}};
  ExpectTheHostsPairs(extremes, 1, 1.0F);
  std::vector<GradientPair> halves;  // with a unit of 1 the integers are the values, and halves round to even
  halves.push_back({536870912.0F, 536870912.0F});
  for (int i = -6; i <= 6; ++i) halves.push_back({static_cast<float>(i) * 0.5F, static_cast<float>(i + 6) * 0.5F});
  ExpectTheHostsPairs(halves, 1, 1.0F);
}

TEST_F(RoundKernelsTest, FindsTheFirstPairThatIsNotFinite) {
  auto pairs = RandomPairs(3 * 5000, 1);
  auto const first = [&](std::int64_t output) {
    auto const on_device = cuda::ToDevice(Cuda(), pairs);
    cuda::PairTable const table{on_device.span(), 3};
    cuda::DevicePairSummary summary;
    summary.Clear(Cuda(), 3);
    cuda::FindLargest(Cuda(), table, summary.Largest());
    auto const largest = summary.Read(Cuda()).largest[output];
    auto const row = cuda::FirstNotFinite(Cuda(), table, output);
    EXPECT_EQ(largest.IsFinite(), row == 5000);
    return row;
  };
  EXPECT_EQ(first(1), 5000);
  pairs[3 * 4321 + 1].hessian = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(first(1), 4321);
  pairs[3 * 77 + 1].gradient = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(first(1), 77);
  EXPECT_EQ(first(0), 5000);
}

TEST_F(RoundKernelsTest, MarginsStartAndGrow) {
  std::vector<float> const start{0.25F, -1.0F, 3.0F};
  cuda::Buffer<float> margins(Cuda(), 3 * 700);
  cuda::FillMargins(Cuda(), cuda::ToDevice(Cuda(), start).span(), margins.span());
  auto const values = UniformValues(9, -1.0F, 1.0F, 2);
  std::vector<std::int32_t> leaves(700);
  Random random(4);
  for (auto& leaf : leaves) leaf = static_cast<std::int32_t>(random.Below(9));
  cuda::AddLeaves(Cuda(), cuda::ToDevice(Cuda(), values).span(), cuda::ToDevice(Cuda(), leaves).span(), 3, 1,
                  margins.span());
  auto const fetched = Fetch(Cuda(), margins);
  for (std::size_t row = 0; row < 700; ++row) {
    EXPECT_EQ(fetched[3 * row], 0.25F);
    EXPECT_EQ(fetched[3 * row + 1], -1.0F + values[leaves[row]]);
    EXPECT_EQ(fetched[3 * row + 2], 3.0F);
  }
}

}  // namespace
}  // namespace kauri::testing
