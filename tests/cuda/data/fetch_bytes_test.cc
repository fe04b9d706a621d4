#include "cuda/data/fetch_bytes.h"

#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

using FetchBytesTest = DeviceTest;

TEST_F(FetchBytesTest, AllOfThemInOrder) {
  constexpr std::size_t kPart = std::size_t{1} << 20U;
  for (std::size_t const n : {std::size_t{0}, std::size_t{1}, kPart - 1, kPart, kPart + 1, 2 * kPart, 5 * kPart + 3}) {
    std::vector<char> bytes(n);
    for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<char>(i * 2654435761U >> 13U);
    auto const on_device = cuda::ToDevice(Cuda(), bytes);
    std::vector<char> found;
    cuda::FetchBytes(Cuda(), on_device.data(), n,
                     [&](char const* part, std::size_t size) { found.insert(found.end(), part, part + size); });
    EXPECT_TRUE(found == bytes) << n;
  }
}

}  // namespace
}  // namespace kauri::testing
