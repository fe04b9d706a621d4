/// Device functions of the exact builder: the float32 screen, sums before the pieces of segments, and the gain
/// formulas.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "cuda/common/launch.h"
#include "cuda/exact/entries/warp_tile.cuh"
#include "cuda/exact/split/evaluate_boundary.cuh"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

/// A split of `total` and a floor of its node.
struct ScreenCase {
  GainParam param;
  cuda::Screen screen;
  FixedSum total;
  FixedSum left;
  WeightBounds bounds;
  double floor = 0.0;
};

__global__ void ScreenKernel(ScreenCase const* cases, std::int64_t n, std::uint8_t* may_reach) {
  std::int64_t const i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  ScreenCase const& one = cases[i];
  float const needed = cuda::NeededGain(NodeGain(one.total, one.param, one.bounds), one.floor);
  may_reach[i] = cuda::MayReach(one.screen, one.total, one.left, needed) ? 1 : 0;
}

double LossChange(ScreenCase const& one) {
  return SplitGain(one.left, one.total - one.left, one.param, one.bounds, 0) -
         NodeGain(one.total, one.param, one.bounds);
}

/// Returns a number in 2^[low, high), with any mantissa.
double Magnitude(Random* random, double low, double high) {
  return std::exp2(low + (high - low) * random->Uniform()) * (1.0 + 1e-9 * random->Uniform());
}

/// Returns a case with sums of up to 2^20 rows whose pairs are below 2^30, of all magnitudes; gradients that nearly
/// cancel; units of any size that the screen takes.
ScreenCase RandomCase(Random* random) {
  ScreenCase one;
  double const lambdas[] = {0.0, 1e-12, 1e-3, 1.0, 100.0, 1e9};
  one.param.lambda = lambdas[random->Below(6)];
  one.param.min_child_weight = 0.0;
  one.param.unit.gradient = std::exp2(static_cast<double>(random->Below(100)) - 109.0);
  one.param.unit.hessian = std::exp2(static_cast<double>(random->Below(100)) - 109.0);
  one.screen = cuda::MakeScreen(one.param, 1 << 20);
  auto const sum = [&] {
    auto const gradient = static_cast<std::int64_t>(Magnitude(random, 0.0, 50.0));
    auto const hessian = static_cast<std::int64_t>(Magnitude(random, 0.0, 49.0));
    return FixedSum{random->Below(2) == 0 ? gradient : -gradient, std::max(hessian, std::int64_t{1})};
  };
  one.left = sum();
  auto right = sum();
  if (random->Below(4) == 0) right.gradient = -one.left.gradient + static_cast<std::int64_t>(random->Below(3)) - 1;
  if (random->Below(4) == 0) right.gradient = one.left.gradient;
  if (random->Below(4) == 0) {  // a gain near the least valid gain, over small hessians
    one.left.hessian = 1 + one.left.hessian % 8;
    right.hessian = 1 + right.hessian % 8;
    auto const gain = Magnitude(random, -21.0, 0.0);
    auto const gradient = std::sqrt(gain * (HessianOf(one.left, one.param) + one.param.lambda));
    one.left.gradient = static_cast<std::int64_t>(std::min(gradient / one.param.unit.gradient, 0x1p50));
    right.gradient = one.left.gradient / (static_cast<std::int64_t>(random->Below(9)) - 10);
  }
  one.total = one.left + right;
  return one;
}

/// Sets limits on weights and an alpha. They make gains smaller, so the screen, which does not know them, passes more.
void LimitWeights(Random* random, ScreenCase* one) {
  if (random->Below(2) == 0) one->param.alpha = 1.5 * random->Uniform() * std::fabs(GradientOf(one->left, one->param));
  if (random->Below(2) == 0) one->param.max_delta_step = Magnitude(random, -30.0, 30.0);
  one->param.monotone = random->Below(2) == 0;
  auto const weight = LeafWeight(one->left, one->param);
  one->bounds.lower = weight - std::fabs(weight) * Magnitude(random, -30.0, 3.0);
  one->bounds.upper = random->Below(2) == 0 ? weight : one->bounds.lower + Magnitude(random, -30.0, 30.0);
  one->screen = cuda::MakeScreen(one->param, 1 << 20);
}

