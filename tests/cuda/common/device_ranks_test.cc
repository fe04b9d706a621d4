/// Sums over ranks of integers in device memory: through the host if ranks share a device, by NCCL if each has its own
/// and the library is available.
#include "cuda/collective/device_ranks.h"

#include <chrono>

#include "collective/ranks.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

using Clock = std::chrono::steady_clock;

int NumDevices() {
  int n_devices = 0;
  cudaGetDeviceCount(&n_devices);
  return n_devices;
}

/// A rank on a device.
struct Seat {
  explicit Seat(Collective* group, int device) : scope(device), stream(device) {
    ctx.device = {DeviceKind::kCuda, device};
    ctx.collective = group;
  }
  std::vector<std::int64_t> Sum(cuda::DeviceRanks* sums, std::vector<std::int64_t> const& values) const {
    auto const& cuda = stream.Context();
    auto const on_device = cuda::ToDevice(cuda, values);
    sums->Sum(ctx, cuda, on_device.data(), values.size());
    return cuda::ToHost(cuda, on_device.data(), values.size());
  }

  cuda::DeviceScope scope;
  cuda::StreamOwner stream;
  Context ctx;
};

/// Returns the numbers of a rank, some near the ends of their range.
std::vector<std::int64_t> NumbersOf(int rank, std::size_t n) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < n; ++i) {
    auto const number = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15ULL + static_cast<std::uint64_t>(rank) * 77;
    numbers.push_back(static_cast<std::int64_t>(number));
  }
  return numbers;
}

std::vector<std::int64_t> SumOf(int n_ranks, std::size_t n) {
  std::vector<std::uint64_t> sums(n, 0);
  for (int rank = 0; rank < n_ranks; ++rank) {
    auto const numbers = NumbersOf(rank, n);
    for (std::size_t i = 0; i < n; ++i) sums[i] += static_cast<std::uint64_t>(numbers[i]);
  }
  return {sums.begin(), sums.end()};
}

void ExpectNoErrors(std::vector<std::string> const& errors) {
  for (auto const& error : errors) EXPECT_EQ(error, "");
}

using DeviceRanksTest = DeviceTest;

TEST_F(DeviceRanksTest, RanksOnOneDevice) {
  ExpectNoErrors(RunRanks(3, [](Collective* group) {
    Seat const seat(group, 0);
    cuda::DeviceRanks sums(0);
    for (std::size_t const n : {1, 31, 5000}) {
      EXPECT_EQ(seat.Sum(&sums, NumbersOf(group->Rank(), n)), SumOf(3, n));
    }
    EXPECT_FALSE(sums.UsesNccl());
  }));
}

TEST_F(DeviceRanksTest, RanksOnDevicesOfTheirOwn) {
  auto const n_devices = NumDevices();
  KAURI_SKIP_UNLESS(n_devices >= 2, "one CUDA device");
  ExpectNoErrors(RunRanks(n_devices, [&](Collective* group) {
    Seat const seat(group, group->Rank());
    cuda::DeviceRanks sums(group->Rank());
    for (std::size_t const n : {1, 31, 5000, 3000000}) {
      EXPECT_EQ(seat.Sum(&sums, NumbersOf(group->Rank(), n)), SumOf(n_devices, n));
    }
    EXPECT_EQ(sums.UsesNccl(), cuda::GetNccl().IsThere()) << cuda::GetNccl().problem;
  }));
}

/// Uses the same object in another group, with other devices.
TEST_F(DeviceRanksTest, AnotherGroup) {
  KAURI_SKIP_UNLESS(NumDevices() >= 2, "one CUDA device");
  std::vector<std::unique_ptr<cuda::DeviceRanks>> sums;
  for (int rank = 0; rank < 2; ++rank) sums.push_back(std::make_unique<cuda::DeviceRanks>(rank));
  for (int turn = 0; turn < 3; ++turn) {
    ExpectNoErrors(RunRanks(2, [&](Collective* group) {
      Seat const seat(group, group->Rank());
      EXPECT_EQ(seat.Sum(sums[ToSize(group->Rank())].get(), NumbersOf(group->Rank(), 100)), SumOf(2, 100));
    }));
  }
}

/// A rank that is lost before the ranks meet, and a rank that is lost right after, cause an error, not a hang.
TEST_F(DeviceRanksTest, ARankGoes) {
  KAURI_SKIP_UNLESS(NumDevices() >= 2, "one CUDA device");
  KAURI_SKIP_UNLESS(cuda::GetNccl().IsThere(), "no NCCL");
  for (bool const meets : {false, true}) {
    auto const start = Clock::now();
    auto const errors = RunRanks(2, [&](Collective* group) {
      Seat const seat(group, group->Rank());
      cuda::DeviceRanks sums(group->Rank(), std::chrono::milliseconds(1500));
      seat.Sum(&sums, NumbersOf(group->Rank(), 10));
      if (group->Rank() == 0) {
        seat.Sum(&sums, NumbersOf(0, 10));
        return;
      }
      std::uint64_t word = 0;
      if (meets) group->Max({&word, 1});
      if (!meets) Fail(ErrorKind::kData, "gone");
      std::this_thread::sleep_for(std::chrono::seconds(3));
    });
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(20));
    EXPECT_NE(errors[0].find(meets ? "waited for a sum over the ranks' devices" : "gone"), std::string::npos)
        << errors[0];
  }
}

}  // namespace
}  // namespace kauri::testing
