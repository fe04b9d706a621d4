/// \file The most frequent communication between ranks. With one rank every function returns its input unchanged. A
/// parcel sends several arrays in one call of Gather.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kauri/collective.h"
#include "kauri/error.h"

namespace kauri {

inline void SumOverRanks(Context const& ctx, Span<std::int64_t> values) {
  if (IsDistributed(ctx)) ctx.collective->Sum(values);
}
inline std::int64_t SumOverRanks(Context const& ctx, std::int64_t value) {
  SumOverRanks(ctx, Span<std::int64_t>(&value, 1));
  return value;
}

inline void MaxOverRanks(Context const& ctx, Span<std::uint64_t> values) {
  if (IsDistributed(ctx)) ctx.collective->Max(values);
}
inline std::uint64_t MaxOverRanks(Context const& ctx, std::uint64_t value) {
  MaxOverRanks(ctx, Span<std::uint64_t>(&value, 1));
  return value;
}

/// Returns the values of every rank, by rank; with one rank its own. T: trivially copyable. \throws Error(kCollective)
/// if a rank did not send a whole number of values. The caller must check the values, because messages are untrusted.
template <typename T>
std::vector<std::vector<T>> GatherOverRanks(Context const& ctx, std::vector<T> const& mine) {
  if (!IsDistributed(ctx)) return {mine};
  auto const* bytes = reinterpret_cast<std::byte const*>(mine.data());
  std::vector<std::vector<T>> all;
  for (auto const& rank : ctx.collective->Gather({bytes, mine.size() * sizeof(T)})) {
    if (rank.size() % sizeof(T) != 0) {
      Fail(ErrorKind::kCollective, "a message from a rank has ", rank.size(), " bytes; expected a multiple of ",
           sizeof(T), ", the size of one value. Run the same version of Kauri on all ranks.");
    }
    all.emplace_back(rank.size() / sizeof(T));
    if (!rank.empty()) std::memcpy(static_cast<void*>(all.back().data()), rank.data(), rank.size());
  }
  return all;
}

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