class ScreenTest : public DeviceTest {
 protected:
  std::vector<std::uint8_t> MayReach(std::vector<ScreenCase> const& cases) const {
    auto const on_device = cuda::ToDevice(Cuda(), cases);
    cuda::Buffer<std::uint8_t> may_reach(Cuda(), cases.size());
    auto const n = static_cast<std::int64_t>(cases.size());
    cuda::Launch(Cuda(), cuda::GridFor(n, cuda::kBlockThreads), cuda::kBlockThreads, ScreenKernel, on_device.data(), n,
                 may_reach.data());
    return Fetch(Cuda(), may_reach);
  }
};

/// The hardest floor is the split's own loss change.
TEST_F(ScreenTest, NeverRejectsWhatTheFormulaAccepts) {
  Random random(1);
  std::vector<ScreenCase> cases;
  cases.reserve(1000000);
  while (cases.size() < 1000000) {
    auto one = RandomCase(&random);
    if (random.Below(4) == 0) LimitWeights(&random, &one);
    one.floor = LossChange(one);
    if (one.screen.usable && one.floor >= kMinLossChange / 2.0) cases.push_back(one);
  }
  auto const may_reach = MayReach(cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    auto const& one = cases[i];
    ASSERT_EQ(may_reach[i], 1) << "left " << one.left.gradient << ", " << one.left.hessian << ", total "
                               << one.total.gradient << ", " << one.total.hessian << ", units "
                               << one.param.unit.gradient << ", " << one.param.unit.hessian << ", lambda "
                               << one.param.lambda << ", loss change " << one.floor;
  }
}

/// The screen is effective: at usual magnitudes, a floor a little above the split's loss change rejects the split.
TEST_F(ScreenTest, RejectsWhatIsOutOfReach) {
  Random random(2);
  std::vector<ScreenCase> cases;
  while (cases.size() < 10000) {
    auto one = RandomCase(&random);
    one.param.lambda = 1.0;
    one.param.unit = {0x1p-28, 0x1p-28};
    one.screen = cuda::MakeScreen(one.param, 1 << 20);
    ASSERT_TRUE(one.screen.usable);
    one.floor = (LossChange(one) + LeafGain(one.total, one.param)) * (1.0 + 1e-5) - LeafGain(one.total, one.param);
    if (one.floor > 0.01) cases.push_back(one);
  }
  for (auto const reached : MayReach(cases)) ASSERT_EQ(reached, 0);
}

/// A segment table of sizes [n_features][n_nodes + 1], with random numbers for its pieces.
template <typename T>
struct PieceTable {
  std::int32_t n_features;
  std::int32_t n_nodes;
  std::vector<std::int64_t> begin{0};
  std::vector<T> pieces;
  std::vector<T> before;  ///< the expected pieces
  std::vector<T> totals;  ///< totals of the segments; equal to `pieces` if nothing is to be written

  PieceTable(std::int32_t features, std::int32_t nodes, std::vector<std::int64_t> const& sizes, std::uint64_t seed)
      : n_features(features), n_nodes(nodes) {
    Random random(seed);
    for (auto const size : sizes) begin.push_back(begin.back() + size);
    auto const n_pieces = static_cast<std::size_t>(cuda::NumTiles(begin.back())) + sizes.size();
    for (std::size_t i = 0; i < n_pieces; ++i) pieces.push_back(Draw(&random, T()));
    before = pieces;
    totals.assign(sizes.size(), pieces[0]);
    for (std::size_t segment = 0; segment < sizes.size(); ++segment) {
      if (segment % static_cast<std::size_t>(n_nodes + 1) == static_cast<std::size_t>(n_nodes)) continue;  // dead
      totals[segment] = FillSegment(segment);
    }
  }

 private:
  static std::int64_t Draw(Random* random, std::int64_t) { return static_cast<std::int64_t>(random->Below(512)); }
  static FixedSum Draw(Random* random, FixedSum) {
    return {std::int64_t{1} << (random->Below(50)), -static_cast<std::int64_t>(random->Below(1U << 31))};
  }
  T FillSegment(std::size_t segment) {
    T running = T();
    if (begin[segment] == begin[segment + 1]) return running;
    for (auto tile = begin[segment] / cuda::kTileEntries; tile <= (begin[segment + 1] - 1) / cuda::kTileEntries;
         ++tile) {
      auto const piece = static_cast<std::size_t>(tile) + segment;
      before[piece] = running;
      running = running + pieces[piece];
    }
    return running;
  }
};

