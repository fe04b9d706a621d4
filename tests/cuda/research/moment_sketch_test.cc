/// Power sums of columns in device memory against the host's, bit for bit.
#include <limits>

#include "gpu_moment_sketch.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

::testing::AssertionResult Same(PowerSums const& a, PowerSums const& b) {
  auto const same = [](double x, double y) { return std::memcmp(&x, &y, sizeof(x)) == 0; };
  if (a.order != b.order || a.exponent != b.exponent) {
    return ::testing::AssertionFailure() << "exponents " << a.exponent << " and " << b.exponent;
  }
  if (!same(a.weight, b.weight) || !same(a.mean, b.mean) || !same(a.min, b.min) || !same(a.max, b.max)) {
    return ::testing::AssertionFailure() << "means " << a.mean << " and " << b.mean << ", weights " << a.weight
                                         << " and " << b.weight;
  }
  for (std::size_t k = 0; k < a.sums.size(); ++k) {
    if (same(a.sums[k], b.sums[k])) continue;
    return ::testing::AssertionFailure() << "power " << k << ": " << a.sums[k] << " and " << b.sums[k];
  }
  return ::testing::AssertionSuccess();
}

/// Returns the host's sums of each column of row-major rows.
std::vector<PowerSums> OnHost(std::vector<float> const& values, std::size_t n_cols, std::vector<float> const& weights,
                              int order) {
  std::vector<PowerSums> columns;
  for (std::size_t column = 0; column < n_cols; ++column) {
    std::vector<float> of_column;
    for (std::size_t cell = column; cell < values.size(); cell += n_cols) of_column.push_back(values[cell]);
    PowerSumTree sums(order);
    sums.Add(of_column, weights);
    columns.push_back(sums.Sums());
  }
  return columns;
}

class MomentSketchTest : public DeviceTest {
 protected:
  void ExpectHosts(std::vector<float> const& values, std::size_t n_cols, std::vector<float> const& weights, int order) {
    auto const on_device = cuda::ToDevice(Cuda(), values);
    auto const weights_on_device = cuda::ToDevice(Cuda(), weights);
    DeviceLayout rows;
    rows.n_cols = static_cast<std::int64_t>(n_cols);
    rows.n_rows = static_cast<std::int64_t>(values.size() / n_cols);
    rows.values = on_device.data();
    rows.row_stride = rows.n_cols;
    auto const found = cuda::SketchColumns(Cuda(), rows, weights.empty() ? nullptr : weights_on_device.data(), order);
    auto const expected = OnHost(values, n_cols, weights, order);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t column = 0; column < n_cols; ++column) {
      EXPECT_TRUE(Same(found[column], expected[column])) << values.size() / n_cols << " rows, column " << column;
    }
  }
};

std::vector<float> Normal(std::size_t n, float mean, float deviation) {
  Random random(3);
  std::vector<float> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(mean + deviation * random.Normal());
  return values;
}

TEST_F(MomentSketchTest, AnyNumberOfRowsHasTheHostsBits) {
  for (std::size_t const n : {0U, 1U, 31U, 32U, 33U, 4095U, 4096U, 4097U, 12289U, 262145U, 1000000U}) {
    ExpectHosts(Normal(n, 1000.0F, 1.0F), 1, {}, 10);
  }
}

TEST_F(MomentSketchTest, AnyOrderHasTheHostsBits) {
  for (int order = 2; order <= kMaxMoment; ++order) ExpectHosts(Normal(9000, -3.0F, 2.0F), 1, {}, order);
}

TEST_F(MomentSketchTest, ColumnsMissingValuesAndWeights) {
  constexpr std::size_t kRows = 30001;
  constexpr std::size_t kCols = 11;
  Random random(8);
  std::vector<float> values;
  for (std::size_t i = 0; i < kRows * kCols; ++i) {
    auto const value = random.Normal();
    values.push_back(random.Uniform() < 0.2 || i % kCols == 4 ? kNan : value);
  }
  std::vector<float> weights;
  for (std::size_t i = 0; i < kRows; ++i) weights.push_back(static_cast<float>(random.Below(4)) * 0.3F);
  ExpectHosts(values, kCols, {}, 6);
  ExpectHosts(values, kCols, weights, 6);
}

TEST_F(MomentSketchTest, ConstantsZerosAndTheEndsOfTheRange) {
  ExpectHosts(std::vector<float>(5000, 0.1F), 1, {}, 10);
  std::vector<float> zeros(5000, 0.0F);
  for (std::size_t i = 0; i < zeros.size(); i += 3) zeros[i] = -0.0F;
  ExpectHosts(zeros, 1, {}, 10);
  for (auto const scale : {1e37F, 1e-30F, 1e-42F}) ExpectHosts(Normal(9000, scale, scale), 1, {}, kMaxMoment);
}

TEST_F(MomentSketchTest, ManyColumns) { ExpectHosts(Normal(70000 * 3, 0.0F, 1.0F), 70000, {}, 4); }

}  // namespace
}  // namespace kauri::testing
