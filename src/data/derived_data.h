/// \file What learning derives from rows first, bins and sorted columns, kept with them for the next training.
///
/// Vocabulary. An entry is immutable and a function of the rows, which never change, and of its key: all else that it
/// depends on. What does not change it, the number of threads for one, is not in the key; labels never are.
///
/// Trainings share entries and outlive them here: an entry that is dropped stays with who uses it. Of each kind the
/// last kKeptOfAKind that were asked for are kept while the matrix lives; one that would be too many goes before its
/// successor is made. Where a memory budget is set, the entries that were not asked for longest are dropped until the
/// rest fits, the one just made included.
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

/// What an entry depends on besides the rows.
struct DerivedKey {
  std::string kind;                             ///< "bins": names the type of the entry too
  std::string settings = {};                    ///< "max_bin=256,sketch=0"
  std::vector<float> weights = {};              ///< [n_rows] by which cuts are made; empty: all alike
  std::vector<std::uint32_t> categorical = {};  ///< the categorical columns, ascending

  bool operator==(DerivedKey const& other) const {
    return kind == other.kind && settings == other.settings && categorical == other.categorical &&
           weights == other.weights;
  }
};

/// The categorical columns of a matrix, ascending.
std::vector<std::uint32_t> CategoricalColumns(MetaInfo const& info);

/// An entry and what it takes.
struct DerivedEntry {
  std::shared_ptr<void const> value;
  std::int64_t bytes = 0;
};

/// Safe from many threads: who asks for an entry that another thread is making waits for it.
class DerivedData {
 public:
  static constexpr std::size_t kKeptOfAKind = 2;

  /// The entry of `key`; one that is not kept is made. What `make` throws is thrown, and the next call makes it anew.
  std::shared_ptr<void const> Get(DerivedKey const& key, MemoryBudget const& budget,
                                  std::function<DerivedEntry()> const& make);
  /// The entry of `key`, or null where it is not kept.
  std::shared_ptr<void const> Find(DerivedKey const& key) const;
  /// Makes the entry of `key` anew. Unlike Get it holds no lock meanwhile: `make` may wait for other ranks.
  std::shared_ptr<void const> Replace(DerivedKey const& key, MemoryBudget const& budget,
                                      std::function<DerivedEntry()> const& make);
  /// The entry of a kind that was asked for last, or null where none is kept.
  std::shared_ptr<void const> Latest(std::string const& kind) const;
  /// How many entries are kept, and what they take.
  std::size_t NumKept() const;
  std::int64_t BytesKept() const;

 private:
  struct Slot {
    explicit Slot(DerivedKey its_key) : key(std::move(its_key)) {}
    DerivedKey const key;
    std::mutex mutex;  ///< held while the entry is made
    DerivedEntry entry;
    std::int64_t bytes = 0;  ///< of entry and key, once the entry is made; guarded by the mutex of all slots
  };

  std::shared_ptr<Slot> FindOrAdd(DerivedKey const& key);
  /// The entry of the slot that was asked for last of those wanted, or null.
  template <typename IsWanted>
  std::shared_ptr<void const> FindSlot(IsWanted&& is_wanted) const;
  void Forget(std::shared_ptr<Slot> const& slot);
  /// Notes what a slot takes and drops the oldest ones until all fit.
  void Settle(Slot* slot, MemoryBudget const& budget);

  mutable std::mutex mutex_;                ///< of the list; never held while an entry is made
  std::list<std::shared_ptr<Slot>> slots_;  ///< the last one asked for is in front
};

template <typename T>
DerivedEntry EntryOf(std::shared_ptr<T const> value) {
  auto const bytes = value->BytesHeld();
  return {std::move(value), bytes};
}

/// The entry of `key` of a matrix, of type T with `std::int64_t BytesHeld() const`; make() returns it as a
/// std::shared_ptr<T const>.
template <typename T, typename Make>
std::shared_ptr<T const> Derive(DataMatrix const& data, DerivedKey const& key, MemoryBudget const& budget,
                                Make&& make) {
  auto const made = data.Derived().Get(key, budget, [&] { return EntryOf<T>(make()); });
  return std::static_pointer_cast<T const>(made);
}

/// The same in a group, all of whose ranks call it: kept ones are taken where every rank has one, otherwise all make
/// theirs. What the rows of other ranks are belongs to the key.
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
