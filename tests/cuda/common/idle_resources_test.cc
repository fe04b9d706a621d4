/// Streams and page-locked memory that are used again, also after the device has been reset.
#include <cstdlib>
#include <memory>
#include <utility>

#include "cuda/common/pinned_buffer.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

class IdleResources : public DeviceTest {};

TEST_F(IdleResources, AStreamIsUsedAgainByTheNextOwner) {
  auto owner = std::make_unique<cuda::StreamOwner>(0);
  auto* const first = owner->Context().stream;
  EXPECT_NE(first, Cuda().stream);
  owner.reset();
  cuda::StreamOwner const next(0);
  cuda::StreamOwner const other(0);
  EXPECT_EQ(next.Context().stream, first);
  EXPECT_NE(other.Context().stream, first);
}

TEST_F(IdleResources, MoreStreamsThanAreKept) {
  for (int time = 0; time < 2; ++time) {
    std::vector<std::unique_ptr<cuda::StreamOwner>> owners;
    for (int i = 0; i < 100; ++i) owners.push_back(std::make_unique<cuda::StreamOwner>(0));
    for (auto const& owner : owners) {
      EXPECT_EQ(Fetch(owner->Context(), cuda::ToDevice(owner->Context(), std::vector<int>{7})), std::vector<int>{7});
    }
  }
}

TEST_F(IdleResources, PageLockedMemoryIsUsedAgainUpToItsLimits) {
  cuda::IdlePinned<float> idle(1, 100);
  auto buffer = idle.Take();
  EXPECT_EQ(buffer.size(), 0U);
  buffer.Reserve(100);
  auto* const first = buffer.data();
  idle.GiveBack(std::move(buffer));
  buffer = idle.Take();
  EXPECT_EQ(buffer.data(), first);
  auto second = idle.Take();
  EXPECT_EQ(second.size(), 0U);
  second.Reserve(101);
  idle.GiveBack(std::move(second));  // too large
  EXPECT_EQ(idle.Take().size(), 0U);
  idle.GiveBack({});
  EXPECT_EQ(idle.Take().size(), 0U);
}

/// Ends with 0 if the process works on after a reset of the device.
[[noreturn]] void WorkAfterReset() {
  cuda::IdlePinned<int> idle(2, 100);
  auto const use = [&idle] {
    cuda::StreamOwner const stream(0);
    cuda::DeviceScope const scope(0);
    auto buffer = idle.Take();
    buffer.Reserve(3);
    auto const device = cuda::ToDevice(stream.Context(), std::vector<int>{1, 2, 3});
    cuda::CopyToHost(stream.Context(), device.data(), 3, buffer.data());
    stream.Context().Synchronize();  // for the buffer
    auto const sum = buffer.data()[0] + buffer.data()[1] + buffer.data()[2];
    idle.GiveBack(std::move(buffer));
    return sum;
  };
  auto const before = use();
  auto const context = cuda::ContextId();
  auto const was_reset = cudaDeviceReset() == cudaSuccess;
  auto const after = use();
  auto const is_good = was_reset && before == 6 && after == 6 && cuda::ContextId() != context;
  std::_Exit(is_good ? 0 : 1);
}

TEST_F(IdleResources, AreNotUsedAfterTheDeviceWasReset) {
  KAURI_SKIP_UNLESS(cuda::ContextId() != 0, "the driver does not number contexts");
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";  // a new process, because a fork cannot use CUDA
  EXPECT_EXIT(WorkAfterReset(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace kauri::testing
