/// Ranks of a group that communicate through the caller's functions.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "booster/learner.h"
#include "c_api/guard.h"
#include "c_api/handles.h"
#include "collective/packed_integers.h"

namespace kauri::c_api {
namespace {

/// A collective that calls the caller's functions. Their results are checked; exceptions from them cannot be.
class CallerCollective : public Collective {
 public:
  CallerCollective(KauriCollectiveCalls const& calls, void* user, int rank, int n_ranks)
      : calls_(calls), user_(user), rank_(rank), n_ranks_(n_ranks) {}

  int Rank() const override { return rank_; }
  int Size() const override { return n_ranks_; }
  void Sum(Span<std::int64_t> values) override { Check(calls_.sum(user_, values.data(), values.size()), "sum"); }
  void SumParts(Span<std::int64_t> values, Span<std::uint64_t const> begins) override {
    if (calls_.sum_parts == nullptr) return Sum(values);
    Check(calls_.sum_parts(user_, values.data(), begins.data()), "sum_parts");
  }
  void Max(Span<std::uint64_t> values) override {
    std::vector<std::uint64_t> const mine(values.begin(), values.end());
    Check(calls_.max(user_, values.data(), values.size()), "max");
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (values[i] < mine[i]) FailWrong("the largest of all ranks is " + std::to_string(values[i]), mine[i]);
    }
  }

  std::vector<std::vector<std::byte>> Gather(Span<std::byte const> mine) override {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(n_ranks_), 0);
    counts[static_cast<std::size_t>(rank_)] = static_cast<std::int64_t>(mine.size());
    Sum(counts);
    auto const counted = counts[static_cast<std::size_t>(rank_)];
    if (counted != static_cast<std::int64_t>(mine.size())) {
      FailWrong("the sum says that it gathers " + std::to_string(counted) + " bytes", mine.size());
    }
    std::vector<std::uint64_t> sizes;
    std::uint64_t total = 0;
    for (auto const count : counts) {
      sizes.push_back(SizeOf(count, &total));
    }
    std::vector<std::byte> all(total);
    Check(calls_.gather(user_, mine.data(), sizes.data(), all.data()), "gather");
    std::vector<std::vector<std::byte>> by_rank;
    auto const* next = all.data();
    for (auto const size : sizes) {
      by_rank.emplace_back(next, next + size);
      next += size;
    }
    auto const& own = by_rank[static_cast<std::size_t>(rank_)];
    if (!std::equal(own.begin(), own.end(), mine.begin())) FailWrong("its bytes came back changed", mine.size());
    return by_rank;
  }

  void Abort(std::string const& why) noexcept override {
    if (calls_.abort != nullptr) calls_.abort(user_, why.c_str());
  }

 private:
  /// Adds a size that came over the network to `total`. \throws Error(kCollective) for a size that no rank can have.
  static std::uint64_t SizeOf(std::int64_t count, std::uint64_t* total) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    auto const size = static_cast<std::uint64_t>(count);
    if (count < 0 || size > kMost - *total) {
      Fail(ErrorKind::kCollective, "a rank announces a message of ", count,
           " bytes, which is impossible; check that the group's functions deliver every number unchanged.");
    }
    *total += size;
    return size;
  }

  /// Throws the error of a result that does not contain this rank's contribution; indices computed from it could be out
  /// of range.
  [[noreturn]] void FailWrong(std::string const& seen, std::uint64_t given) const {
    Fail(ErrorKind::kCollective, "the group's functions returned a wrong result: ", seen, ", where rank ", rank_,
         " gave ", given, ".");
  }

  void Check(int status, char const* call) {
    if (status == 0) return;
    auto const* why = calls_.error == nullptr ? nullptr : calls_.error(user_);
    Fail(ErrorKind::kCollective, why == nullptr ? "the group's function returned " + std::to_string(status) : why, " (",
         call, " on rank ", rank_, " of ", n_ranks_, ")");
  }

  KauriCollectiveCalls calls_;
  void* user_;
  int rank_;
  int n_ranks_;
};

constexpr std::size_t kSmallestTable = offsetof(KauriCollectiveCalls, sum_parts);  // the size of the first version

/// Copies the table. \throws Error(kParameter) for a table of another layout, or with missing functions.
KauriCollectiveCalls CallsOf(KauriCollectiveCalls const* given) {
  NotNull(given, "calls");
  if (given->size < kSmallestTable) {
    Fail(ErrorKind::kParameter, "argument 'calls' has size=", given->size, "; expected sizeof(KauriCollectiveCalls), ",
         "at least ", kSmallestTable, ".");
  }
  NotNull(given->sum, "calls.sum");
  NotNull(given->max, "calls.max");
  NotNull(given->gather, "calls.gather");
  KauriCollectiveCalls calls{};
  std::memcpy(&calls, given, std::min(given->size, sizeof(calls)));
  return calls;
}

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace

int KauriCollectiveCreate(KauriCollectiveCalls const* calls, void* user, int rank, int n_ranks,
                          KauriCollectiveHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    if (n_ranks < 1 || rank < 0 || rank >= n_ranks) {
      kauri::Fail(kauri::ErrorKind::kParameter, "there is no rank ", rank, " of ", n_ranks,
                  "; expected 0 to n_ranks - 1.");
    }
    *out = new CollectiveHandle(std::make_shared<CallerCollective>(CallsOf(calls), user, rank, n_ranks));
  });
}

int KauriCollectiveFree(KauriCollectiveHandle handle) {
  return Guard([&] { delete &CollectiveOf(handle); });
}

int KauriPackIntegers(int64_t const* values, uint64_t count, void* packed, uint64_t* n_bytes) {
  return Guard([&] {
    NotNull(n_bytes, "n_bytes");
    *n_bytes = 0;
    if (count == 0) return;
    NotNull(values, "values");
    NotNull(packed, "packed");
    auto* const room = static_cast<std::byte*>(packed);
    *n_bytes = kauri::PackIntegers({values, count}, {room, kauri::PackedRoom(count)});
  });
}

int KauriUnpackIntegers(void const* packed, uint64_t n_bytes, int add, int64_t* values, uint64_t count) {
  return Guard([&] {
    if (n_bytes > 0) NotNull(packed, "packed");
    if (count > 0) NotNull(values, "values");
    auto const mode = add == 0 ? kauri::UnpackMode::kReplace : kauri::UnpackMode::kAdd;
    kauri::UnpackIntegers({static_cast<std::byte const*>(packed), n_bytes}, mode, {values, count});
  });
}

int KauriBoosterSetCollective(BoosterHandle handle, KauriCollectiveHandle collective) {
  return Guard([&] {
    BoosterUse const learner(handle);
    learner->SetCollective(collective == nullptr ? nullptr : CollectiveOf(collective).collective);
    learner.Handle().has_own_group = collective != nullptr;
    learner.Handle().communicator = nullptr;
  });
}

int KauriBoosterEndTraining(BoosterHandle handle) {
  return Guard([&] { BoosterUse(handle)->EndTraining(); });
}
