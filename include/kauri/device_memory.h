/// \file Arrays in the memory of a device: the interface between the core and the plug-in that
/// manages this memory.
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

struct BinRequest;  // data/bins/bin_store.h
struct CodedRows;
struct DeviceBatches;
struct Context;

/// Owned numbers in device memory, ready to be read on any stream.
class DeviceNumbers {
 public:
  virtual ~DeviceNumbers() = default;
  virtual void const* Address() const = 0;  ///< an address of the device
  virtual DType Type() const = 0;
  virtual std::int64_t Size() const = 0;
  /// Copies the numbers to `to`: [Size()] numbers of Type() in host memory.
  virtual void CopyTo(void* to) const = 0;
};

/// Owned float32 numbers in device memory.
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
  /// Passes all bytes to `take` in order, in pieces of whole elements. Callable once, on any thread.
  std::function<void(Take const& take)> fetch;
};

/// Immutable, shared by threads. All calls that take a DeviceArray wait for its stream and have read it when they
/// return. They \throw Error(kData) when its address, or the address of its last element, is not in device memory, when
/// it is not aligned to its type, or when several arrays are on several devices; Error(kMemory) with the size that is
/// needed.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  /// Returns whether `address` is in the memory of a device. Never throws.
  virtual bool Holds(void const* address) const = 0;
  /// Copies arrays of n_rows rows side by side as float32, NaN where they hold `missing`. The result is contiguous and
  /// owned. \throws Error(kData) also for an infinite value unless `missing` is infinite.
  virtual std::unique_ptr<DeviceStorage> Copy(std::vector<DeviceArray> const& arrays, float missing) const = 0;
  /// Creates the same storage, but without copying a single float32 array whose missing values are NaN: the array must
  /// outlive the result.
  virtual std::unique_ptr<DeviceStorage> Borrow(std::vector<DeviceArray> const& arrays, float missing) const = 0;
  /// Copies an array to host memory, contiguous, of the same type.
  virtual HostArray ToHost(DeviceArray const& array) const = 0;
  /// Bins dense rows of numbers on their device, with exact bin edges: the bins equal the bins of the host's BinMatrix,
  /// bit for bit. The bin indices stay on that device; the rows may be freed. Several batches are requested repeatedly.
  /// \throws Error(kMemory); Error(kData) for batches that differ between passes.
  virtual CodedRows MakeBins(Context const& ctx, DeviceBatches const& rows, BinRequest const& request) const = 0;
  virtual std::unique_ptr<DeviceFloats> ToDevice(Span<float const> values, int device) const = 0;
  /// Copies an array to the host in two steps: the elements are copied within the device, which is quick, before this
  /// returns; the result's `fetch` brings them to the host.
  virtual ArrivingArray ToHostLater(DeviceArray const& array) const = 0;
  /// Shuffles rows: to[i] = from[p(i)] for rows of equal shape and type. p is the permutation that the host uses for
  /// this number of rows and seed (common/shuffle/shuffle_rows.h); if `from` and `to` are one array, the permutation of
  /// shuffles in place. \throws Error(kDevice) also when they are on two devices.
  virtual void ShuffleRows(DeviceArray const& from, DeviceArray const& to, std::uint64_t seed) const = 0;
  /// Computes the first `count` elements of the host's Shuffle(n, seed) as int64; count is at most n.
  virtual std::unique_ptr<DeviceNumbers> ListShuffle(std::int64_t n, std::uint64_t seed, std::int64_t count,
                                                     int device) const = 0;
};

/// Returns the memory of CUDA devices; loads the plug-in. \throws Error(kDevice), which says why there is no device,
/// and the cure.
std::unique_ptr<DeviceMemory> RequireDeviceMemory();

/// Returns whether `address` is in the memory of a CUDA device. Costs nothing in a process that has loaded no CUDA
/// driver, which has no such address; otherwise loads the plug-in. False without the plug-in. Never throws.
bool IsDeviceAddress(void const* address);

}  // namespace kauri
