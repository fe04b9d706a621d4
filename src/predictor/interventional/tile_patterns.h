/// \file The rows of a tile by the leaves' contributions to them.
///
/// The rows of a tile have few different patterns at a leaf, and two leaves of one split share all positions. So the
/// contributions of a leaf, or of two such leaves together, are added up once for each pattern that occurs, and every
/// row adds one sum. A row's key is its pattern at the leaf and, for two leaves, one bit more: whether the row follows
/// the last edge to the other leaf.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "predictor/interventional/interventional_kernel.h"

namespace kauri {

/// For one thread.
class TilePatterns {
 public:
  TilePatterns() : number_of_key_(std::size_t{2} << kMostPartFeatures, kUnseen) {}

  /// Keeps the patterns of the rows at the first of two leaves.
  void KeepFirst(std::uint32_t const* patterns, std::int64_t n_rows) { first_.assign(patterns, patterns + n_rows); }

  /// Lists the patterns at a leaf of up to kMostPartFeatures features.
  void List(std::uint32_t const* patterns, std::int64_t n_rows) {
    Number(n_rows, [&](std::int64_t row) { return patterns[row]; });
    patterns_ = keys_;
  }

  /// Lists the pairs of patterns at two leaves: those of KeepFirst, and `patterns`. They differ in one position only.
  void ListBoth(std::uint32_t const* patterns, std::int64_t n_rows, std::uint32_t n_features, std::uint32_t position) {
    Number(n_rows, [&](std::int64_t row) {
      return patterns[row] | (first_[static_cast<std::size_t>(row)] >> position & 1U) << n_features;
    });
    patterns_.clear();
    first_patterns_.clear();
    for (auto const key : keys_) {
      auto const pattern = key & ((1U << n_features) - 1U);
      patterns_.push_back(pattern);
      first_patterns_.push_back((pattern & ~(1U << position)) | (key >> n_features) << position);
    }
  }

  std::int64_t NumPatterns() const { return static_cast<std::int64_t>(patterns_.size()); }
  std::uint32_t const* Patterns() const { return patterns_.data(); }
  /// Returns the patterns at the first of two leaves, after ListBoth.
  std::uint32_t const* FirstPatterns() const { return first_patterns_.data(); }
  /// Returns the number of each row's pattern in the lists.
  std::uint32_t const* OfRows() const { return of_row_.data(); }

 private:
  static constexpr std::uint32_t kUnseen = ~0U;

  /// Numbers the keys in the order in which they occur.
  template <typename KeyOfRow>
  void Number(std::int64_t n_rows, KeyOfRow const& key_of_row) {
    keys_.clear();
    of_row_.resize(static_cast<std::size_t>(n_rows));
    for (std::int64_t row = 0; row < n_rows; ++row) {
      auto const key = key_of_row(row);
      auto& number = number_of_key_[key];
      if (number == kUnseen) {
        number = static_cast<std::uint32_t>(keys_.size());
        keys_.push_back(key);
      }
      of_row_[static_cast<std::size_t>(row)] = number;
    }
    for (auto const key : keys_) number_of_key_[key] = kUnseen;
  }

  std::vector<std::uint32_t> number_of_key_;  ///< kUnseen between calls
  std::vector<std::uint32_t> keys_;
  std::vector<std::uint32_t> patterns_;
  std::vector<std::uint32_t> first_patterns_;
  std::vector<std::uint32_t> of_row_;
  std::vector<std::uint32_t> first_;
};

}  // namespace kauri
