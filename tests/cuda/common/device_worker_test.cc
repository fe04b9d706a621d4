#include "cuda/common/device_worker.h"

#include <cuda_runtime_api.h>

#include <chrono>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

class DeviceWorkerTest : public DeviceTest {
 protected:
  /// Returns the message of Wait's exception; "" if there is none.
  static std::string Thrown(cuda::DeviceWorker* worker, cuda::DeviceWorker::Ticket ticket) {
    try {
      worker->Wait(ticket);
    } catch (std::runtime_error const& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(DeviceWorkerTest, DoesAllInOrder) {
  std::vector<int> done;
  cuda::DeviceWorker worker(Cuda().device);
  cuda::DeviceWorker::Ticket last = 0;
  for (int i = 0; i < 1000; ++i) last = worker.Post([&done, i] { done.push_back(i); });
  worker.Wait(last);
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(done, expected);
}

TEST_F(DeviceWorkerTest, WakesAfterASleepAndWakesWhoSleeps) {
  constexpr auto kLong = std::chrono::milliseconds(20);  // both threads have stopped spinning
  int n_done = 0;
  cuda::DeviceWorker worker(Cuda().device);
  for (int i = 1; i <= 5; ++i) {
    std::this_thread::sleep_for(kLong);
    worker.Wait(worker.Post([&] {
      std::this_thread::sleep_for(kLong);
      ++n_done;
    }));
    EXPECT_EQ(n_done, i);
  }
}

TEST_F(DeviceWorkerTest, ItsDeviceIsCurrent) {
  int device = -1;
  cuda::DeviceWorker worker(Cuda().device);
  worker.Wait(worker.Post([&] { cudaGetDevice(&device); }));
  EXPECT_EQ(device, Cuda().device);
}

TEST_F(DeviceWorkerTest, TellsTheFirstFailureOnceAndLeavesOutWhatCameAfter) {
  int n_done = 0;
  cuda::DeviceWorker worker(Cuda().device);
  worker.Post([&] { ++n_done; });
  worker.Post([] { throw std::runtime_error("first"); });
  worker.Post([] { throw std::runtime_error("second"); });
  auto const last = worker.Post([&] { ++n_done; });
  EXPECT_EQ(Thrown(&worker, last), "first");
  EXPECT_EQ(Thrown(&worker, last), "");
  EXPECT_EQ(n_done, 1);
  worker.Wait(worker.Post([&] { ++n_done; }));
  EXPECT_EQ(n_done, 2);
}

TEST_F(DeviceWorkerTest, ASettledFailureIsForgotten) {
  int n_done = 0;
  cuda::DeviceWorker worker(Cuda().device);
  worker.Post([] { throw std::runtime_error("nobody asks"); });
  worker.Settle();
  worker.Wait(worker.Post([&] { ++n_done; }));
  EXPECT_EQ(n_done, 1);
}

TEST_F(DeviceWorkerTest, EndsAfterAllThatWasPosted) {
  int n_done = 0;
  auto const held = std::make_shared<int>(0);
  {
    cuda::DeviceWorker worker(Cuda().device);
    for (int i = 0; i < 100; ++i) worker.Post([&n_done, held] { ++n_done; });
  }
  EXPECT_EQ(n_done, 100);
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace kauri::testing
