/// \file Draws an exact number of rows: sampling_method=without_replacement. Used on the CPU and on CUDA devices.
///
/// A keyed permutation gives each row a rank, which can be computed independently for each row
/// (BijectiveShuffle::Rank). The rows with the lowest ranks are chosen. Every set of that many rows is thus equally
/// likely, and no list is needed.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/shuffle/shuffle.h"
#include "kauri/host_device.h"

namespace kauri {

/// Returns floor(rate n), where the rate is the decimal number as written: 0.7 of ten rows are seven, although the
/// nearest float is below 0.7. Returns at least one if n is positive.
inline std::int64_t NumChosenRows(float rate, std::int64_t n) {
  auto const product = static_cast<double>(rate) * static_cast<double>(n);
  auto const nearest = std::round(product);
  auto const is_whole = static_cast<float>(nearest / static_cast<double>(n)) == rate;
  auto const count = static_cast<std::int64_t>(is_whole ? nearest : std::floor(product));
  return count < 1 && n > 0 ? 1 : count;
}

class RowChoice {
 public:
  /// Chooses no rows.
  RowChoice() : ranks_(0, 0), count_(0) {}
  /// Chooses among rows 0 to n - 1 with a tree's key for rows.
  RowChoice(std::uint64_t key, float rate, std::int64_t n) : ranks_(n, key), count_(NumChosenRows(rate, n)) {}

  std::int64_t Count() const { return count_; }
  KAURI_HD bool Has(std::int64_t row) const { return ranks_.Rank(row) < count_; }

 private:
  Shuffle ranks_;
  std::int64_t count_;
};

}  // namespace kauri
