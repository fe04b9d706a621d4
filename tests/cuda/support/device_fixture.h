/// \file Code shared by the tests of the plug-in.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "kauri/error.h"
#include "kauri/registry.h"
#include "support/error.h"
#include "support/need.h"
#include "support/random_matrix.h"

namespace kauri::testing {

inline bool HasDevice() {
  int n_devices = 0;
  return cudaGetDeviceCount(&n_devices) == cudaSuccess && n_devices > 0;
}

/// Skips without a device; otherwise has a stream on the first device.
class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    KAURI_SKIP_UNLESS(HasDevice(), "no CUDA device");
    stream_ = std::make_unique<cuda::StreamOwner>(0);
  }
  cuda::CudaContext const& Cuda() const { return stream_->Context(); }
  static Context OnDevice(int threads = 2) {
    Context ctx;
    ctx.threads = threads;
    ctx.device.kind = DeviceKind::kCuda;
    return ctx;
  }

 private:
  std::unique_ptr<cuda::StreamOwner> stream_;
};

template <typename T>
std::vector<T> Fetch(cuda::CudaContext const& cuda, cuda::Buffer<T> const& buffer) {
  return cuda::ToHost(cuda, buffer.data(), buffer.size());
}

/// Compares bit by bit, except that all NaNs are equal. The message names the first difference.
inline ::testing::AssertionResult SameFloats(Span<float const> a, Span<float const> b) {
  if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << " and " << b.size() << " floats";
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (std::memcmp(&a[i], &b[i], sizeof(float)) == 0) continue;
    return ::testing::AssertionFailure() << "number " << i << " of " << a.size() << ": " << a[i] << " and " << b[i];
  }
  return ::testing::AssertionSuccess();
}

inline ::testing::AssertionResult SameFloats(std::vector<float> const& a, std::vector<float> const& b) {
  return SameFloats(Span<float const>(a), Span<float const>(b));
}

inline std::vector<float> UniformValues(std::size_t n, float low, float high, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(n);
  for (auto& value : values) value = low + (high - low) * static_cast<float>(random.Uniform());
  return values;
}

}  // namespace kauri::testing
