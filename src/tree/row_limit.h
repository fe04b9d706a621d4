/// \file How many rows the children of a split must have: min_data_in_leaf.
///
/// Rows are counted one by one: those that the tree is learnt from, whatever their weights; rows that sampling left out
/// do not count. Along a feature the rows on the left of its boundaries grow, so the boundaries that leave both
/// children enough rows lie side by side, and a search is given these alone.
#pragma once

#include <cstdint>

#include "kauri/host_device.h"

namespace kauri {

struct RowLimit {
  std::int64_t least = 0;    ///< what each child must have
  std::int64_t of_node = 0;  ///< what the node has

  /// One row is in every child, as a child has a positive hessian.
  KAURI_HD bool IsOn() const { return least > 1; }
  KAURI_HD bool Allows(std::int64_t n_left) const { return n_left >= least && of_node - n_left >= least; }
};

/// Boundaries [first, end) of a feature.
struct BoundaryRange {
  std::int64_t first = 0;
  std::int64_t end = 0;

  std::int64_t Size() const { return end > first ? end - first : 0; }
};

/// Those of n boundaries that the limit allows. n_left(i): the rows left of boundary i, which do not fall.
template <typename CountLeft>
BoundaryRange AllowedBoundaries(RowLimit const& limit, std::int64_t n, CountLeft&& n_left) {
  /// The first boundary with at least so many rows on its left.
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
