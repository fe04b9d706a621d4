/// \file Selection of the numbers with the largest absolute values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace kauri {

/// Returns a rank that is smaller for a larger absolute value and, for equal values, for a smaller place. A NaN counts
/// as larger than infinity, so that the order is total whatever the leaves hold. place: below 2^32.
inline std::uint64_t SizeRankOf(float value, std::int64_t place) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return std::uint64_t{~(bits & 0x7FFFFFFFU)} << 32U | static_cast<std::uint32_t>(place);
}

/// Returns the place of a rank.
inline std::int64_t PlaceOfSizeRank(std::uint64_t rank) { return static_cast<std::int64_t>(rank & 0xFFFFFFFFU); }

/// Keeps the `most` smallest of the added ranks.
class SmallestRanks {
 public:
  explicit SmallestRanks(std::size_t most) : most_(most) { heap_.reserve(most); }
  void Clear() { heap_.clear(); }
  void Add(std::uint64_t rank) {
    if (heap_.size() == most_) {
      if (rank >= heap_.front()) return;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.back() = rank;
    } else {
      heap_.push_back(rank);
    }
    std::push_heap(heap_.begin(), heap_.end());
  }
  std::vector<std::uint64_t> const& Sorted() {
    std::sort_heap(heap_.begin(), heap_.end());
    return heap_;
  }

 private:
  std::size_t most_;
  std::vector<std::uint64_t> heap_;
};

}  // namespace kauri
