/// \file The warp of code that is generic over it (path_warp.h), on the device: a variable is a register, and all 32
/// lanes take part in every call.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kauri/host_device.h"

namespace kauri::cuda {

/// Compiled for host and device, like path_warp.h; only the device's code does anything.
struct DeviceWarp {
  template <typename T>
  struct Var {
    T value;
    KAURI_HD T& operator[](int) { return value; }
    KAURI_HD T const& operator[](int) const { return value; }
  };

  KAURI_HD static int Lane() {
#if defined(__CUDA_ARCH__)
    return static_cast<int>(threadIdx.x % 32U);
#else
    return 0;
#endif
  }
  template <typename Fn>
  KAURI_HD void Each(Fn&& fn) const {
    fn(Lane());
  }
  template <typename T>
  KAURI_HD Var<T> Shuffle([[maybe_unused]] Var<T> const& from, [[maybe_unused]] Var<std::int32_t> const& place) const {
#if defined(__CUDA_ARCH__)
    return {__shfl_sync(kAll, from.value, place.value)};
#else
    return from;
#endif
  }
  /// Returns the value of the previous lane; the first lane keeps its own.
  template <typename T>
  KAURI_HD Var<T> ShuffleUp(Var<T> const& from) const {
#if defined(__CUDA_ARCH__)
    return {__shfl_up_sync(kAll, from.value, 1)};
#else
    return from;
#endif
  }
  KAURI_HD std::uint32_t Ballot([[maybe_unused]] Var<bool> const& from) const {
#if defined(__CUDA_ARCH__)
    return __ballot_sync(kAll, from.value);
#else
    return 0;
#endif
  }
  KAURI_HD std::int32_t Max(Var<std::int32_t> const& from) const {
#if defined(__CUDA_ARCH__)
    auto largest = from.value;
    for (int distance = 16; distance > 0; distance /= 2) {
      auto const other = __shfl_xor_sync(kAll, largest, distance);
      largest = other > largest ? other : largest;
    }
    return largest;
#else
    return from.value;
#endif
  }

 private:
  static constexpr unsigned kAll = 0xFFFFFFFFU;
};

}  // namespace kauri::cuda
