/// The bijective shuffle on the device (cuda/common/shuffle.h): rows, lists and single elements equal the host's, byte
/// for byte.
#include <algorithm>
#include <vector>

#include "cuda/common/look_back.h"
#include "cuda/common/shuffle.h"
#include "cuda/common/shuffle_kernel.cuh"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

/// Sizes of about a word, a warp, a block and a tile of either kind, and around powers of two. The largest takes tiles
/// of eight candidates a thread.
std::vector<std::int64_t> const kSizes{1,   2,   5,    15,   16,   17,   31,   32,   33,    255,
                                       256, 257, 1023, 1024, 1025, 2047, 2049, 4096, 65536, 1000003};

/// Computes elements, with the shuffle made on the device.
__global__ void PositionsKernel(std::int64_t n, std::uint64_t seed, std::int64_t n_positions, std::int64_t* elements) {
  std::int64_t const position = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (position < n_positions) elements[position] = Shuffle(n, seed).Index(position);
}

__global__ void RanksKernel(Shuffle shuffle, std::int64_t* ranks) {
  std::int64_t const element = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (element < shuffle.Size()) ranks[element] = shuffle.Rank(element);
}

struct Layout {
  std::int64_t row_bytes;
  std::int64_t from_stride;
  std::int64_t to_stride;
  std::int64_t offset;  ///< of the first row
};

class CudaShuffleTest : public DeviceTest {
 protected:
  std::vector<std::int64_t> ListOnDevice(Shuffle const& shuffle, std::int64_t count) {
    cuda::Buffer<std::int64_t> list(Cuda(), static_cast<std::size_t>(count));
    cuda::ListShuffle(Cuda(), shuffle, list.span(), &look_back_);
    return Fetch(Cuda(), list);
  }

