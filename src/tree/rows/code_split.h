/// \file Splits in terms of the codes of bins.
#pragma once

#include <cstdint>
#include <vector>

#include "data/sketch/quantile_sketch.h"
#include "kauri/span.h"
#include "tree/split_gain.h"

namespace kauri {

/// Left goes what has a code below `first_right`, or of a categorical feature one that is not among `right_codes`, and
/// the missing when default_left.
struct CodeSplit {
  std::int32_t node = 0;
  std::int32_t left = 0;  ///< ids of the children
  std::int32_t right = 0;
  std::uint32_t feature = 0;
  std::uint32_t first_right = 0;
  bool default_left = false;
  bool is_last = false;                        ///< both children are leaves for good
  std::vector<std::uint8_t> right_codes = {};  ///< [n_bins], 1 = goes right; empty: first_right holds
};

/// `split` but for its nodes. right_categories: those that go right at a categorical feature, ascending.
CodeSplit MakeCodeSplit(QuantileCuts const& cuts, SplitCandidate const& split,
                        Span<std::int32_t const> right_categories);

/// [n_bins]: 1 where the category of the bin is among `categories`, which ascend.
std::vector<std::uint8_t> MarkCategories(QuantileCuts const& cuts, std::uint32_t feature,
                                         Span<std::int32_t const> categories);

/// The first bin right of a threshold that is one of the feature's cuts or its lower bound.
std::uint32_t FirstRight(QuantileCuts const& cuts, std::uint32_t feature, float threshold);

}  // namespace kauri
