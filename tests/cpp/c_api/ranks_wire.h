/// \file User functions of a group for ranks that are threads: correct ones, failing ones, and ones that corrupt
/// numbers.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "kauri/c_api.h"

namespace kauri::testing {

/// State shared by all ranks of a group: each deposits its bytes, and all read once the last one has.
class Room {
 public:
  explicit Room(int n_ranks) : bytes_(static_cast<std::size_t>(n_ranks)) {}

  int Size() const { return static_cast<int>(bytes_.size()); }
  /// Returns false if the group is dead.
  bool Exchange(int rank, std::vector<char> mine,
                std::function<void(std::vector<std::vector<char>> const&)> const& read) {
    std::unique_lock<std::mutex> lock(mutex_);
    bytes_[static_cast<std::size_t>(rank)] = std::move(mine);
    if (!Meet(&lock)) return false;
    read(bytes_);
    return Meet(&lock);
  }

  void Abort(std::string const& why) {
    std::lock_guard<std::mutex> const lock(mutex_);
    if (!is_dead_) why_ = why;
    is_dead_ = true;
    met_.notify_all();
  }
  std::string Why() {
    std::lock_guard<std::mutex> const lock(mutex_);
    return why_;
  }

 private:
  bool Meet(std::unique_lock<std::mutex>* lock) {
    auto const meeting = n_meetings_;
    if (++n_present_ == bytes_.size()) {
      n_present_ = 0;
      ++n_meetings_;
      met_.notify_all();
    }
    met_.wait(*lock, [&] { return is_dead_ || n_meetings_ != meeting; });
    return !is_dead_;
  }

  std::mutex mutex_;
  std::condition_variable met_;
  std::vector<std::vector<char>> bytes_;
  std::size_t n_present_ = 0;
  int n_meetings_ = 0;
  bool is_dead_ = false;
  std::string why_;
};

/// The functions of one rank.
struct Rank {
  Room* room;
  int rank;
  int n_calls = 0;
  int fails_at = -1;                       ///< the call that returns an error
  std::function<void()> within = nullptr;  ///< called in every call
  std::uint32_t noise = 0;                 ///< a seed: corrupts some numbers that arrive
  int noise_from = 0;                      ///< number of sums and maxima before the noise
  std::string why = "the cable was cut";
};

/// Corrupts a number now and then, slightly or grossly.
template <typename T>
void Disturb(std::uint32_t* seed, T* values, std::uint64_t count) {
  for (std::uint64_t i = 0; *seed != 0 && i < count; ++i) {
    *seed = *seed * 1664525U + 1013904223U;
    if (*seed >> 24U > 2) continue;
    values[i] =
        *seed % 2 == 0 ? values[i] + static_cast<T>(*seed >> 8U & 3U) - T{1} : static_cast<T>(*seed >> 4U & 1023U);
  }
}

template <typename T, typename Combine>
int Reduce(void* user, T* values, std::uint64_t count, Combine&& combine) {
  auto& self = *static_cast<Rank*>(user);
  if (self.within) self.within();
  if (self.n_calls++ == self.fails_at) return 7;
  auto const* bytes = reinterpret_cast<char const*>(values);
  auto const alive = self.room->Exchange(
      self.rank, {bytes, bytes + count * sizeof(T)}, [&](std::vector<std::vector<char>> const& all) {
        for (std::size_t other = 0; other < all.size(); ++other) {
          if (static_cast<int>(other) == self.rank) continue;
          std::vector<T> theirs(count);
          std::memcpy(theirs.data(), all[other].data(), std::min(all[other].size(), count * sizeof(T)));
          for (std::uint64_t i = 0; i < count; ++i) values[i] = combine(values[i], theirs[i]);
        }
      });
  if (self.n_calls > self.noise_from) Disturb(&self.noise, values, count);
  return alive ? 0 : 8;
}

inline int SumOf(void* user, std::int64_t* values, std::uint64_t count) {
  return Reduce(user, values, count, [](std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  });
}
inline int MaxOf(void* user, std::uint64_t* values, std::uint64_t count) {
  return Reduce(user, values, count, [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
}
inline int GatherOf(void* user, void const* mine, std::uint64_t const* sizes, void* all) {
  auto& self = *static_cast<Rank*>(user);
  auto const* bytes = static_cast<char const*>(mine);
  auto const size = sizes[self.rank];
  auto const alive = self.room->Exchange(self.rank, {bytes, bytes + size}, [&](auto const& parts) {
    auto* next = static_cast<char*>(all);
    auto* const end = next + std::accumulate(sizes, sizes + parts.size(), std::uint64_t{0});
    for (auto const& part : parts)
      next = std::copy_n(part.data(), std::min<std::ptrdiff_t>(part.size(), end - next), next);
  });
  if (self.n_calls > self.noise_from)
    Disturb(&self.noise, static_cast<unsigned char*>(all), std::accumulate(sizes, sizes + 1, std::uint64_t{0}));
  return alive ? 0 : 8;
}
inline void AbortOf(void* user, char const* why) { static_cast<Rank*>(user)->room->Abort(why); }
inline char const* ErrorOf(void* user) {
  auto& self = *static_cast<Rank*>(user);
  if (auto const told = self.room->Why(); !told.empty()) self.why = told;
  return self.why.c_str();
}

/// Sets other ranks' parts, which must not be used, to a value that no sum has.
inline int SumPartsOf(void* user, std::int64_t* values, std::uint64_t const* begins) {
  auto const& self = *static_cast<Rank*>(user);
  auto const count = begins[self.room->Size()];
  auto const status = SumOf(user, values, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i < begins[self.rank] || i >= begins[self.rank + 1]) values[i] = -1;
  }
  return status;
}

inline KauriCollectiveCalls Calls() {
  return {sizeof(KauriCollectiveCalls), SumOf, MaxOf, GatherOf, AbortOf, ErrorOf, SumPartsOf};
}

}  // namespace kauri::testing
