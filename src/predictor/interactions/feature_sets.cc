#include "predictor/interactions/feature_sets.h"

#include <algorithm>
#include <numeric>

namespace kauri {
namespace {

constexpr std::uint32_t kFree = 0xFFFFFFFFU;
constexpr std::size_t kFewestPlaces = 64;

std::uint64_t HashOf(std::uint32_t const* members, std::int64_t size) {
  std::uint64_t hash = static_cast<std::uint64_t>(size);
  for (std::int64_t i = 0; i < size; ++i) {
    hash = (hash ^ members[i]) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29U;
  }
  return hash;
}

}  // namespace

bool FeatureSets::IsAt(std::uint32_t set, std::uint32_t const* members, std::int64_t size) const {
  return SizeOf(set) == size && std::equal(members, members + size, MembersOf(set));
}

std::size_t FeatureSets::PlaceOf(std::uint32_t const* members, std::int64_t size) const {
  auto const mask = places_.size() - 1;
  auto place = HashOf(members, size) & mask;
  while (places_[place] != kFree && !IsAt(places_[place], members, size)) place = (place + 1) & mask;
  return place;
}

void FeatureSets::Rehash(std::size_t n_places) {
  places_.assign(n_places, kFree);
  for (std::int64_t set = 0; set < Count(); ++set) {
    places_[PlaceOf(MembersOf(set), SizeOf(set))] = static_cast<std::uint32_t>(set);
  }
}

std::uint32_t FeatureSets::Add(std::uint32_t const* members, std::int64_t size) {
  auto const count = begin_.size() - 1;
  if (2 * count >= places_.size()) Rehash(std::max(kFewestPlaces, 2 * places_.size()));
  auto const place = PlaceOf(members, size);
  if (places_[place] != kFree) return places_[place];
  members_.insert(members_.end(), members, members + size);
  begin_.push_back(static_cast<std::int64_t>(members_.size()));
  return places_[place] = static_cast<std::uint32_t>(count);
}

std::uint32_t FeatureSets::Find(std::uint32_t const* members, std::int64_t size) const {
  return places_[PlaceOf(members, size)];
}

std::vector<std::uint32_t> FeatureSets::Sort() {
  std::vector<std::uint32_t> order(begin_.size() - 1);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (SizeOf(a) != SizeOf(b)) return SizeOf(a) < SizeOf(b);
    return std::lexicographical_compare(MembersOf(a), MembersOf(a) + SizeOf(a), MembersOf(b), MembersOf(b) + SizeOf(b));
  });
  std::vector<std::uint32_t> number(order.size());
  std::vector<std::int64_t> begin{0};
  std::vector<std::uint32_t> members;
  members.reserve(members_.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    number[order[i]] = static_cast<std::uint32_t>(i);
    members.insert(members.end(), MembersOf(order[i]), MembersOf(order[i]) + SizeOf(order[i]));
    begin.push_back(static_cast<std::int64_t>(members.size()));
  }
  begin_ = std::move(begin);
  members_ = std::move(members);
  Rehash(places_.size());
  return number;
}

}  // namespace kauri
