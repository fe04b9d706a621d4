/// \file Rows with categories in the nodes of a level, on the host, for the tests of categorical columns.
#pragma once

#include <algorithm>
#include <vector>

#include "kauri/gradient.h"
#include "support/device_fixture.h"
#include "tree/categories/category_search.h"

namespace kauri::testing {

struct CategorySpec {
  std::vector<std::int32_t> n_categories;  ///< for each feature
  std::int64_t n_rows = 100;
  std::int32_t n_nodes = 1;
  double missing = 0.0;       ///< chance that a code is missing
  bool coarse_pairs = false;  ///< gradients -1, 0, 1 and hessians 0, 1: many ties, and zero sums
  std::uint64_t seed = 0;
};

struct CategoryLevel {
  CategorySpec spec;
  std::vector<std::uint32_t> codes;     ///< [n_features, n_rows]
  std::vector<std::int32_t> positions;  ///< [n_rows], some below 0
  std::vector<FixedPair> pairs;         ///< [n_rows], some zero
  GainParam param;

  std::size_t NumFeatures() const { return spec.n_categories.size(); }
  /// Returns the id of a feature: the odd numbers.
  static std::uint32_t IdOf(std::size_t feature) { return static_cast<std::uint32_t>(2 * feature + 1); }
  std::size_t NumIds() const { return 2 * NumFeatures() + 1; }
  /// Returns the category numbers, which differ from the indices.
  std::vector<std::int32_t> ListOf(std::size_t feature) const {
    std::vector<std::int32_t> list;
    for (std::int32_t index = 0; index < spec.n_categories[feature]; ++index) list.push_back(3 * index + 1);
    return list;
  }
  std::uint32_t CodeOf(std::size_t feature, std::size_t row) const { return codes[feature * positions.size() + row]; }
  /// Returns the sums by category, [n_categories], of a feature in a node.
  std::vector<FixedSum> SumsOf(std::size_t feature, std::int32_t node) const {
    std::vector<FixedSum> sums(spec.n_categories[feature]);
    for (std::size_t row = 0; row < positions.size(); ++row) {
      auto const code = CodeOf(feature, row);
      if (positions[row] == node && code != 0) sums[code - 1] += pairs[row];
    }
    return sums;
  }
  /// Returns the entries in the form that the CPU's search takes.
  std::vector<CategoryEntry> EntriesOf(std::size_t feature, std::int32_t node) const {
    std::vector<CategoryEntry> entries;
    auto const sums = SumsOf(feature, node);
    for (std::size_t index = 0; index < sums.size(); ++index) {
      if (!(sums[index] == FixedSum())) entries.push_back({static_cast<std::int32_t>(index), sums[index]});
    }
    return entries;
  }
  FixedSum TotalOf(std::int32_t node) const {
    FixedSum sum;
    for (std::size_t row = 0; row < positions.size(); ++row) {
      if (positions[row] == node) sum += pairs[row];
    }
    return sum;
  }
};

inline CategoryLevel MakeCategoryLevel(CategorySpec const& spec) {
  Random random(spec.seed);
  CategoryLevel level;
  level.spec = spec;
  for (std::int64_t row = 0; row < spec.n_rows; ++row) {
    auto const finished = random.Below(10) == 0;
    auto const node = static_cast<std::int32_t>(random.Below(static_cast<std::uint32_t>(spec.n_nodes)));
    level.positions.push_back(finished ? ~node : node);
    auto const most = spec.coarse_pairs ? 1 : 1 << 20;
    FixedPair const pair{static_cast<std::int32_t>(random.Below(2 * static_cast<std::uint32_t>(most) + 1)) - most,
                         static_cast<std::int32_t>(random.Below(static_cast<std::uint32_t>(most) + 1))};
    level.pairs.push_back(random.Below(8) == 0 ? FixedPair{0, 0} : pair);
  }
  for (auto const n : spec.n_categories) {
    for (std::int64_t row = 0; row < spec.n_rows; ++row) {
      // Low categories are frequent, high ones have few rows or none.
      auto const index = static_cast<std::uint32_t>(static_cast<double>(n) * random.Uniform() * random.Uniform());
      level.codes.push_back(random.Uniform() < spec.missing ? 0 : index + 1);
    }
  }
  level.param.unit = spec.coarse_pairs ? GradientUnit{1.0, 1.0} : GradientUnit{0x1p-20, 0x1p-20};
  level.param.min_child_weight = spec.coarse_pairs ? 1.0 : 0.5;
  return level;
}

}  // namespace kauri::testing
