/// Sums of values in device memory against the host's sums, which have the same order.
#include "common/sums.h"
#include "cuda/common/sums.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

class LaneSumsTest : public DeviceTest {};

TEST_F(LaneSumsTest, SumsHaveTheHostsOrder) {
  for (std::size_t const n : {0U, 1U, 7U, 8U, 9U, 4095U, 4096U, 4097U, 524288U, 524289U, 1200003U}) {
    auto const floats = UniformValues(2 * n, -1.0F, 1.0F, 51);
    std::vector<double> values(n);
    std::vector<WeightedSum> scores(n);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = static_cast<double>(floats[i]) / 3.0;
      scores[i] = {values[i], static_cast<double>(floats[n + i]) / 7.0};
    }
    auto const size = static_cast<std::int64_t>(n);
    auto const expected = SumInLanes<WeightedSum>(size, [&](std::int64_t i) { return scores[i]; });
    auto const sum = cuda::SumScores(Cuda(), cuda::ToDevice(Cuda(), scores).span());
    EXPECT_EQ(sum.loss, expected.loss) << n;
    EXPECT_EQ(sum.weight, expected.weight) << n;
    EXPECT_EQ(cuda::SumValues(Cuda(), cuda::ToDevice(Cuda(), values).span()), expected.loss) << n;
  }
}

}  // namespace
}  // namespace kauri::testing
