/// Transfer of results to the host: in loads that do not divide them, from several streams, and destroyed without
/// waiting.
#include "cuda/shap/host_results.h"

#include <numeric>

#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

constexpr std::size_t kLoad = 1000;

/// Value of the memory after the end of a result, which must stay.
constexpr float kUntouched = -7.0F;

class HostResultsTest : public DeviceTest {
 protected:
  static std::vector<float> Numbers(std::size_t size, float first) {
    std::vector<float> values(size);
    std::iota(values.begin(), values.end(), first);
    return values;
  }
  static std::vector<float> Room(std::size_t size) { return std::vector<float>(size + 1, kUntouched); }
  static void ExpectArrived(std::vector<float> expected, std::vector<float> const& room) {
    expected.push_back(kUntouched);
    EXPECT_TRUE(SameFloats(expected, room));
  }
};

TEST_F(HostResultsTest, AnySize) {
  cuda::HostResults results(0, kLoad);
  for (std::size_t const size : {0, 1, 999, 1000, 1001, 3999, 4000, 4001, 12345, 5}) {
    auto const values = Numbers(size, 3.0F);
    auto const on_device = cuda::ToDevice(Cuda(), values);
    auto room = Room(size);
    results.Finish(OnDevice(), results.Begin(OnDevice(), Cuda(), on_device.data(), size, room.data()));
    ExpectArrived(values, room);
  }
}

/// More results than the page-locked buffers hold, which are full when later results begin.
TEST_F(HostResultsTest, SeveralStreamsInTheOrderOfTheirBeginnings) {
  cuda::StreamOwner const other(0);
  cuda::HostResults results(0, kLoad);
  std::vector<std::size_t> const sizes{700, 9001, 1, 4000, 2500};
  std::vector<std::vector<float>> rooms;
  std::vector<cuda::Buffer<float>> on_device;
  std::vector<cuda::HostResults::Mark> marks;
  for (std::size_t i = 0; i < sizes.size(); ++i) rooms.push_back(Room(sizes[i]));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    auto const& cuda = i % 2 == 0 ? Cuda() : other.Context();
    auto const values = Numbers(sizes[i], static_cast<float>(i));
    on_device.push_back(cuda::ToDevice(cuda, values));
    cuda.Synchronize();  // for `values`
    marks.push_back(results.Begin(OnDevice(), cuda, on_device[i].data(), sizes[i], rooms[i].data()));
  }
  results.Finish(OnDevice(), marks[1]);
  for (std::size_t i = 0; i < 2; ++i) ExpectArrived(Numbers(sizes[i], static_cast<float>(i)), rooms[i]);
  results.Finish(OnDevice(), marks[0]);  // again
  results.FinishAll(OnDevice());
  for (std::size_t i = 0; i < sizes.size(); ++i) ExpectArrived(Numbers(sizes[i], static_cast<float>(i)), rooms[i]);
}

/// The state after an error between a tile's beginning and its end: results that were not waited for are not copied.
TEST_F(HostResultsTest, AnEndThatNobodyWaitedFor) {
  auto const values = Numbers(20000, 1.0F);
  auto const on_device = cuda::ToDevice(Cuda(), values);
  auto left = Room(values.size());
  {
    cuda::HostResults results(0, kLoad);
    results.Begin(OnDevice(), Cuda(), on_device.data(), values.size(), left.data());
  }
  EXPECT_EQ(left[0], kUntouched) << "values come with Finish only";
  cuda::HostResults results(0, kLoad);
  auto room = Room(values.size());
  results.Begin(OnDevice(), Cuda(), on_device.data(), values.size(), room.data());
  results.FinishAll(OnDevice());
  ExpectArrived(values, room);
}

}  // namespace
}  // namespace kauri::testing
