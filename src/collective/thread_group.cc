#include "collective/thread_group.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>

#include "kauri/error.h"

namespace kauri {

/// The shared place where all ranks offer their data and read the data of the others.
class ThreadGroup::Room {
 public:
  /// The data that a rank brings to one call.
  struct Offer {
    char const* call = nullptr;
    std::vector<std::byte> bytes;
  };

  Room(int n_ranks, std::chrono::milliseconds timeout)
      : timeout_(timeout), offers_(static_cast<std::size_t>(n_ranks)) {}

  int Size() const { return static_cast<int>(offers_.size()); }

  /// Calls read(offers) once all ranks have made their offers. No offer changes before all ranks have read.
  template <typename Read>
  void Exchange(int rank, Offer offer, bool same_size, Read&& read) {
    std::unique_lock<std::mutex> lock(mutex_);
    ThrowIfDead();
    offers_[rank] = std::move(offer);
    Meet(&lock, rank);
    CheckAlike(rank, same_size);
    lock.unlock();
    read(offers_);
    lock.lock();
    Meet(&lock, rank);
  }

  void Abort(std::string const& why) noexcept {
    try {
      std::lock_guard<std::mutex> const lock(mutex_);
      Die(why);
    } catch (...) {
      all_met_.notify_all();
    }
  }

 private:
  void ThrowIfDead() const {
    if (is_dead_) Fail(ErrorKind::kCollective, why_);
  }

  void Die(std::string const& why) {
    if (!is_dead_) why_ = why;
    is_dead_ = true;
    all_met_.notify_all();
  }

  /// Waits for all ranks.
  void Meet(std::unique_lock<std::mutex>* lock, int rank) {
    auto const meeting = n_meetings_;
    if (++n_present_ == Size()) {
      n_present_ = 0;
      ++n_meetings_;
      all_met_.notify_all();
      return;
    }
    auto const met = all_met_.wait_for(*lock, timeout_, [&] { return is_dead_ || n_meetings_ != meeting; });
    if (!met) {
      Die("rank " + std::to_string(rank) + " has waited " + std::to_string(timeout_.count()) + " ms in " +
          offers_[rank].call + " for the other ranks; all must make the same calls.");
    }
    if (n_meetings_ == meeting) ThrowIfDead();
  }

  void CheckAlike(int rank, bool same_size) {
    auto const& mine = offers_[rank];
    for (std::size_t other = 0; other < offers_.size(); ++other) {
      auto const& theirs = offers_[other];
      auto const is_alike = std::string(mine.call) == theirs.call;
      if (is_alike && (!same_size || mine.bytes.size() == theirs.bytes.size())) continue;
      Die("rank " + std::to_string(rank) + " calls " + mine.call + " with " + std::to_string(mine.bytes.size()) +
          " bytes, rank " + std::to_string(other) + " calls " + theirs.call + " with " +
          std::to_string(theirs.bytes.size()) + "; all must make the same calls.");
      ThrowIfDead();
    }
  }

  std::chrono::milliseconds timeout_;
  std::mutex mutex_;
  std::condition_variable all_met_;
  std::vector<Offer> offers_;  ///< by rank
  int n_present_ = 0;
  std::uint64_t n_meetings_ = 0;
  bool is_dead_ = false;
  std::string why_;
};

class ThreadGroup::Member : public Collective {
 public:
  Member(Room* room, int rank) : room_(room), rank_(rank) {}

  int Rank() const override { return rank_; }
  int Size() const override { return room_->Size(); }

  void Sum(Span<std::int64_t> values) override { Combine("Sum", values, {0, values.size()}, Add); }

  void SumParts(Span<std::int64_t> values, Span<std::uint64_t const> begins) override {
    Combine("SumParts", values, {begins[rank_], begins[rank_ + 1]}, Add);
  }

  void Max(Span<std::uint64_t> values) override {
    Combine("Max", values, {0, values.size()},
            [](std::uint64_t one, std::uint64_t other) { return std::max(one, other); });
  }

  std::vector<std::vector<std::byte>> Gather(Span<std::byte const> mine) override {
    std::vector<std::vector<std::byte>> all;
    room_->Exchange(rank_, {"Gather", {mine.begin(), mine.end()}}, false, [&](std::vector<Room::Offer> const& offers) {
      for (auto const& offer : offers) all.push_back(offer.bytes);
    });
    return all;
  }

  void Abort(std::string const& why) noexcept override { room_->Abort(why); }

 private:
  static std::int64_t Add(std::int64_t one, std::int64_t other) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(one) + static_cast<std::uint64_t>(other));
  }

  /// Combines the ranks' values with of_two. part: range of the values to combine.
  template <typename T, typename Two>
  void Combine(char const* call, Span<T> values, std::pair<std::size_t, std::size_t> part, Two&& of_two) {
    auto const* bytes = reinterpret_cast<std::byte const*>(values.data());
    Room::Offer offer{call, {bytes, bytes + values.size() * sizeof(T)}};
    room_->Exchange(rank_, std::move(offer), true, [&](std::vector<Room::Offer> const& offers) {
      for (std::size_t other = 0; other < offers.size(); ++other) {
        if (static_cast<int>(other) == rank_) continue;
        auto const* theirs = reinterpret_cast<T const*>(offers[other].bytes.data());
        for (auto i = part.first; i < part.second; ++i) values[i] = of_two(values[i], theirs[i]);
      }
    });
  }

  Room* room_;
  int rank_;
};

ThreadGroup::ThreadGroup(int n_ranks, std::chrono::milliseconds timeout)
    : room_(std::make_unique<Room>(n_ranks, timeout)) {
  for (int rank = 0; rank < n_ranks; ++rank) members_.push_back(std::make_unique<Member>(room_.get(), rank));
}

ThreadGroup::~ThreadGroup() = default;

Collective* ThreadGroup::Of(int rank) { return members_.at(static_cast<std::size_t>(rank)).get(); }

}  // namespace kauri
