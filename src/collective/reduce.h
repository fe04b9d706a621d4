/// \file The most frequent communication between ranks. With one rank every function returns its input unchanged.
#pragma once

#include <cstdint>
#include <cstring>
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

}  // namespace kauri
