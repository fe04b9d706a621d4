/// The bijective shuffle on the device (common/shuffle.h): images, their compaction by scan, and single positions are
/// those of the host.
#include <cub/device/device_select.cuh>
#include <vector>

#include "common/shuffle.h"
#include "cuda/common/launch.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

constexpr int kThreads = 256;

__global__ void ImagesKernel(Shuffle shuffle, std::int64_t* images) {
  std::int64_t const candidate = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (candidate < shuffle.NumCandidates()) images[candidate] = shuffle.Image(candidate);
}

/// The shuffle is made on the device.
__global__ void PositionsKernel(std::int64_t n, std::uint64_t seed, std::int64_t n_positions, std::int64_t* elements) {
  std::int64_t const position = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (position < n_positions) elements[position] = Shuffle(n, seed).Index(position);
}

struct IsBelow {
  std::int64_t n;
  __device__ bool operator()(std::int64_t image) const { return image < n; }
};

class CudaShuffleTest : public DeviceTest {
 protected:
  std::vector<std::int64_t> ListOnDevice(Shuffle const& shuffle) {
    auto const n_candidates = shuffle.NumCandidates();
    cuda::Buffer<std::int64_t> images(Cuda(), static_cast<std::size_t>(n_candidates));
    cuda::Launch(Cuda(), cuda::GridFor(n_candidates, kThreads), kThreads, ImagesKernel, shuffle, images.data());
    cuda::Buffer<std::int64_t> list(Cuda(), static_cast<std::size_t>(n_candidates));
    cuda::Buffer<std::int64_t> count(Cuda(), 1);
    cuda::CubScratch scratch;
    scratch.Run(Cuda(), [&](void* storage, std::size_t& bytes) {
      return cub::DeviceSelect::If(storage, bytes, images.data(), list.data(), count.data(),
                                   static_cast<int>(n_candidates), IsBelow{shuffle.Size()}, Cuda().stream);
    });
    EXPECT_EQ(Fetch(Cuda(), count)[0], shuffle.Size());
    return cuda::ToHost(Cuda(), list.data(), static_cast<std::size_t>(shuffle.Size()));
  }
};

TEST_F(CudaShuffleTest, IsTheHosts) {
  for (std::int64_t const n : {1, 5, 31, 32, 33, 255, 257, 4096, 1000003}) {
    Shuffle const shuffle(n, static_cast<std::uint64_t>(n));
    EXPECT_EQ(ListOnDevice(shuffle), shuffle.List({})) << n;
  }
}

TEST_F(CudaShuffleTest, PositionsAreTheHosts) {
  constexpr std::int64_t kPositions = 100;
  cuda::Buffer<std::int64_t> elements(Cuda(), kPositions);
  cuda::Launch(Cuda(), 1, 128, PositionsKernel, std::int64_t{1} << 40, std::uint64_t{7}, kPositions, elements.data());
  EXPECT_EQ(Fetch(Cuda(), elements), Shuffle(std::int64_t{1} << 40, 7).First({}, kPositions));
}

}  // namespace
}  // namespace kauri::testing
