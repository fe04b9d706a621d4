#include "data/sketch/counted_column.h"

#include <algorithm>

#include "common/large_memory.h"

namespace kauri {
namespace {

constexpr unsigned kShift = 15;  // bits below the bucket number; the census reaches parts of exactly 2^15 keys
constexpr std::size_t kBuckets = std::size_t{1} << (32U - kShift);
constexpr std::size_t kManyValues = std::size_t{1} << 17U;

bool IsPresent(float value) { return value == value; }

}  // namespace

CountedColumn::CountedColumn(ColumnPart const& column, std::optional<WeightUnit> const& unit)
    : column_(column), unit_(unit) {
  if (column.values.size() >= kManyValues) {
    Count();
    return;
  }
  Collect(column.values.size(), [](std::uint32_t) { return true; });
  Sort();
}

std::int64_t CountedColumn::BytesPerColumn(std::int64_t n_rows) {
  if (ToSize(n_rows) >= kManyValues) return static_cast<std::int64_t>(kBuckets * (sizeof(std::int64_t) + 1));
  return n_rows * static_cast<std::int64_t>(sizeof(WeightedKey) + sizeof(std::int64_t));
}

void CountedColumn::Count() {
  below_bucket_.assign(kBuckets + 1, 0);
  is_picked_.assign(kBuckets, 0);
  auto const& values = column_.values;
  if (unit_) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto const weight = unit_->Of(column_.weights[i]);
      below_bucket_[(ToKey(values[i]) >> kShift) + 1] += IsPresent(values[i]) ? weight : 0;
    }
  } else {
    for (auto const value : values) below_bucket_[(ToKey(value) >> kShift) + 1] += IsPresent(value) ? 1 : 0;
  }
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) below_bucket_[bucket + 1] += below_bucket_[bucket];
}

template <typename IsWanted>
void CountedColumn::Collect(std::size_t most, IsWanted&& is_wanted) {
  auto const& values = column_.values;
  if (unit_) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto const key = ToKey(values[i]);
      if (is_wanted(key) && IsPresent(values[i])) items_.push_back({key, column_.weights[i]});
    }
    return;
  }
  auto next = keys_.size();
  // keys that are not wanted are overwritten; one element more holds the last such write
  ResizeLarge(&keys_, next + most + 1);
  for (auto const value : values) {
    auto const key = ToKey(value);
    keys_[next] = key;
    next += static_cast<std::size_t>(is_wanted(key)) & static_cast<std::size_t>(IsPresent(value));
  }
  keys_.resize(next);
}

void CountedColumn::Sort() {
  if (!unit_) {
    std::vector<std::uint32_t> scratch;
    SortKeys(&keys_, &scratch);
    return;
  }
  std::vector<WeightedKey> scratch;
  SortKeys(&items_, &scratch);
  keys_.resize(items_.size());
  below_key_.resize(items_.size() + 1);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    keys_[i] = items_[i].key;
    below_key_[i + 1] = below_key_[i] + unit_->Of(items_[i].weight);
  }
}

void CountedColumn::Prepare(std::vector<KeyParts> const& asked) {
  if (below_bucket_.empty()) return;
  constexpr std::uint8_t kNew = 2;
  std::int64_t n_new = 0;  // their number, or their weight if there is a unit
  for (auto const& parts : asked) {
    auto const bucket = parts.first >> kShift;
    auto& is_picked = is_picked_[bucket];
    if (parts.shift >= kShift || is_picked != 0) continue;
    is_picked = kNew;
    n_new += below_bucket_[bucket + 1] - below_bucket_[bucket];
  }
  if (n_new == 0) return;
  Collect(ToSize(n_new), [&](std::uint32_t key) { return is_picked_[key >> kShift] == kNew; });
  for (auto& is_picked : is_picked_) is_picked = is_picked == 0 ? 0 : 1;
  Sort();
}

void CountedColumn::Weigh(KeyParts const& parts, std::int64_t* out) const {
  if (parts.shift >= kShift && !below_bucket_.empty()) {
    auto const per_part = std::size_t{1} << (parts.shift - kShift);
    auto const* below = below_bucket_.data() + (parts.first >> kShift);
    for (std::uint32_t part = 0; part < parts.n_parts; ++part) {
      out[part] = below[(part + 1) * per_part] - below[part * per_part];
    }
    return;
  }
  auto place = std::lower_bound(keys_.begin(), keys_.end(), parts.first);
  for (std::uint32_t part = 0; part < parts.n_parts; ++part) {
    auto const last = parts.first + (part << parts.shift) + ((1U << parts.shift) - 1);
    auto const next = std::upper_bound(place, keys_.end(), last);
    out[part] = WeightBelow(next) - WeightBelow(place);
    place = next;
  }
}

std::int64_t CountedColumn::WeightBelow(std::vector<std::uint32_t>::const_iterator key) const {
  auto const place = key - keys_.begin();
  return unit_ ? below_key_[place] : place;
}

}  // namespace kauri
