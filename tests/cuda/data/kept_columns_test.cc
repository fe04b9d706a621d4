/// Sorted columns that stay with the data: shared, given up if memory is short and they are unused, made anew.
#include <thread>

#include "cuda/common/memory_plan.h"
#include "cuda/data/device_columns.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

class KeptColumnsTest : public DeviceTest {
 protected:
  std::unique_ptr<DataMatrix> data_ = MakeMatrix({5000, 7, 0.3, 0, false, 3});
};

TEST_F(KeptColumnsTest, AreSharedByTrainings) {
  auto const first = cuda::DeviceColumnsOf(OnDevice(), *data_);
  auto const before = cuda::ThreadCopyCounts();
  auto const second = cuda::DeviceColumnsOf(OnDevice(), *data_);
  EXPECT_EQ(first.get(), second.get());
  EXPECT_EQ((cuda::ThreadCopyCounts() - before).to_device_bytes, 0U);
  EXPECT_EQ(Fetch(Cuda(), first->rows), Fetch(Cuda(), cuda::MakeDeviceColumns(Cuda(), OnDevice(), *data_).rows));
}

TEST_F(KeptColumnsTest, AreGivenUpOnlyWhileIdle) {
  auto const kept = cuda::KeptColumnsOf(OnDevice(), *data_);
  auto const other = cuda::KeptColumnsOf(OnDevice(), *MakeMatrix({100, 2, 0.0, 0, false, 1}));
  auto const too_much = std::numeric_limits<std::size_t>::max();
  {
    auto const used = cuda::DeviceColumnsOf(OnDevice(), *data_);
    cuda::MakeRoom(Cuda(), too_much);
    EXPECT_EQ(kept->Hold().get(), used.get());
  }
  cuda::MakeRoom(Cuda(), 1);  // enough memory is free
  EXPECT_NE(kept->Hold(), nullptr);
  auto const full = cuda::FreeBytes(Cuda());
  EXPECT_GE(cuda::MakeRoom(Cuda(), too_much), full + data_->NumEntries() * 8);
  EXPECT_EQ(kept->Hold(), nullptr);
  EXPECT_THROW(cuda::RequireMemory(Cuda(), "much", {{"all", too_much}}), Error);
  EXPECT_EQ(cuda::DeviceColumnsOf(OnDevice(), *data_)->NumEntries(), data_->NumEntries());
  EXPECT_EQ(other->Hold(), nullptr);
}

TEST_F(KeptColumnsTest, GoWithTheData) {
  auto big = MakeMatrix({200000, 8, 0.0, 0, false, 3});
  // The driver loads a kernel at its first launch and keeps the kernel's memory. A first pass excludes that memory from
  // the count.
  cuda::MakeDeviceColumns(Cuda(), OnDevice(), *big);
  auto const before = cuda::FreeBytes(Cuda());
  cuda::DeviceColumnsOf(OnDevice(), *big);
  EXPECT_LT(cuda::FreeBytes(Cuda()), before);
  big.reset();
  EXPECT_GE(cuda::FreeBytes(Cuda()), before);
}

/// A thread that makes columns may itself need memory, so giving up columns must not wait for it.
TEST_F(KeptColumnsTest, ManyThreadsMakeUseAndGiveUp) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      cuda::DeviceScope const scope(0);
      for (int k = 0; k < 20; ++k) {
        auto const columns = cuda::DeviceColumnsOf(OnDevice(), *data_);
        EXPECT_EQ(columns->NumEntries(), data_->NumEntries());
        cuda::GiveUpIdleMemory(0);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace kauri::testing
