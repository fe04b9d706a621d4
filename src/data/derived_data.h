/// \file Data that training derives from rows, bins and sorted columns, cached with the rows for the next training.
///
/// Vocabulary. An entry is immutable and a function of the rows, which never change, and of its key: everything else
/// that it depends on. The key excludes settings that do not change the entry, such as the number of threads, and
/// labels.
///
/// Trainings share entries. An entry that is dropped here stays alive with its users. Of each kind the kKeptOfAKind
/// most recently used entries are kept while the matrix lives; an entry beyond this number is dropped before its
/// successor is made. If a memory budget is set, the least recently used entries are dropped until the rest fits,
/// including the entry just made.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "collective/reduce.h"
#include "data/memory_budget.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// The properties, besides the rows, that an entry depends on.
struct DerivedKey {
  std::string kind;                             ///< e.g. "bins"; identifies the type of the entry, too
  std::string settings = {};                    ///< e.g. "max_bin=256,sketch=0"
  std::vector<float> weights = {};              ///< [n_rows] weights for the cuts; empty: all the same
  std::vector<std::uint32_t> categorical = {};  ///< the categorical columns, ascending

  bool operator==(DerivedKey const& other) const {
    return kind == other.kind && settings == other.settings && categorical == other.categorical &&
           weights == other.weights;
  }
};

/// Returns the categorical columns of a matrix, ascending.
std::vector<std::uint32_t> CategoricalColumns(MetaInfo const& info);

/// An entry and its size.
struct DerivedEntry {
  std::shared_ptr<void const> value;
  std::int64_t bytes = 0;
};

/// A cache that is safe from many threads: a request for an entry that another thread is making waits for it.
class DerivedData {
 public:
  static constexpr std::size_t kKeptOfAKind = 2;

  /// Returns the entry of `key`, and makes it if it is not kept. If `make` throws, so does Get, and the next call makes
  /// the entry anew.
  std::shared_ptr<void const> Get(DerivedKey const& key, MemoryBudget const& budget,
                                  std::function<DerivedEntry()> const& make);
  /// Returns the entry of `key`, or null if it is not kept.
  std::shared_ptr<void const> Find(DerivedKey const& key) const;
  /// Makes the entry of `key` anew. Unlike Get it holds no lock meanwhile: `make` may wait for other ranks.
  std::shared_ptr<void const> Replace(DerivedKey const& key, MemoryBudget const& budget,
                                      std::function<DerivedEntry()> const& make);
  /// Returns the most recently used entry of a kind, or null if none is kept.
  std::shared_ptr<void const> Latest(std::string const& kind) const;
  /// Returns the most recently used entry of any of the kinds, and its kind; null if none is kept.
  std::pair<std::string, std::shared_ptr<void const>> LatestOf(std::vector<std::string> const& kinds) const;
  /// Returns the number of entries kept, and their size.
  std::size_t NumKept() const;
  std::int64_t BytesKept() const;

 private:
  struct Slot {
    explicit Slot(DerivedKey its_key) : key(std::move(its_key)) {}
    DerivedKey const key;
    std::mutex mutex;  ///< held while the entry is made
    DerivedEntry entry;
    std::int64_t bytes = 0;  ///< size of entry and key, once the entry is made; guarded by the mutex of all slots
  };

  std::shared_ptr<Slot> FindOrAdd(DerivedKey const& key);
  /// Returns the entry of the most recently used slot that is wanted, or null.
  template <typename IsWanted>
  std::shared_ptr<void const> FindSlot(IsWanted&& is_wanted) const;
  void Forget(std::shared_ptr<Slot> const& slot);
  /// Records the size of a slot and drops the least recently used ones until all fit.
  void Settle(Slot* slot, MemoryBudget const& budget);

  mutable std::mutex mutex_;                ///< guards the list; never held while an entry is made
  std::list<std::shared_ptr<Slot>> slots_;  ///< the most recently used slot comes first
};

template <typename T>
DerivedEntry EntryOf(std::shared_ptr<T const> value) {
  auto const bytes = value->BytesHeld();
  return {std::move(value), bytes};
}

/// Returns the entry of `key` of a matrix, of type T with `std::int64_t BytesHeld() const`. make() returns it as a
/// std::shared_ptr<T const>.
template <typename T, typename Make>
std::shared_ptr<T const> Derive(DataMatrix const& data, DerivedKey const& key, MemoryBudget const& budget,
                                Make&& make) {
  auto const made = data.Derived().Get(key, budget, [&] { return EntryOf<T>(make()); });
  return std::static_pointer_cast<T const>(made);
}

/// The same in a group, all of whose ranks call it. Cached entries are used if every rank has one, otherwise all ranks
/// make theirs. The key must identify the rows of the other ranks.
template <typename T, typename Make>
std::shared_ptr<T const> DeriveInGroup(Context const& ctx, DataMatrix const& data, DerivedKey const& key,
                                       MemoryBudget const& budget, Make&& make) {
  auto kept = data.Derived().Find(key);
  if (MaxOverRanks(ctx, kept == nullptr ? 1 : 0) != 0) {
    kept.reset();
    kept = data.Derived().Replace(key, budget, [&] { return EntryOf<T>(make()); });
  }
  return std::static_pointer_cast<T const>(kept);
}

}  // namespace kauri
