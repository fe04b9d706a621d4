/// \file Choice of the algorithm for a leaf's interventional contributions (interventional.h).
#pragma once

#include <cstdint>

#include "kauri/host_device.h"

namespace kauri {

/// Algorithm for a leaf. It depends only on the leaf's number of features, so no bit depends on how many rows are
/// explained.
enum class LeafForm : std::uint32_t {
  kConstant,  ///< no features
  kValues,    ///< a table of all features' values by pattern: up to 16 kB
  kParts,     ///< a table of two numbers by pattern: up to 64 kB
  kPairs      ///< pairs of a row's and a background's pattern
};
constexpr std::uint32_t kMostValueFeatures = 8;
constexpr std::uint32_t kMostPartFeatures = 12;

constexpr LeafForm FormOf(std::uint32_t n_features) {
  if (n_features == 0) return LeafForm::kConstant;
  if (n_features <= kMostValueFeatures) return LeafForm::kValues;
  return n_features <= kMostPartFeatures ? LeafForm::kParts : LeafForm::kPairs;
}

/// Returns the doubles per pattern in the table of values of a leaf with n_features features.
KAURI_HD std::int64_t TableWidth(std::uint32_t n_features) { return (std::int64_t{n_features} + 3) / 4 * 4; }

/// Returns the doubles of a leaf's table: a multiple of 8, so that the next table is aligned.
inline std::int64_t TableSize(std::uint32_t n_features) {
  auto const form = FormOf(n_features);
  if (form == LeafForm::kConstant || form == LeafForm::kPairs) return 0;
  return (form == LeafForm::kValues ? TableWidth(n_features) : 2) << n_features;
}

}  // namespace kauri
