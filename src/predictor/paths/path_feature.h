/// \file One feature of a path through a tree: which of its values follow the path at all splits on it.
#pragma once

#include <cstdint>

#include "kauri/host_device.h"
#include "predictor/forest/category_sets.h"
#include "predictor/forest/feature_key.h"

namespace kauri {

/// Splits on one feature, merged. A number follows the path iff its key lies in [lower, upper); where some of the
/// splits are categorical, `lower` is the number of a CategoryCondition instead. lower <= upper.
struct alignas(16) PathFeature {
  std::uint32_t slot_flags;  ///< slot << 2 | has_categories << 1 | takes_missing
  std::int32_t lower;
  std::int32_t upper;
  float zero_fraction;  ///< chance of following the path when the feature is unknown: a product of cover ratios

  KAURI_HD std::uint32_t Slot() const { return slot_flags >> 2U; }
  KAURI_HD bool HasCategories() const { return (slot_flags & 2U) != 0; }
  KAURI_HD bool TakesMissing() const { return (slot_flags & 1U) != 0; }
};

/// Numbers in [lower, upper) whose category is in the set, or is not.
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

/// Whether a row whose feature has this key follows the path at all splits on the feature, none of them categorical.
KAURI_HD bool FollowsInterval(PathFeature const& feature, std::int32_t key) {
  auto const width = static_cast<std::uint32_t>(feature.upper) - static_cast<std::uint32_t>(feature.lower);
  auto const is_inside = static_cast<std::uint32_t>(key) - static_cast<std::uint32_t>(feature.lower) < width;
  return is_inside | ((key == kMissingKey) & feature.TakesMissing());  // no branch: lanes differ
}

/// The same for any splits.
KAURI_HD bool Follows(PathFeature const& feature, std::int32_t key, CategoryConditionsView const& categories) {
  if (!feature.HasCategories()) return FollowsInterval(feature, key);
  if (key == kMissingKey) return feature.TakesMissing();
  auto const condition = categories.conditions[feature.lower];
  return condition.lower <= key && key < condition.upper &&
         categories.sets.Contains(condition.set, ValueOfKey(key)) != condition.is_complement;
}

}  // namespace kauri
