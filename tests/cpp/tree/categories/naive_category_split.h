/// \file The best split on a categorical feature by its definition: row by row, trying every set.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "kauri/gradient.h"
#include "tree/categories/category_split.h"

namespace kauri::testing {

/// A categorical column in a node.
struct NaiveColumn {
  std::vector<float> values;  ///< [n_rows], NaN = missing
  std::vector<FixedPair> pairs;
  std::vector<std::int32_t> categories;  ///< categories of the feature, ascending
};

struct NaiveCategorySplit {
  double loss_change = 0.0;
  bool default_left = false;
  std::set<std::int32_t> right;  ///< empty: no split
};

class NaiveCategorySearch {
 public:
  NaiveCategorySearch(NaiveColumn const& column, GainParam const& gain, std::int64_t least_rows = 0)
      : column_(column), gain_(gain), least_rows_(least_rows) {}

  NaiveCategorySplit OneHot() {
    for (auto const category : column_.categories) {
      for (bool const default_left : {true, false}) Consider({category}, default_left);
    }
    return best_;
  }

  NaiveCategorySplit Partition(int max_partition) {
    auto order = column_.categories;
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return WeightOf(a) < WeightOf(b); });
    auto const n = static_cast<int>(order.size());
    auto const n_tried = std::min(max_partition, n) - 1;
    int tried = 0;
    for (int n_right = 1; n_right <= n_tried; ++n_right) {
      if (!IsStep({order.begin() + tried, order.begin() + n_right}, {order.begin(), order.begin() + n_right})) continue;
      tried = n_right;
      Consider({order.begin(), order.begin() + n_right}, true);
    }
    tried = 0;
    for (int n_left = 1; n_left <= n_tried; ++n_left) {
      if (!IsStep({order.end() - n_left, order.end() - tried}, {order.end() - n_left, order.end()})) continue;
      tried = n_left;
      Consider({order.begin(), order.end() - n_left}, false);
    }
    return best_;
  }

  /// Tries every set of categories, with the missing rows on either side.
  NaiveCategorySplit AllSets() {
    for (std::uint32_t bits = 1; bits < 1U << column_.categories.size(); ++bits) {
      std::set<std::int32_t> right;
      for (std::size_t i = 0; i < column_.categories.size(); ++i) {
        if ((bits >> i & 1U) != 0) right.insert(column_.categories[i]);
      }
      for (bool const default_left : {true, false}) Consider(right, default_left);
    }
    return best_;
  }

 private:
  template <typename Belongs>
  FixedSum Sum(Belongs&& belongs) const {
    FixedSum sum;
    for (std::size_t row = 0; row < column_.values.size(); ++row) {
      if (belongs(column_.values[row])) sum += column_.pairs[row];
    }
    return sum;
  }
  FixedSum SumOf(std::set<std::int32_t> const& categories) const {
    return Sum(
        [&](float value) { return !std::isnan(value) && categories.count(static_cast<std::int32_t>(value)) == 1; });
  }
  float WeightOf(std::int32_t category) const {
    auto const sum = SumOf({category});
    if (HessianOf(sum, gain_) < gain_.categories.least_hessian) return 0.0F;
    auto smoothed = gain_;
    smoothed.lambda = gain_.lambda + gain_.categories.smooth;
    return static_cast<float>(LeafWeight(sum, smoothed));
  }
  /// Returns whether a prefix is tried that has `more` than the last one tried.
  bool IsStep(std::set<std::int32_t> const& more, std::set<std::int32_t> const& part) const {
    auto const least = gain_.categories.group_hessian;
    auto const rest = Sum([](float) { return true; }) - SumOf(part);
    return least == 0.0 || (HessianOf(SumOf(more), gain_) >= least && HessianOf(rest, gain_) >= least);
  }
  void Consider(std::set<std::int32_t> const& right_set, bool default_left) {
    auto const goes_right = [&](float value) {
      return std::isnan(value) ? !default_left : right_set.count(static_cast<std::int32_t>(value)) == 1;
    };
    auto const right = Sum(goes_right);
    auto const left = Sum([&](float value) { return !goes_right(value); });
    if (!HasEnoughHessian(left, gain_) || !HasEnoughHessian(right, gain_)) return;
    auto const n_right = std::count_if(column_.values.begin(), column_.values.end(), goes_right);
    auto const n_left = static_cast<std::int64_t>(column_.values.size()) - n_right;
    if (n_left < least_rows_ || n_right < least_rows_) return;
    auto const all = Sum([](float) { return true; });
    auto of_children = gain_;
    of_children.lambda = gain_.lambda + gain_.categories.l2;
    auto const loss_change = LeafGain(left, of_children) + LeafGain(right, of_children) - LeafGain(all, gain_);
    if (loss_change > best_.loss_change) best_ = {loss_change, default_left, right_set};
  }

  NaiveColumn const& column_;
  GainParam gain_;
  std::int64_t least_rows_;
  NaiveCategorySplit best_;
};

}  // namespace kauri::testing
