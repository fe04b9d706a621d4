#include "data/derived_data.h"

#include <algorithm>
#include <iterator>

#include "data/categories/categories.h"

namespace kauri {
namespace {

std::int64_t BytesOf(DerivedKey const& key) {
  return static_cast<std::int64_t>(key.weights.size() * sizeof(float) + key.categorical.size() * sizeof(std::uint32_t));
}

}  // namespace

std::vector<std::uint32_t> CategoricalColumns(MetaInfo const& info) {
  std::vector<std::uint32_t> columns;
  for (std::uint32_t feature = 0; feature < info.feature_types.size(); ++feature) {
    if (IsCategorical(info, feature)) columns.push_back(feature);
  }
  return columns;
}

std::shared_ptr<DerivedData::Slot> DerivedData::FindOrAdd(DerivedKey const& key) {
  std::lock_guard<std::mutex> const lock(mutex_);
  auto const found = std::find_if(slots_.begin(), slots_.end(), [&](auto const& slot) { return slot->key == key; });
  if (found != slots_.end()) {
    slots_.splice(slots_.begin(), slots_, found);
    return slots_.front();
  }
  auto added = std::make_shared<Slot>(key);
  std::size_t n_others = 0;
  for (auto it = slots_.begin(); it != slots_.end();) {
    auto const is_too_many = (*it)->key.kind == key.kind && ++n_others >= kKeptOfAKind;
    it = is_too_many ? slots_.erase(it) : std::next(it);
  }
  slots_.push_front(added);
  return added;
}

template <typename IsWanted>
std::shared_ptr<void const> DerivedData::FindSlot(IsWanted&& is_wanted) const {
  std::shared_ptr<Slot> slot;
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    auto const found = std::find_if(slots_.begin(), slots_.end(), [&](auto const& kept) { return is_wanted(*kept); });
    if (found != slots_.end()) slot = *found;
  }
  if (slot == nullptr) return nullptr;
  std::lock_guard<std::mutex> const lock(slot->mutex);
  return slot->entry.value;
}

void DerivedData::Forget(std::shared_ptr<Slot> const& slot) {
  std::lock_guard<std::mutex> const lock(mutex_);
  slots_.remove(slot);
}

void DerivedData::Settle(Slot* slot, MemoryBudget const& budget) {
  std::lock_guard<std::mutex> const lock(mutex_);
  slot->bytes = slot->entry.bytes + BytesOf(slot->key);
  std::int64_t total = 0;
  for (auto it = slots_.begin(); it != slots_.end();) {
    total += (*it)->bytes;
    it = total > budget.bytes ? slots_.erase(it) : std::next(it);
  }
}

std::shared_ptr<void const> DerivedData::Get(DerivedKey const& key, MemoryBudget const& budget,
                                             std::function<DerivedEntry()> const& make) {
  auto const slot = FindOrAdd(key);
  std::lock_guard<std::mutex> const lock(slot->mutex);
  if (slot->entry.value == nullptr) {
    try {
      slot->entry = make();
    } catch (...) {
      Forget(slot);
      throw;
    }
  }
  Settle(slot.get(), budget);
  return slot->entry.value;
}

std::shared_ptr<void const> DerivedData::Find(DerivedKey const& key) const {
  return FindSlot([&](Slot const& slot) { return slot.key == key; });
}

std::shared_ptr<void const> DerivedData::Replace(DerivedKey const& key, MemoryBudget const& budget,
                                                 std::function<DerivedEntry()> const& make) {
  auto const slot = FindOrAdd(key);
  auto const set = [&](DerivedEntry entry) {
    std::lock_guard<std::mutex> const lock(slot->mutex);
    slot->entry = std::move(entry);
  };
  set({});  // before its successor takes the same memory again
  DerivedEntry made;
  try {
    made = make();
  } catch (...) {
    Forget(slot);
    throw;
  }
  set(made);
  Settle(slot.get(), budget);
  return made.value;
}

std::shared_ptr<void const> DerivedData::Latest(std::string const& kind) const {
  return FindSlot([&](Slot const& slot) { return slot.key.kind == kind; });
}

std::pair<std::string, std::shared_ptr<void const>> DerivedData::LatestOf(std::vector<std::string> const& kinds) const {
  std::string kind;
  auto value = FindSlot([&](Slot const& slot) {
    kind = slot.key.kind;
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  });
  return {std::move(kind), std::move(value)};
}

std::size_t DerivedData::NumKept() const {
  std::lock_guard<std::mutex> const lock(mutex_);
  return slots_.size();
}

std::int64_t DerivedData::BytesKept() const {
  std::lock_guard<std::mutex> const lock(mutex_);
  std::int64_t total = 0;
  for (auto const& slot : slots_) total += slot->bytes;
  return total;
}

}  // namespace kauri
