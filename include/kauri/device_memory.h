/// \file Arrays in the memory of a device: what the core asks of the plug-in that knows that memory (design D1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kauri/array_interface.h"
#include "kauri/data_matrix.h"
#include "kauri/span.h"

namespace kauri {

struct BinRequest;  // data/bins/codes_on_device.h
struct CodedRows;
struct DeviceBatches;
struct Context;

/// Owned numbers in device memory, ready to be read on any stream.
class DeviceNumbers {
 public:
  virtual ~DeviceNumbers() = default;
  virtual void const* Address() const = 0;  ///< the device's
  virtual DType Type() const = 0;
  virtual std::int64_t Size() const = 0;
  /// to: [Size()] numbers of Type() in host memory.
  virtual void CopyTo(void* to) const = 0;
};

/// Those of float32.
class DeviceFloats : public DeviceNumbers {
 public:
  virtual float const* Data() const = 0;  ///< the device's address
  virtual std::vector<float> ToHost() const = 0;
  void const* Address() const final { return Data(); }
  DType Type() const final { return DType::kF32; }
  void CopyTo(void* to) const final {
    auto const values = ToHost();
    std::copy(values.begin(), values.end(), static_cast<float*>(to));
  }
};

/// An array in host memory with its bytes, or without them when it is the caller's.
struct HostArray {
  std::unique_ptr<char[]> bytes;
  ArrayView view;
};

/// The elements of an array on their way to host memory.
struct ArrivingArray {
  using Take = std::function<void(char const* bytes, std::size_t n_bytes)>;

  ArrayView view;  ///< contiguous, without an address
  /// Hands over all bytes in order, part by part, whole elements in each; once, on any thread.
  std::function<void(Take const& take)> fetch;
};

/// const, shared by threads. All calls that take a DeviceArray wait for its stream, have read it when they return, and
/// \throw Error(kData) when its address, or that of its last element, is not in device memory, when it is not aligned
/// to its type, or when several arrays are on several devices; Error(kMemory) with what is needed.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  /// Whether `address` is in the memory of a device. Never throws.
  virtual bool Holds(void const* address) const = 0;
  /// Arrays of n_rows rows side by side as float32, NaN where they hold `missing`: contiguous, owned.
  /// \throws Error(kData) besides for an infinite value unless `missing` is.
  virtual std::unique_ptr<DeviceStorage> Copy(std::vector<DeviceArray> const& arrays, float missing) const = 0;
  /// The same, but one array of float32 whose missing values are NaN is not copied: it must stay while the result does.
  virtual std::unique_ptr<DeviceStorage> Borrow(std::vector<DeviceArray> const& arrays, float missing) const = 0;
  /// A copy in host memory, contiguous, of the same type.
  virtual HostArray ToHost(DeviceArray const& array) const = 0;
  /// Dense rows of numbers, cut exactly and coded where they are: the bins of the host's BinMatrix, bit for bit. The
  /// codes stay on that device; the rows may go. Several batches are asked for again and again. \throws Error(kMemory);
  /// Error(kData) for batches that are not the same every time.
  virtual CodedRows MakeBins(Context const& ctx, DeviceBatches const& rows, BinRequest const& request) const = 0;
  virtual std::unique_ptr<DeviceFloats> ToDevice(Span<float const> values, int device) const = 0;
  /// ToHost in two steps: the elements are copied within the device, which is quick, before this returns; what it
  /// returns brings them to the host.
  virtual ArrivingArray ToHostLater(DeviceArray const& array) const = 0;
  /// to[i] = from[p(i)] for rows of equal shape and type, with the permutation that the host has for this number of
  /// rows and seed (common/shuffle_rows.h); where the two are one array, in place, with that of shuffles in place.
  /// \throws Error(kDevice) besides when they are on two devices.
  virtual void ShuffleRows(DeviceArray const& from, DeviceArray const& to, std::uint64_t seed) const = 0;
  /// The first `count` elements of the host's Shuffle(n, seed), count at most n, as int64.
  virtual std::unique_ptr<DeviceNumbers> ListShuffle(std::int64_t n, std::uint64_t seed, std::int64_t count,
                                                     int device) const = 0;
};

/// That of CUDA devices; loads the plug-in. \throws Error(kDevice): why there is no device, and the cure.
std::unique_ptr<DeviceMemory> RequireDeviceMemory();

/// Whether `address` is in the memory of a CUDA device. Costs nothing in a process that has loaded no CUDA driver, as
/// there is no such address then; otherwise loads the plug-in. Without the plug-in, false. Never throws.
bool IsDeviceAddress(void const* address);

}  // namespace kauri
