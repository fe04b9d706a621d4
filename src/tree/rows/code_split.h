/// \file Splits expressed in bin indices.
#pragma once

#include <cstdint>
#include <vector>

#include "data/sketch/quantile_sketch.h"
#include "kauri/span.h"
#include "tree/split_gain.h"

namespace kauri {

/// A split. Bin indices below `first_right` go left; for a categorical feature, those not marked in `right_codes` go
/// left. Missing values go left if default_left.
struct CodeSplit {
  std::int32_t node = 0;
  std::int32_t left = 0;  ///< ids of the children
  std::int32_t right = 0;
  std::uint32_t feature = 0;
  std::uint32_t first_right = 0;
  bool default_left = false;
  bool is_last = false;                        ///< both children stay leaves
  std::vector<std::uint8_t> right_codes = {};  ///< [n_bins], 1 = goes right; if empty, first_right is used
};

/// Returns `split` in bin indices, without its nodes. right_categories: categories that go right at a categorical
/// feature, ascending.
CodeSplit MakeCodeSplit(QuantileCuts const& cuts, SplitCandidate const& split,
                        Span<std::int32_t const> right_categories);

/// Returns marks [n_bins]: 1 if the category of the bin is in `categories`, which are ascending.
std::vector<std::uint8_t> MarkCategories(QuantileCuts const& cuts, std::uint32_t feature,
                                         Span<std::int32_t const> categories);

/// Returns the first bin right of a threshold that is a bin edge of the feature or its lower bound.
std::uint32_t FirstRight(QuantileCuts const& cuts, std::uint32_t feature, float threshold);

}  // namespace kauri
