#include "common/large_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

namespace kauri {
namespace {

/// Sizes below and above the threshold for large pages.
constexpr std::size_t kSizes[] = {0, 1, 1000, (std::size_t{4} << 20U) / sizeof(std::uint32_t) + 4097};

TEST(LargeMemory, ResizesAsAVectorDoes) {
  for (auto const n : kSizes) {
    std::vector<std::uint32_t> values;
    ResizeLarge(&values, n);
    EXPECT_EQ(values, std::vector<std::uint32_t>(n));
  }
}

TEST(LargeMemory, PagesFromAllThreadsAreZero) {
  Context ctx;
  ctx.threads = 4;
  for (auto const n : kSizes) {
    std::vector<std::uint32_t> values;
    ResizeLarge(ctx, &values, n);
    EXPECT_EQ(values, std::vector<std::uint32_t>(n));
  }
}

TEST(LargeMemory, WhatIsThereStays) {
  std::vector<std::uint32_t> values(1000);
  std::iota(values.begin(), values.end(), 0U);
  auto expected = values;
  expected.resize(kSizes[3]);
  ResizeLarge(&values, kSizes[3]);
  EXPECT_EQ(values, expected);
}

}  // namespace
}  // namespace kauri