  static std::vector<char> MakeRows(std::int64_t bytes) {
    std::vector<char> rows(static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<char>(RandomBits(1, i));
    return rows;
  }

  void ExpectRows(std::int64_t n, Layout const& layout, std::uint64_t seed) {
    auto const from = MakeRows(layout.offset + n * layout.from_stride);
    std::vector<char> expected(static_cast<std::size_t>(layout.offset + n * layout.to_stride), 'x');
    auto const source = cuda::ToDevice(Cuda(), from);
    auto const target = cuda::ToDevice(Cuda(), expected);
    auto const move = [&](char const* in, char* out) {
      return RowMove{in + layout.offset, out + layout.offset, layout.from_stride, layout.to_stride, n,
                     layout.row_bytes};
    };
    kauri::ShuffleRows({}, move(from.data(), expected.data()), seed);
    cuda::ShuffleDeviceRows(Cuda(), move(source.data(), target.data()), seed, &look_back_);
    ASSERT_TRUE(Fetch(Cuda(), target) == expected) << n << " rows of " << layout.row_bytes << " bytes";
  }

  void ExpectRowsInPlace(std::int64_t n, Layout const& layout, std::uint64_t seed) {
    auto expected = MakeRows(layout.offset + n * layout.to_stride);
    auto const rows = cuda::ToDevice(Cuda(), expected);
    auto const move = [&](char* data) {
      return RowMove{data + layout.offset, data + layout.offset, layout.to_stride, layout.to_stride, n,
                     layout.row_bytes};
    };
    kauri::ShuffleRowsInPlace({}, move(expected.data()), seed);
    cuda::ShuffleDeviceRowsInPlace(Cuda(), move(rows.data()), seed);
    ASSERT_TRUE(Fetch(Cuda(), rows) == expected) << n << " rows of " << layout.row_bytes << " bytes";
  }

  cuda::LookBack look_back_;
};

/// Words of each size, one and more per row, gaps, and addresses that force smaller words.
std::vector<Layout> const kLayouts{
    {1, 1, 1, 0},  {2, 2, 2, 0},    {4, 4, 4, 0},    {8, 8, 8, 0},    {16, 16, 16, 0},       {3, 3, 3, 0},
    {6, 6, 6, 0},  {12, 12, 12, 0}, {24, 24, 24, 0}, {48, 48, 64, 0}, {100, 104, 108, 4},    {8, 24, 8, 0},
    {8, 8, 40, 0}, {8, 8, 8, 1},    {16, 16, 16, 8}, {4, 28, 4, 0},   {1000, 1000, 1000, 0}, {520, 520, 520, 8}};

TEST_F(CudaShuffleTest, ListsAreTheHosts) {
  for (auto const n : kSizes) {
    Shuffle const shuffle(n, static_cast<std::uint64_t>(n));
    ASSERT_EQ(ListOnDevice(shuffle, n), shuffle.List({})) << n;
    for (std::int64_t const count : {std::int64_t{0}, std::int64_t{1}, n / 3, n - 1}) {
      ASSERT_EQ(ListOnDevice(shuffle, count), shuffle.First({}, count)) << n << " " << count;
    }
  }
}

TEST_F(CudaShuffleTest, FirstElementsOfWhatNoMemoryHolds) {
  for (auto const n : {std::int64_t{1} << 40, (std::int64_t{1} << 61) + 7}) {
    Shuffle const shuffle(n, 7);
    for (std::int64_t const count : {1, 100, 100000}) EXPECT_EQ(ListOnDevice(shuffle, count), shuffle.First({}, count));
  }
}

TEST_F(CudaShuffleTest, PositionsAreTheHosts) {
  constexpr std::int64_t kPositions = 100;
  cuda::Buffer<std::int64_t> elements(Cuda(), kPositions);
  cuda::Launch(Cuda(), 1, 128, PositionsKernel, std::int64_t{1} << 40, std::uint64_t{7}, kPositions, elements.data());
  EXPECT_EQ(Fetch(Cuda(), elements), Shuffle(std::int64_t{1} << 40, 7).First({}, kPositions));
}

TEST_F(CudaShuffleTest, RanksAreTheHosts) {
  constexpr std::int64_t kElements = 5000;
  Shuffle const shuffle(kElements, 3);
  cuda::Buffer<std::int64_t> ranks(Cuda(), kElements);
  cuda::Launch(Cuda(), cuda::GridFor(kElements, 128), 128, RanksKernel, shuffle, ranks.data());
  auto const found = Fetch(Cuda(), ranks);
  for (std::int64_t element = 0; element < kElements; ++element) ASSERT_EQ(found[element], shuffle.Rank(element));
}

TEST_F(CudaShuffleTest, RowsAreTheHosts) {
  for (auto const n : kSizes) ExpectRows(n, {8, 8, 8, 0}, static_cast<std::uint64_t>(n));
  for (auto const& layout : kLayouts) {
    for (std::int64_t const n : {1, 33, 2049, 50000}) ExpectRows(n, layout, 4);
  }
  ExpectRows((std::int64_t{1} << 22) + 1, {4, 4, 4, 0}, 5);  // many tiles of eight candidates a thread
  ExpectRows((std::int64_t{1} << 22) - 1, {8, 8, 8, 0}, 6);
}

TEST_F(CudaShuffleTest, RowsInPlaceAreTheHosts) {
  for (auto const n : kSizes) ExpectRowsInPlace(n, {8, 8, 8, 0}, static_cast<std::uint64_t>(n));
  for (auto const& layout : kLayouts) {
    for (std::int64_t const n : {2, 33, 2049}) ExpectRowsInPlace(n, layout, 4);
  }
}

/// Distinguishes the words of old launches, for all numbers that launches can have.
TEST_F(CudaShuffleTest, ScratchMemoryLastsForManyLaunches) {
  auto const of = [](std::int64_t n, std::uint64_t seed) { return Shuffle(n, seed).List({}); };
  auto const large = of(70000, 1);
  auto const small = of(3000, 2);
  for (unsigned launch = 0; launch <= cuda::LookBackLaunch::kMaxNumber / 2 + 100; ++launch) {
    bool const looks = launch % 1000 < 3 || launch > cuda::LookBackLaunch::kMaxNumber / 2;
    cuda::Buffer<std::int64_t> list(Cuda(), 70000);
    cuda::ListShuffle(Cuda(), Shuffle(70000, 1), {list.data(), 70000}, &look_back_);
    if (looks) {
      ASSERT_EQ(Fetch(Cuda(), list), large) << launch;
    }
    cuda::ListShuffle(Cuda(), Shuffle(3000, 2), {list.data(), 3000}, &look_back_);
    if (looks) {
      ASSERT_EQ(cuda::ToHost(Cuda(), list.data(), 3000), small) << launch;
    }
  }
}

/// Runs the same kernel with the other bijections, which exist for comparisons.
template <typename Bijection>
std::vector<std::int64_t> ListWith(cuda::CudaContext const& cuda, std::int64_t n, cuda::LookBack* look_back) {
  BijectiveShuffle<Bijection> const shuffle(n, 12);
  cuda::Buffer<std::int64_t> list(cuda, static_cast<std::size_t>(n));
  cuda::LaunchShuffle(cuda, shuffle, {0, shuffle.NumCandidates(), 0}, cuda::ImageList{list.data(), n}, look_back);
  return Fetch(cuda, list);
}

TEST_F(CudaShuffleTest, OtherBijections) {
  for (std::int64_t const n : {1, 33, 5000}) {
    EXPECT_EQ(ListWith<LinearCongruential>(Cuda(), n, &look_back_),
              BijectiveShuffle<LinearCongruential>(n, 12).List({}));
    EXPECT_EQ(ListWith<SwapOrNot>(Cuda(), n, &look_back_), BijectiveShuffle<SwapOrNot>(n, 12).List({}));
  }
}

TEST_F(CudaShuffleTest, TwiceTheSameBytes) {
  Shuffle const shuffle(3000001, 9);
  auto const once = ListOnDevice(shuffle, shuffle.Size());
  for (int run = 0; run < 10; ++run) ASSERT_TRUE(ListOnDevice(shuffle, shuffle.Size()) == once);
}

}  // namespace
}  // namespace kauri::testing
