#include "cuda/common/pinned_buffer.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

class UploadTest : public DeviceTest {
 protected:
  /// Returns the number of bytes copied to the device.
  std::size_t SendChanges(std::vector<std::int32_t> const& values) {
    upload_.Clear();
    place_ = upload_.Add(values);
    auto const before = cuda::ThreadCopyCounts();
    upload_.SendChanges(Cuda());
    auto const sent = cuda::ThreadCopyCounts() - before;
    Cuda().Synchronize();  // for the copy, whose source the next one overwrites
    EXPECT_EQ(cuda::ToHost(Cuda(), upload_.At<std::int32_t>(place_), values.size()), values);
    return static_cast<std::size_t>(sent.to_device_bytes);
  }

  cuda::Upload upload_;
  std::size_t place_ = 0;
};

TEST_F(UploadTest, WhatIsThereIsNotSentAgain) {
  std::vector<std::int32_t> values{3, 1, 4};
  EXPECT_EQ(SendChanges(values), 12U);
  EXPECT_EQ(SendChanges(values), 0U);
  values[1] = 5;
  EXPECT_EQ(SendChanges(values), 12U);
  values.push_back(9);
  EXPECT_EQ(SendChanges(values), 16U);
  values.resize(2);
  EXPECT_EQ(SendChanges(values), 8U);
  EXPECT_EQ(SendChanges(values), 0U);
}

TEST_F(UploadTest, WhatGrewIsSent) {
  for (std::size_t n = 1; n < 100000; n *= 7) {
    EXPECT_EQ(SendChanges(std::vector<std::int32_t>(n, 7)), 4 * n);
    EXPECT_EQ(SendChanges(std::vector<std::int32_t>(n, 7)), 0U);
  }
}

TEST_F(UploadTest, NothingIsNothing) {
  upload_.Clear();
  upload_.SendChanges(Cuda());
  upload_.Send(Cuda());
  EXPECT_EQ(SendChanges({1}), 4U);
}

}  // namespace
}  // namespace kauri::testing
