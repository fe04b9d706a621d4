/// \file A group whose ranks detect that they are out of step, instead of waiting for each other or mixing up numbers.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "kauri/collective.h"
#include "kauri/error.h"

namespace kauri {

/// An error that every rank detects at the same call. It needs no Abort, which might arrive before the detection.
class AgreedError : public Error {
 public:
  using Error::Error;
};

/// Before each call, the ranks compare their next calls by one additional call of a few words. If these differ, all
/// ranks fail, and the message names both sides.
class CheckedCollective : public Collective {
 public:
  /// `group` is not owned.
  explicit CheckedCollective(Collective* group) : group_(group) {}

  int Rank() const override { return group_->Rank(); }
  int Size() const override { return group_->Size(); }
  void Sum(Span<std::int64_t> values) override;
  void SumParts(Span<std::int64_t> values, Span<std::uint64_t const> begins) override;
  void Max(Span<std::uint64_t> values) override;
  std::vector<std::vector<std::byte>> Gather(Span<std::byte const> mine) override;
  void Abort(std::string const& why) noexcept override { group_->Abort(why); }

  /// Returns the number of previous calls.
  std::uint64_t NumCalls() const { return n_calls_; }

 private:
  enum class Call : std::uint64_t { kSum, kSumParts, kMax, kGather };

  void RequireSame(Call call, std::size_t n_values);

  Collective* group_;
  std::uint64_t n_calls_ = 0;
};

/// \throws Error(kCollective), on every rank, unless `mine` is the same on all ranks. what: its name in the message.
/// Costs one small call, or two if it differs.
void RequireSameOnRanks(Context const& ctx, std::string const& what, std::string const& mine);

}  // namespace kauri
