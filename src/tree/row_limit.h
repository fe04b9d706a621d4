/// \file Limits the number of rows in the children of a split: min_data_in_leaf.
///
/// Counts are numbers of rows that the tree is trained on, regardless of weights; rows left out by sampling do not
/// count. The number of rows left of a boundary grows along a feature, so the boundaries that leave enough rows to both
/// children are contiguous, and a search gets only these.
#pragma once

#include <cstdint>

#include "kauri/host_device.h"

namespace kauri {

struct RowLimit {
  std::int64_t least = 0;    ///< minimum number of rows per child
  std::int64_t of_node = 0;  ///< number of rows of the node

  /// A limit of one row is never active, because every child has a positive hessian and thus a row.
  KAURI_HD bool IsOn() const { return least > 1; }
  KAURI_HD bool Allows(std::int64_t n_left) const { return n_left >= least && of_node - n_left >= least; }
};

/// The boundaries [first, end) of a feature.
struct BoundaryRange {
  std::int64_t first = 0;
  std::int64_t end = 0;

  std::int64_t Size() const { return end > first ? end - first : 0; }
};

/// Returns the boundaries, out of n, that the limit allows. n_left(i): number of rows left of boundary i; it never
/// decreases.
template <typename CountLeft>
BoundaryRange AllowedBoundaries(RowLimit const& limit, std::int64_t n, CountLeft&& n_left) {
  /// Returns the first boundary with at least n_rows rows on its left.
  auto const first_with = [&](std::int64_t n_rows) {
    std::int64_t first = 0;
    for (auto end = n; first < end;) {
      auto const middle = first + (end - first) / 2;
      if (n_left(middle) < n_rows) {
        first = middle + 1;
      } else {
        end = middle;
      }
    }
    return first;
  };
  return {first_with(limit.least), first_with(limit.of_node - limit.least + 1)};
}

}  // namespace kauri