class PrefixPiecesTest : public DeviceTest {
 protected:
  template <typename T>
  void Compare(PieceTable<T> const& expected) const {
    auto const begin = cuda::ToDevice(Cuda(), expected.begin);
    auto const pieces = cuda::ToDevice(Cuda(), expected.pieces);
    auto const totals = cuda::ToDevice(Cuda(), std::vector<T>(expected.totals.size(), expected.pieces[0]));
    cuda::PrefixPieces(Cuda(), {begin.data(), nullptr, expected.n_features, expected.n_nodes}, pieces.data(),
                       totals.data());
    auto const found = Fetch(Cuda(), pieces);
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_TRUE(found[i] == expected.before[i]) << "piece " << i;
    auto const sums = Fetch(Cuda(), totals);
    for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_TRUE(sums[i] == expected.totals[i]) << "segment " << i;
  }
  void CompareSizes(std::int32_t n_features, std::int32_t n_nodes, std::vector<std::int64_t> const& sizes) const {
    Compare(PieceTable<FixedSum>(n_features, n_nodes, sizes, 3));
    Compare(PieceTable<std::int64_t>(n_features, n_nodes, sizes, 4));
  }
};

TEST_F(PrefixPiecesTest, FewSegments) {
  CompareSizes(1, 1, {1, 0});
  CompareSizes(1, 1, {512, 15});
  CompareSizes(2, 2, {511, 1, 0, 513, 0, 3});
  CompareSizes(1, 3, {512 * 511, 512 * 512 + 1, 512 * 1300 + 77, 5000});  // one pass of a block and more
}

TEST_F(PrefixPiecesTest, ManySegments) {
  for (auto const n_nodes : {511, 700}) {  // the most segments that get a block each, and more
    std::vector<std::int64_t> sizes;
    for (std::int64_t segment = 0; segment < 2 * (n_nodes + 1); ++segment) sizes.push_back(segment * 37 % 1100);
    sizes[5] = 512 * 31;
    sizes[6] = 512 * 32 + 3;
    sizes[7] = 512 * 100;
    sizes[8] = sizes[9] = 0;
    CompareSizes(2, n_nodes, sizes);
  }
}

/// Results of the formulas. The struct has no padding, which would be copied back unwritten.
struct Formulas {
  double gain;
  double weight;
  double threshold;
};

struct FormulaCase {
  GainParam param;
  FixedSum sum;
  float low;
  float high;
};

KAURI_HD Formulas Evaluate(FormulaCase const& one) {
  return {LeafGain(one.sum, one.param), LeafWeight(one.sum, one.param), MidpointThreshold(one.low, one.high)};
}

__global__ void FormulaKernel(FormulaCase const* cases, std::int64_t n, Formulas* results) {
  std::int64_t const i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) results[i] = Evaluate(cases[i]);
}

std::vector<FormulaCase> RandomFormulaCases() {
  Random random(5);
  std::vector<FormulaCase> cases(200000);
  for (auto& one : cases) {
    auto const any = RandomCase(&random);
    one.param = any.param;
    one.sum = any.left;
    one.param.alpha = random.Below(3) == 0 ? Magnitude(&random, -20.0, 10.0) : 0.0;
    one.param.max_delta_step = random.Below(3) == 0 ? Magnitude(&random, -20.0, 10.0) : 0.0;
    auto const bits = random.Below(0x7F7FFFFFU);  // finite, including the smallest numbers
    std::memcpy(&one.low, &bits, sizeof(float));
    if (random.Below(2) == 0) one.low = -one.low;
    auto const beyond = std::max(static_cast<float>(Magnitude(&random, -149.0, 128.0)), one.low);
    one.high = random.Below(2) == 0 ? beyond : std::nextafter(one.low, FLT_MAX);
  }
  return cases;
}

TEST_F(DeviceTest, GainFormulasHaveTheHostsBits) {
  auto const cases = RandomFormulaCases();
  auto const on_device = cuda::ToDevice(Cuda(), cases);
  cuda::Buffer<Formulas> results(Cuda(), cases.size());
  auto const n = static_cast<std::int64_t>(cases.size());
  cuda::Launch(Cuda(), cuda::GridFor(n, cuda::kBlockThreads), cuda::kBlockThreads, FormulaKernel, on_device.data(), n,
               results.data());
  auto const found = Fetch(Cuda(), results);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    auto const expected = Evaluate(cases[i]);
    ASSERT_EQ(std::memcmp(&found[i].gain, &expected.gain, sizeof(double)), 0) << found[i].gain << expected.gain;
    ASSERT_EQ(std::memcmp(&found[i].weight, &expected.weight, sizeof(double)), 0) << found[i].weight << expected.weight;
    ASSERT_EQ(found[i].threshold, expected.threshold) << "between " << cases[i].low << " and " << cases[i].high;
  }
}

}  // namespace
}  // namespace kauri::testing
