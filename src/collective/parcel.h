/// \file Sends several arrays in one call of Gather.
#pragma once

#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kauri/collective.h"

namespace kauri {

/// Fails for a message that is inconsistent with the rank's data, because messages are untrusted. \throws
/// Error(kCollective).
[[noreturn]] void FailParcel(std::string const& what);

/// Arrays of trivially copyable values, stored one after another, each preceded by its size in bytes.
class Parcel {
 public:
  template <typename T>
  void Add(Span<T const> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    AddBytes(values.data(), values.size() * sizeof(T));
  }
  template <typename T>
  void Add(std::vector<T> const& values) {
    Add(Span<T const>(values));
  }
  std::vector<std::byte> const& Bytes() const { return bytes_; }

 private:
  void AddBytes(void const* data, std::size_t size);

  std::vector<std::byte> bytes_;
};

/// The arrays received from a rank, in the order in which they were added.
class OpenParcel {
 public:
  explicit OpenParcel(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

  /// Returns the next array. \throws Error(kCollective) unless it exists and consists of whole values.
  template <typename T>
  std::vector<T> Take() {
    auto const size = NextSize(sizeof(T));
    std::vector<T> values(size / sizeof(T));
    if (size > 0) std::memcpy(static_cast<void*>(values.data()), bytes_.data() + cursor_, size);
    cursor_ += size;
    return values;
  }

 private:
  /// Returns the size in bytes of the array at the cursor.
  std::size_t NextSize(std::size_t value_size);

  std::vector<std::byte> bytes_;
  std::size_t cursor_ = 0;
};

/// Returns the parcels of all ranks, by rank. Requires IsDistributed.
std::vector<OpenParcel> GatherParcels(Context const& ctx, Parcel const& mine);

}  // namespace kauri
