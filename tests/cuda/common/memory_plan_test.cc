#include "cuda/common/memory_plan.h"

#include <cstdint>
#include <limits>

#include "cuda/engine/engine_data.h"
#include "support/device_fixture.h"
#include "support/error.h"

namespace kauri::testing {
namespace {

using cuda::RequireWithin;

/// Needs no device: the free bytes are given.
TEST(MemoryPlan, NamesBytesAndCure) {
  cuda::CudaContext const cuda{1, nullptr};
  RequireWithin(100, cuda, "training on 10 rows", {{"margins", 60}, {"gradients", 40}});
  ExpectParts(MessageOf(ErrorKind::kMemory,
                        [&] {
                          RequireWithin(100, cuda, "training on 10 rows", {{"margins", 60}, {"gradients", 41}});
                        }),
              {"cuda:1", "training on 10 rows", "101 bytes are needed (margins 60, gradients 41)", "100 are free",
               "fewer rows", "device=cpu"});
}

TEST(MemoryPlan, NothingFitsNowhere) {
  cuda::CudaContext const cuda{0, nullptr};
  RequireWithin(0, cuda, "nothing", {});
  RequireWithin(0, cuda, "nothing", {{"rows", 0}});
  EXPECT_THROW(RequireWithin(0, cuda, "one byte", {{"rows", 0}, {"byte", 1}}), Error);
}

/// A sum that wraps around must not count as small.
TEST(MemoryPlan, SumsDoNotWrap) {
  auto const most = std::numeric_limits<std::size_t>::max();
  for (auto const part : {most, most / 2 + 1}) {
    EXPECT_THROW(RequireWithin(most - 1, {0, nullptr}, "much", {{"a", part}, {"b", part}, {"c", 2}}), Error);
  }
}

class MemoryPlanTest : public DeviceTest {};

TEST_F(MemoryPlanTest, FreeBytesCountWhatThePoolHolds) {
  auto const before = cuda::FreeBytes(Cuda());
  std::size_t const bytes = std::size_t{64} << 20U;
  {
    cuda::Buffer<unsigned char> const held(Cuda(), bytes);
    EXPECT_LE(cuda::FreeBytes(Cuda()) + bytes / 2, before);
  }
  Cuda().Synchronize();  // for the release
  EXPECT_GE(cuda::FreeBytes(Cuda()) + bytes / 2, before);
}

/// A huge number of outputs stands for a device that is too small.
TEST_F(MemoryPlanTest, TheEngineAsksBeforeItAllocates) {
  auto const matrix = MakeMatrix({1000, 2, 0.0, 0, false, 1});
  auto const before = cuda::FreeBytes(Cuda());
  cuda::EngineData data;
  ExpectParts(MessageOf(ErrorKind::kMemory, [&] { data.Restart(Cuda(), *matrix, std::int64_t{1} << 40U, {}); }),
              {"cuda:0", "margins of 1000 rows and 1099511627776 outputs", "bytes are needed", "device=cpu"});
  EXPECT_EQ(cuda::FreeBytes(Cuda()), before);
  // The next request, a smaller one, works.
  std::vector<float> const start{0.5F};
  data.Restart(Cuda(), *matrix, 1, start);
  auto const margins = data.rows.Margins(Cuda());
  EXPECT_EQ(cuda::ToHost(Cuda(), margins.data(), margins.size()), std::vector<float>(1000, 0.5F));
}

}  // namespace
}  // namespace kauri::testing
