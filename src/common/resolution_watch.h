/// \file Whether fixed point keeps what the gradients say (fixed_point.h has its limit).
#pragma once

#include <cstdint>

#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri {

/// Looks at the gradients of the first round of a training, the second, the fourth and so on, until it has warned once.
class ResolutionWatch {
 public:
  /// Whether the gradients of a round's tree are to be looked at.
  bool IsDue(std::int64_t iteration);
  /// Warns when in a sample of the rows more than half of the differences between gradients, or more than half of the
  /// hessians, are lost in the rounding to `unit`. gradients: [n_rows, n_outputs], of which `output`. Cost: some
  /// hundred rows; with a warning all rows.
  void Look(Span<GradientPair const> gradients, std::int64_t n_outputs, std::int64_t output, GradientUnit unit);

 private:
  std::int64_t n_rounds_ = 0;
  std::int64_t iteration_ = -1;  ///< the last one asked for
  bool has_warned_ = false;
};

/// Rows spread evenly: their number, and the i-th of them.
std::int64_t NumWatchedRows(std::int64_t n_rows);
inline std::int64_t WatchedRow(std::int64_t i, std::int64_t n_rows) { return i * n_rows / NumWatchedRows(n_rows); }

/// Whether the pairs of watched rows lose what Look warns of.
bool LosesGradients(Span<GradientPair const> watched, GradientUnit unit);

}  // namespace kauri
