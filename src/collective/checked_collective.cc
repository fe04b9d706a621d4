#include "collective/checked_collective.h"

#include "common/files/checksum.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::array<char const*, 4> kNames{"Sum", "SumParts", "Max", "Gather"};

/// Returns whether all ranks have the same words. One maximum covers the words and their complements; the largest
/// complement belongs to the smallest word.
template <std::size_t kWords>
bool AreSame(Collective* group, std::array<std::uint64_t, kWords> const& words) {
  std::array<std::uint64_t, 2 * kWords> both{};
  for (std::size_t i = 0; i < kWords; ++i) {
    both[i] = words[i];
    both[kWords + i] = ~words[i];
  }
  group->Max({both.data(), both.size()});
  for (std::size_t i = 0; i < kWords; ++i) {
    if (both[i] != ~both[kWords + i]) return false;
  }
  return true;
}

/// Returns the first rank whose bytes differ from rank 0's. It exists unless the calls of the group are faulty.
int FirstOther(std::vector<std::vector<std::byte>> const& all) {
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] != all[0]) return static_cast<int>(rank);
  }
  Fail(ErrorKind::kCollective,
       "max() says that the ranks differ in what they do, but gather() returns the same from all of them; check that ",
       "the functions that the group was made with deliver every byte unchanged.");
}

std::string TextOf(std::vector<std::byte> const& bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

[[noreturn]] void FailForDifference(Collective* group, std::string const& what, std::string const& mine) {
  auto const all = group->Gather({reinterpret_cast<std::byte const*>(mine.data()), mine.size()});
  auto const other = FirstOther(all);
  throw AgreedError(ErrorKind::kCollective, "the ranks of the group differ in " + what + ": rank 0 has " +
                                                TextOf(all[0]) + ", rank " + std::to_string(other) + " has " +
                                                TextOf(all[static_cast<std::size_t>(other)]) +
                                                "; all must do the same.");
}

}  // namespace

void CheckedCollective::RequireSame(Call call, std::size_t n_values) {
  auto const number = static_cast<std::uint64_t>(call);
  std::array<std::uint64_t, 3> const words{n_calls_, number, call == Call::kGather ? 0U : n_values};
  ++n_calls_;
  if (AreSame(group_, words)) return;
  FailForDifference(group_, "their calls",
                    "call " + std::to_string(words[0]) + ", " + kNames[number] + " of " + std::to_string(n_values));
}

void CheckedCollective::Sum(Span<std::int64_t> values) {
  RequireSame(Call::kSum, values.size());
  group_->Sum(values);
}

void CheckedCollective::SumParts(Span<std::int64_t> values, Span<std::uint64_t const> begins) {
  RequireSame(Call::kSumParts, values.size());
  group_->SumParts(values, begins);
}

void CheckedCollective::Max(Span<std::uint64_t> values) {
  RequireSame(Call::kMax, values.size());
  group_->Max(values);
}

std::vector<std::vector<std::byte>> CheckedCollective::Gather(Span<std::byte const> mine) {
  RequireSame(Call::kGather, mine.size());
  return group_->Gather(mine);
}

void RequireSameOnRanks(Context const& ctx, std::string const& what, std::string const& mine) {
  if (!IsDistributed(ctx)) return;
  std::array<std::uint64_t, 2> const words{Crc32c({mine.data(), mine.size()}), mine.size()};
  if (!AreSame(ctx.collective, words)) FailForDifference(ctx.collective, what, mine);
}

}  // namespace kauri
