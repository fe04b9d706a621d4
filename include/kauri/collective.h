/// \file What processes, or threads, that learn one model together say to each other.
///
/// Vocabulary. Those that learn together are ranks; each has some of the rows. Every rank makes the same calls in the
/// same order with as many values, and so takes the same decisions: nobody leads.
///
/// There is no sum of floating-point numbers: it would depend on the order. Integers have the same sum in any order, so
/// the model does not depend on how many ranks there are, or on which rows each has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kauri/context.h"
#include "kauri/span.h"

namespace kauri {

/// Calls block; one thread of a rank calls at a time. A failure on one rank reaches the others by Abort, or by their
/// deadline, as Error(kCollective); the group is dead then, for all of its ranks.
class Collective {
 public:
  virtual ~Collective() = default;
  virtual int Rank() const = 0;  ///< of the caller: 0 .. Size() - 1
  virtual int Size() const = 0;
  /// Each value becomes its sum over all ranks, modulo 2^64.
  virtual void Sum(Span<std::int64_t> values) = 0;
  /// Sum of which a rank needs a part only: on rank r the values [begins[r], begins[r + 1]) become their sums over all
  /// ranks; what the others are is not defined then. begins: [Size() + 1], ascending from 0 to values.size(), the same
  /// on all ranks. Half of what Sum sends; where a group knows no better, it is Sum.
  virtual void SumParts(Span<std::int64_t> values, Span<std::uint64_t const> /*begins*/) { Sum(values); }
  /// Each value becomes its largest over all ranks.
  virtual void Max(Span<std::uint64_t> values) = 0;
  /// What every rank gives, by rank; as many bytes as each likes.
  virtual std::vector<std::vector<std::byte>> Gather(Span<std::byte const> mine) = 0;
  /// Ends the group: calls of all ranks, those that wait as well, fail with what `why` says. From any thread.
  virtual void Abort(std::string const& why) noexcept = 0;
};

/// Whether a call is one of several ranks'. `ctx.collective` is there then.
inline bool IsDistributed(Context const& ctx) { return ctx.collective != nullptr && ctx.collective->Size() > 1; }

}  // namespace kauri
