#include <algorithm>
#include <limits>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/event.h"
#include "cuda/common/pinned_buffer.h"
#include "support/device_fixture.h"

namespace kauri::testing {
namespace {

using FarSignalTest = DeviceTest;

constexpr std::size_t kWords = 40;  // more than one launch waits for

/// A waiting stream sees the data written before the signal. Turns wrap around.
TEST_F(FarSignalTest, WhatWasDoneBeforeIsThere) {
  cuda::PinnedBuffer<std::uint32_t> words;
  words.Reserve((kWords + 1) * cuda::kSignalStride);
  cuda::StreamOwner const other(Cuda().device);
  auto turn = std::numeric_limits<std::uint32_t>::max() - 20;
  std::fill_n(words.data(), words.size(), turn);
  std::vector<std::uint32_t const*> awaited;
  for (std::size_t i = 0; i < kWords; ++i) awaited.push_back(words.data() + i * cuda::kSignalStride);
  auto* const gave_up = words.data() + kWords * cuda::kSignalStride;
  *gave_up = 0;
  cuda::Buffer<std::int32_t> values(Cuda(), 1 << 20U);
  std::vector<std::int32_t> read(values.size());
  for (int round = 0; round < 50; ++round) {
    ++turn;
    std::vector<std::int32_t> const written(values.size(), round);
    cuda::CopyToDevice(Cuda(), written.data(), written.size(), values.data());
    for (std::size_t i = 0; i < kWords; ++i) {
      cuda::SendSignal(Cuda(), words.data() + i * cuda::kSignalStride, turn);
    }
    cuda::AwaitSignals(other.Context(), awaited, turn, gave_up);
    cuda::CopyToHost(other.Context(), values.data(), values.size(), read.data());
    other.Context().Synchronize();
    ASSERT_EQ(read, written) << "round " << round;
    EXPECT_EQ(words.data()[cuda::kSignalStride], turn);
    EXPECT_EQ(*gave_up, 0U);
  }
}

/// After one wait has given up, no other waits.
TEST_F(FarSignalTest, NobodyWaitsForWhatDoesNotCome) {
  cuda::PinnedBuffer<std::uint32_t> words;
  words.Reserve(2 * cuda::kSignalStride);
  words.data()[0] = 4;
  auto* const gave_up = words.data() + cuda::kSignalStride;
  *gave_up = 1;
  cuda::AwaitSignals(Cuda(), {words.data()}, 5, gave_up);
  Cuda().Synchronize();
  EXPECT_EQ(*gave_up, 1U);
}

}  // namespace
}  // namespace kauri::testing
