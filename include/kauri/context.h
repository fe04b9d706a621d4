/// \file The context of every call: where and how it runs.
#pragma once

#include <cstdint>
#include <vector>

namespace kauri {

class Collective;

enum class DeviceKind { kCpu, kCuda };

struct Device {
  DeviceKind kind = DeviceKind::kCpu;
  int ordinal = 0;  ///< ordinal of the CUDA device; with several, of the first, which trains; 0 on the CPU
  /// Several CUDA devices over which predictions split their rows; they never change a result. Empty: one device.
  std::vector<int> ordinals = {};
};

struct Context {
  int threads = 1;  ///< worker threads, at least 1; never changes a result
  Device device;
  std::uint64_t seed = 0;
  /// connects the ranks that train one model, each on its rows; null: this process alone
  Collective* collective = nullptr;
};

}  // namespace kauri
