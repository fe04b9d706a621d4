#include <thread>

#include "cuda/common/buffer.h"
#include "cuda/common/pinned_buffer.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

using cuda::CopyCounts;
using cuda::ThreadCopyCounts;

/// Needs no device.
TEST(CopyCounts, AddAndSubtract) {
  CopyCounts a{10, 1, 20, 2};
  a += CopyCounts{1, 2, 3, 4};
  auto const difference = a - CopyCounts{10, 1, 20, 2};
  EXPECT_EQ(difference.to_device_bytes, 1U);
  EXPECT_EQ(difference.to_device_copies, 2U);
  EXPECT_EQ(difference.to_host_bytes, 3U);
  EXPECT_EQ(difference.to_host_copies, 4U);
}

TEST(CopyCounts, EachThreadHasItsOwn) {
  auto const before = ThreadCopyCounts();
  std::thread([] {
    EXPECT_EQ(ThreadCopyCounts().to_device_bytes, 0U);
    cuda::CountCopyToDevice(5);
    cuda::CountCopyToHost(7);
    EXPECT_EQ(ThreadCopyCounts().to_device_bytes, 5U);
    EXPECT_EQ(ThreadCopyCounts().to_host_copies, 1U);
  }).join();
  EXPECT_EQ((ThreadCopyCounts() - before).to_device_bytes, 0U);
}

class CopyCountsTest : public DeviceTest {};

TEST_F(CopyCountsTest, EveryWayToCopyCounts) {
  auto const before = ThreadCopyCounts();
  auto const buffer = cuda::ToDevice(Cuda(), std::vector<float>(100, 1.0F));
  cuda::CopyToDevice(Cuda(), std::vector<float>(10, 2.0F).data(), 10, buffer.data());
  cuda::CopyOnDevice(Cuda(), buffer.data(), 10, buffer.data() + 50);
  cuda::ToHost(Cuda(), buffer.data(), 7);
  cuda::PinnedBuffer<float> pinned;
  pinned.Reserve(3);
  cuda::CopyToHost(Cuda(), buffer.data(), 3, pinned.data());
  cuda::CopyToHost(Cuda(), buffer.data(), 0, pinned.data());
  Cuda().Synchronize();  // for `pinned`
  auto const counts = ThreadCopyCounts() - before;
  EXPECT_EQ(counts.to_device_bytes, 440U);
  EXPECT_EQ(counts.to_device_copies, 2U);
  EXPECT_EQ(counts.to_host_bytes, 40U);
  EXPECT_EQ(counts.to_host_copies, 2U);
}

}  // namespace
}  // namespace kauri::testing
