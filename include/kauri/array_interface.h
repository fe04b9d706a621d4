/// \file Arrays owned by the caller, described by the array-interface protocol of NumPy (version 3).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace kauri {

/// Element types. kF128 is the long double of this machine, in 16 bytes.
enum class DType { kF16, kF32, kF64, kF128, kI8, kI16, kI32, kI64, kU8, kU16, kU32, kU64, kBool };

/// One- or two-dimensional strided array in host memory. Not owning; never written to.
struct ArrayView {
  void const* data = nullptr;
  DType dtype = DType::kF32;
  std::array<std::int64_t, 2> shape{0, 1};    ///< [rows, columns]; columns is 1 for a vector
  std::array<std::int64_t, 2> strides{0, 0};  ///< in bytes, may be negative
  int n_dims = 1;

  std::int64_t Size() const { return shape[0] * shape[1]; }
};

/// Parses `{"data": [address, read_only], "typestr": "<f4", "shape": [..], "strides": null | [..], "version": 3}`.
/// \throws Error(kData) for malformed text, unsupported dtype or byte order, more than two dimensions, a null address
/// with
///         a non-empty shape, negative or overflowing shapes, a mask, or an array that lives on a device.
ArrayView ParseArrayInterface(std::string const& json);

/// An array in device memory, described by the CUDA array interface: the same text, with "stream" from version 3 on.
struct DeviceArray {
  static constexpr std::uint64_t kReady = 0;
  static constexpr std::uint64_t kLegacyStream = 1;

  ArrayView view;  ///< holds device addresses, which the host never reads; strides are not negative
  /// Stream whose queued work must end before the array may be read: kReady for none, kLegacyStream, 2 for the default
  /// stream of the thread, else a handle.
  std::uint64_t stream = kLegacyStream;
  bool names_stream = false;  ///< true if the text has "stream"; the text of host memory never has
};

/// Parses a CUDA array interface. Without "stream" (version 2) the array waits for the legacy default stream. The
/// function does not check that the address is a device's. \throws Error(kData) as ParseArrayInterface does, for stream
/// 0, for negative strides, and for kF128.
DeviceArray ParseDeviceArrayInterface(std::string const& json);
/// Parses the interface of an array that may also be in host memory: strides may be negative.
DeviceArray ParseAnyArrayInterface(std::string const& json);

/// Returns an element as float64 (int64 beyond 2^53 rounds). Slow path: hot loops use DispatchDType of
/// src/data/arrays/array_dispatch.h.
double ElementAsDouble(ArrayView const& array, std::int64_t row, std::int64_t col);

}  // namespace kauri
