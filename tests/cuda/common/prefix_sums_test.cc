#include "common/sums.h"
#include "cuda/common/sums.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

/// Returns values whose float64 sum depends on the order.
std::vector<double> Values(std::int64_t n, std::uint64_t seed) {
  auto const floats = UniformValues(static_cast<std::size_t>(n), -1.0F, 3.0F, seed);
  std::vector<double> values;
  for (auto const value : floats) values.push_back(static_cast<double>(value) / 3.0);
  return values;
}

class PrefixSumsOnDevice : public DeviceTest {
 protected:
  /// values: [n, kParts].
  template <int kParts>
  void ExpectTheHostsBits(std::int64_t n, std::vector<double> const& values) const {
    auto const on_device = cuda::ToDevice(Cuda(), values);
    cuda::DevicePrefixSums<kParts> const sums(Cuda(), n, on_device.data());
    auto const within = Fetch(Cuda(), on_device);
    auto const n_blocks = static_cast<std::size_t>(NumBlocks(n, kRowBlock));
    auto const before = cuda::ToHost(Cuda(), sums.View().before, (n_blocks + 1) * kParts);
    auto const total = cuda::ToHost(Cuda(), sums.Total(), kParts);
    for (std::int64_t part = 0; part < kParts; ++part) {
      PrefixSums const expected(Context{}, n, [&](std::int64_t i) { return values[i * kParts + part]; });
      for (std::int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(before[i / kRowBlock * kParts + part] + within[i * kParts + part], expected.At(i))
            << i << " of " << n;
      }
      EXPECT_EQ(total[part], expected.Total()) << n;
    }
  }
};

TEST_F(PrefixSumsOnDevice, HaveTheHostsBits) {
  for (std::int64_t const n : {0, 1, 31, 32, 33, 255, 256, 257, 511, 512, 513, 4095, 4096, 4097, 8192, 300007}) {
    ExpectTheHostsBits<1>(n, Values(n, 3));
    ExpectTheHostsBits<2>(n, Values(2 * n, 4));
  }
}

/// Has more blocks than a tile has room for.
TEST_F(PrefixSumsOnDevice, ManyBlocks) { ExpectTheHostsBits<1>(600 * kRowBlock + 1, Values(600 * kRowBlock + 1, 5)); }

}  // namespace
}  // namespace kauri::testing
