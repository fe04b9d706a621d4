/// \file A group whose ranks find out that they have lost step, instead of waiting for each other or mixing up numbers.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "kauri/collective.h"
#include "kauri/error.h"

namespace kauri {

/// What every rank finds out at the same call: none has to be told by Abort, which might overtake the finding.
class AgreedError : public Error {
 public:
  using Error::Error;
};

/// Before each call the ranks compare what they are about to do: one more call of a few words. Where they differ all of
/// them fail, and the message names both sides.
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

  /// How many calls came before.
  std::uint64_t NumCalls() const { return n_calls_; }

 private:
  enum class Call : std::uint64_t { kSum, kSumParts, kMax, kGather };

  void RequireSame(Call call, std::size_t n_values);

  Collective* group_;
  std::uint64_t n_calls_ = 0;
};

/// \throws Error(kCollective), on every rank, unless `mine` is the same on all. `what` names it. One small call, or two
/// where it differs.
void RequireSameOnRanks(Context const& ctx, std::string const& what, std::string const& mine);

}  // namespace kauri
