/// \file The messages between processes, or threads, that train one model together.
///
/// Vocabulary. The participants are ranks; each has some of the rows. Every rank makes the same calls in the same order
/// with the same number of values, and so takes the same decisions: there is no leader.
///
/// There is no sum of floating-point numbers: it would depend on the order. Integers have the same sum in any order, so
/// the model does not depend on the number of ranks or on the partition of the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kauri/context.h"
#include "kauri/span.h"

namespace kauri {

/// The functions that ranks communicate through. Calls block; one thread of a rank calls at a time. A failure on one
/// rank reaches the others through Abort, or through their timeout, as Error(kCollective); the group is then dead for
/// all of its ranks.
class Collective {
 public:
  virtual ~Collective() = default;
  virtual int Rank() const = 0;  ///< the caller's rank: 0 .. Size() - 1
  virtual int Size() const = 0;
  /// Replaces each value by its sum over all ranks, modulo 2^64.
  virtual void Sum(Span<std::int64_t> values) = 0;
  /// Reduces and scatters: on rank r the values [begins[r], begins[r + 1]) become their sums over all ranks; the other
  /// values are undefined then. begins: [Size() + 1], ascending from 0 to values.size(), the same on all ranks. It
  /// sends half as much as Sum; the default calls Sum.
  virtual void SumParts(Span<std::int64_t> values, Span<std::uint64_t const> /*begins*/) { Sum(values); }
  /// Replaces each value by its maximum over all ranks.
  virtual void Max(Span<std::uint64_t> values) = 0;
  /// Returns the bytes that every rank passes, by rank. Ranks may pass different numbers of bytes.
  virtual std::vector<std::vector<std::byte>> Gather(Span<std::byte const> mine) = 0;
  /// Ends the group: calls of all ranks, including waiting ones, fail with the message `why`. Callable from any thread.
  virtual void Abort(std::string const& why) noexcept = 0;
};

/// Returns whether the call is made by several ranks together. `ctx.collective` is not null then.
inline bool IsDistributed(Context const& ctx) { return ctx.collective != nullptr && ctx.collective->Size() > 1; }

}  // namespace kauri
