/// \file A collective that corrupts messages.
#pragma once

#include <gtest/gtest.h>

#include <random>

#include "collective/ranks.h"
#include "kauri/context.h"
#include "kauri/error.h"

namespace kauri {

/// Changes, cuts off or adds a few bytes in gathers of other ranks, in one call of three.
class NoisyCollective : public Collective {
 public:
  NoisyCollective(Collective* group, std::uint32_t seed)
      : group_(group), random_(seed + 100U * static_cast<std::uint32_t>(group->Rank())) {}

  int Rank() const override { return group_->Rank(); }
  int Size() const override { return group_->Size(); }
  void Sum(Span<std::int64_t> values) override { group_->Sum(values); }
  void Max(Span<std::uint64_t> values) override { group_->Max(values); }
  std::vector<std::vector<std::byte>> Gather(Span<std::byte const> mine) override {
    auto all = group_->Gather(mine);
    if (random_() % 3 == 0) Change(&all[random_() % all.size()]);
    return all;
  }
  void Abort(std::string const& why) noexcept override { group_->Abort(why); }

 private:
  void Change(std::vector<std::byte>* bytes) {
    auto const kind = random_() % 4;
    if (kind == 0) bytes->resize(random_() % (bytes->size() + 1));
    if (kind == 1) bytes->resize(bytes->size() + 1 + random_() % 24, std::byte{1});
    for (int i = 0; kind > 1 && i < 3 && !bytes->empty(); ++i) {
      // Sizes and ranges at the beginning are corrupted as often as the rest.
      auto const bound = kind == 2 ? std::min<std::size_t>(bytes->size(), 80) : bytes->size();
      (*bytes)[random_() % bound] = static_cast<std::byte>(random_());
    }
  }

  Collective* group_;
  std::mt19937 random_;
};

/// Runs fn(ctx) on every rank over such a collective, for each seed. It must end, without exceptions other than Error.
template <typename Fn>
void ExpectErrorsAtMost(int n_ranks, std::uint32_t n_seeds, Fn&& fn) {
  for (std::uint32_t seed = 0; seed < n_seeds; ++seed) {
    auto const errors = RunRanks(n_ranks, [&](Collective* group) {
      NoisyCollective noisy(group, seed);
      Context ctx;
      ctx.collective = &noisy;
      try {
        fn(ctx);
        group->Abort("the end");  // others may still wait for a call that this rank has skipped
      } catch (Error const& error) {
        group->Abort(error.what());
      }
    });
    for (auto const& error : errors) EXPECT_EQ(error, "") << "seed " << seed;
  }
}

}  // namespace kauri
