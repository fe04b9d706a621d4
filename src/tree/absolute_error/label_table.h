/// \file The rows of a node, sorted by label bin, and their sums along a feature, by label bin.
///
/// A place is a bin index of the feature, or, if few bins have rows, its rank among those. For each known label bin and
/// place, the table holds the sum of the rows in this label bin or a lower one and at this place or a lower one: the
/// part left of a boundary. The last bins of groups are known from the start. Each group counts as its mean residual.
/// Errors from groups never exceed the errors from the single label bins, because a loss of two straight lines is
/// convex. If the quantile lies in a group of one bin, both are equal.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/gradient.h"
#include "kauri/span.h"
#include "tree/absolute_error/bin_sides.h"
#include "tree/absolute_error/fixed_residuals.h"
#include "tree/absolute_error/label_binner.h"
#include "tree/histogram/histogram_adder.h"

namespace kauri {

// Sorts the rows of nodes by label bin and copies what every feature needs from them side by side.
//
// Vocabulary as in label_binner.h. Label bins are first evaluated in groups (LabelTable): single bins around the
// quantile of the node, and larger groups further away.

/// Label bin indices, ascending.
using LabelBinList = std::vector<std::uint8_t>;

/// The label bins of a node.
struct LabelBins {
  std::array<std::int64_t, kLabelBins + 1> begin{};  ///< positions of the rows of each bin
  LabelBinList ends;  ///< last bin of each group; the final one is the last bin with rows
  ResidualSum all;
  double errors = 0.0;          ///< errors of all rows
  bool has_weightless = false;  ///< some row has weight 0
};

class LabelRows {
 public:
  /// Serves one tree. Referenced objects must outlive this object. pairs: [n_rows].
  LabelRows(FixedResiduals const& residuals, Span<FixedPair const> pairs);

  /// Sorts the rows of a node, within their positions. Threads may process different nodes concurrently.
  LabelBins Sort(RowSlice const& slice);

  /// Rows, residuals and pairs, by position.
  std::uint32_t const* Rows() const { return rows_.data(); }
  ResidualSum const* Residuals() const { return sums_.data(); }
  FixedPair const* Pairs() const { return sorted_pairs_.data(); }

 private:
  void Count(RowSlice const& slice, LabelBins* bins);
  void Move(RowSlice const& slice, LabelBins const& bins);
  LabelSums Add(LabelBins* bins) const;

  FixedResiduals const& residuals_;
  Span<FixedPair const> pairs_;
  LabelBinner binner_;
  std::vector<std::uint8_t> bin_of_;  ///< by position, before rows are sorted
  std::vector<std::uint32_t> rows_;
  std::vector<ResidualSum> sums_;
  std::vector<FixedPair> sorted_pairs_;
};

class LabelTable {
 public:
  static constexpr std::size_t kRoom = 8;

  /// Begins a node and a feature, and discards previous sums.
  void Start(BinMatrix const& bins, std::uint32_t feature, LabelRows const& rows, LabelBins const& node);
  /// Makes all label bins of the group that ends with this bin known. Other bins keep their index among the known ones
  /// or move up.
  void Refine(std::size_t known);

  /// Returns the bin indices with rows, ascending; the last may be the missing one. Listed on the first call.
  std::vector<std::uint32_t> const& Codes() {
    if (codes_.empty()) ListCodes();
    return codes_;
  }
  /// Returns whether some rows are missing and others are not.
  bool HasMissing() const;
  std::size_t PlaceOf(std::size_t index) const { return is_ranked_ ? index : codes_[index]; }
  std::size_t NumPlaces() const { return n_places_; }

  LabelBinList const& Known() const { return known_; }
  bool IsSingle(std::size_t known) const { return known_[known] == (known == 0 ? 0 : known_[known - 1] + 1); }
  /// Returns the sums of a known label bin, given its index among the known ones, [places, and room for one more
  /// vector].
  ResidualSum const* Sums(std::size_t known) const { return sums_.data() + known_[known] * n_places_; }
  /// Computes the cumulated gradient pairs of lower places, [places + 1].
  void AddPairs(std::vector<FixedSum>* pairs) const;
  /// Computes the cumulated row counts of lower places, [places + 1].
  void CountRows(std::vector<std::int64_t>* n_rows) const;

 private:
  bool IsWorthRanks() const;
  void RankCodes();
  void ListCodes();
  /// Calls fn(place_of), where place_of(position) is the place of a row.
  template <typename Fn>
  void WithPlaces(Fn&& fn) const;
  void AddRows(std::size_t first, std::size_t last);
  void Accumulate(ResidualSum const* base, ResidualSum* to) const;

  BinMatrix const* bins_ = nullptr;
  std::uint32_t feature_ = 0;
  LabelRows const* rows_ = nullptr;
  LabelBins const* node_ = nullptr;
  std::vector<std::uint32_t> places_;  ///< [rows of the node], in their order; used if places are ranks
  std::vector<std::uint32_t> codes_;
  bool is_ranked_ = false;
  std::size_t n_places_ = 0;
  LabelBinList known_;
  std::vector<ResidualSum> added_;  ///< [places]
  std::vector<ResidualSum> sums_;   ///< [kLabelBins, places]
};

}  // namespace kauri
