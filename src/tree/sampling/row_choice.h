/// \file An exact number of rows, on both sides: sampling_method=without_replacement.
///
/// A keyed permutation gives each row a rank that it finds out on its own (BijectiveShuffle::Rank); the rows of the
/// lowest ranks are chosen. So every set of that many rows is as likely, and nobody needs a list.
#pragma once

#include <cmath>
#include <cstdint>

#include "common/shuffle.h"
#include "kauri/host_device.h"

namespace kauri {

/// floor(rate n), where the rate is the number that was written: 0.7 of ten rows are seven, although the nearest float
/// is below 0.7. At least one, unless there is none.
inline std::int64_t NumChosenRows(float rate, std::int64_t n) {
  auto const product = static_cast<double>(rate) * static_cast<double>(n);
  auto const nearest = std::round(product);
  auto const is_whole = static_cast<float>(nearest / static_cast<double>(n)) == rate;
  auto const count = static_cast<std::int64_t>(is_whole ? nearest : std::floor(product));
  return count < 1 && n > 0 ? 1 : count;
}

class RowChoice {
 public:
  /// None is chosen.
  RowChoice() : ranks_(0, 0), count_(0) {}
  /// Of rows 0 to n - 1, by a tree's key for rows.
  RowChoice(std::uint64_t key, float rate, std::int64_t n) : ranks_(n, key), count_(NumChosenRows(rate, n)) {}

  std::int64_t Count() const { return count_; }
  KAURI_HD bool Has(std::int64_t row) const { return ranks_.Rank(row) < count_; }

 private:
  Shuffle ranks_;
  std::int64_t count_;
};

}  // namespace kauri
