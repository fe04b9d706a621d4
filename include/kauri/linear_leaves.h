/// \file Leaves that hold a linear function of some features instead of one number (linear_tree).
///
/// A linear leaf predicts base + sum over its features of slope * (value - centre), in float64, rounded once to
/// float32. If one of these values is missing or infinite, or the sum exceeds float32, the leaf predicts its constant.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kauri {

struct LinearLeaves {
  std::vector<std::int64_t> begin;     ///< [n_nodes + 1], into the arrays over terms; empty: no leaf is linear
  std::vector<std::uint32_t> feature;  ///< [n_terms], ascending within a leaf
  std::vector<float> slope;            ///< [n_terms], learning rate applied
  std::vector<float> centre;           ///< [n_terms]
  std::vector<float> base;             ///< [n_nodes], learning rate applied; 0 where a node has no terms

  bool IsEmpty() const { return begin.empty(); }
  bool Has(std::int32_t node) const { return begin[node] < begin[node + 1]; }
  /// Returns the prediction of `leaf` for a row. features: [largest feature + 1], NaN where missing.
  float ValueOf(std::int32_t leaf, float constant, float const* features) const {
    if (!Has(leaf)) return constant;
    auto sum = static_cast<double>(base[leaf]);
    for (auto term = begin[leaf]; term < begin[leaf + 1]; ++term) {
      auto const value = features[feature[term]];
      if (!std::isfinite(value)) return constant;
      sum += static_cast<double>(slope[term]) * (static_cast<double>(value) - static_cast<double>(centre[term]));
    }
    auto const rounded = static_cast<float>(sum);
    return std::isfinite(rounded) ? rounded : constant;
  }
  /// Returns one more than the largest feature that a leaf reads; 0 if no leaf reads one.
  std::int64_t NumCols() const {
    std::int64_t n_cols = 0;
    for (auto const of_term : feature) n_cols = n_cols > of_term ? n_cols : std::int64_t{of_term} + 1;
    return n_cols;
  }
};

}  // namespace kauri
