/// \file The sets of features that occur together on a path of a tree: the sets whose interaction can be other than 0.
#pragma once

#include <cstdint>
#include <vector>

namespace kauri {

/// Sets of slots (forest.h) with distinct numbers, found by hashing. A set's members are ascending.
class FeatureSets {
 public:
  /// Returns the number of the set with these members, ascending; adds the set if it is new.
  std::uint32_t Add(std::uint32_t const* members, std::int64_t size);
  /// Returns the number of a set that was added before.
  std::uint32_t Find(std::uint32_t const* members, std::int64_t size) const;
  /// Sorts the sets by size, then by members. Returns the new number of each old number.
  std::vector<std::uint32_t> Sort();

  std::int64_t Count() const { return static_cast<std::int64_t>(begin_.size()) - 1; }
  std::int64_t SizeOf(std::int64_t set) const { return begin_[set + 1] - begin_[set]; }
  std::uint32_t const* MembersOf(std::int64_t set) const { return members_.data() + begin_[set]; }
  std::vector<std::int64_t> const& Begins() const { return begin_; }
  std::vector<std::uint32_t> const& Members() const { return members_; }

 private:
  bool IsAt(std::uint32_t set, std::uint32_t const* members, std::int64_t size) const;
  /// Returns the place of the set in the hash table, or the free place where it belongs.
  std::size_t PlaceOf(std::uint32_t const* members, std::int64_t size) const;
  void Rehash(std::size_t n_places);

  std::vector<std::int64_t> begin_{0};  ///< [n_sets + 1]
  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> places_;  ///< open addressing, a power of two; kFree or the number of a set
};

}  // namespace kauri
