/// \file One feature of a path through a tree: the values that follow the path at all splits on the feature.
#pragma once

#include <cstdint>

#include "kauri/host_device.h"
#include "predictor/forest/split_keys.h"

namespace kauri {

/// The merged splits on one feature. A number follows the path iff its key lies in [lower, upper). If some of the
/// splits are categorical, `lower` is the number of a CategoryCondition instead. lower <= upper.
struct alignas(16) PathFeature {
  std::uint32_t slot_flags;  ///< slot << 2 | has_categories << 1 | takes_missing
  std::int32_t lower;
  std::int32_t upper;
  float zero_fraction;  ///< probability of following the path when the feature is unknown: a product of cover ratios

  KAURI_HD std::uint32_t Slot() const { return slot_flags >> 2U; }
  KAURI_HD bool HasCategories() const { return (slot_flags & 2U) != 0; }
  KAURI_HD bool TakesMissing() const { return (slot_flags & 1U) != 0; }
};

/// Condition for numbers with a key in [lower, upper): their category is in the set, or is not in it.
struct CategoryCondition {
  std::int32_t lower;
  std::int32_t upper;
  std::int32_t set;
  bool is_complement;
};

/// Not owning, so that it can also describe conditions in device memory.
struct CategoryConditionsView {
  CategoryCondition const* conditions;
  CategorySetsView sets;
};

/// Returns whether a row with this key follows the path at all splits on the feature, none of which is categorical.
KAURI_HD bool FollowsInterval(PathFeature const& feature, std::int32_t key) {
  auto const width = static_cast<std::uint32_t>(feature.upper) - static_cast<std::uint32_t>(feature.lower);
  auto const is_inside = static_cast<std::uint32_t>(key) - static_cast<std::uint32_t>(feature.lower) < width;
  return is_inside | ((key == kMissingKey) & feature.TakesMissing());  // branch-free, because lanes differ
}

/// Returns whether a row with this key follows the path at all splits on the feature, categorical or not.
KAURI_HD bool Follows(PathFeature const& feature, std::int32_t key, CategoryConditionsView const& categories) {
  if (!feature.HasCategories()) return FollowsInterval(feature, key);
  if (key == kMissingKey) return feature.TakesMissing();
  auto const condition = categories.conditions[feature.lower];
  return condition.lower <= key && key < condition.upper &&
         categories.sets.Contains(condition.set, ValueOfKey(key)) != condition.is_complement;
}

}  // namespace kauri
