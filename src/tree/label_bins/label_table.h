/// \file What the rows of a node add up to along a feature, label bin by label bin.
///
/// A place is a code of the feature, or, where few codes have rows, its rank among those. The table holds, for label
/// bins that are known, the sums of the rows in this bin or less whose place is this one or less: for a boundary, what
/// lies on its left. The last bins of groups are known from the start. Errors from groups, each of which counts as its
/// mean residual, are never above those from the label bins in it, as a loss of two straight lines is convex; where the
/// quantile lies in a group of one bin they are the same number.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "kauri/gradient.h"
#include "tree/label_bins/label_rows.h"

namespace kauri {

class LabelTable {
 public:
  static constexpr std::size_t kRoom = 8;

  /// Of a node and a feature: what was known is forgotten.
  void Start(BinMatrix const& bins, std::uint32_t feature, LabelRows const& rows, LabelBins const& node);
  /// Makes all label bins of the group that ends with this one known. Others keep their numbers among the known ones or
  /// move up.
  void Refine(std::size_t known);

  /// Codes with rows, ascending: the last may be that of missing ones. Listed when it is first asked for.
  std::vector<std::uint32_t> const& Codes() {
    if (codes_.empty()) ListCodes();
    return codes_;
  }
  /// Besides others.
  bool HasMissing() const;
  std::size_t PlaceOf(std::size_t index) const { return is_ranked_ ? index : codes_[index]; }
  std::size_t NumPlaces() const { return n_places_; }

  LabelBinList const& Known() const { return known_; }
  bool IsSingle(std::size_t known) const { return known_[known] == (known == 0 ? 0 : known_[known - 1] + 1); }
  /// [places, and room for a vector more]: of a known label bin, by its number among those.
  ResidualSum const* Sums(std::size_t known) const { return sums_.data() + known_[known] * n_places_; }
  /// [places + 1]: the gradient pairs of lower places.
  void AddPairs(std::vector<FixedSum>* pairs) const;
  /// [places + 1]: how many rows lower places have.
  void CountRows(std::vector<std::int64_t>* n_rows) const;

 private:
  bool IsWorthRanks() const;
  void RankCodes();
  void ListCodes();
  /// Calls fn(place_of), where place_of(position) is a row's.
  template <typename Fn>
  void WithPlaces(Fn&& fn) const;
  void AddRows(std::size_t first, std::size_t last);
  void Accumulate(ResidualSum const* base, ResidualSum* to) const;

  BinMatrix const* bins_ = nullptr;
  std::uint32_t feature_ = 0;
  LabelRows const* rows_ = nullptr;
  LabelBins const* node_ = nullptr;
  std::vector<std::uint32_t> places_;  ///< [rows of the node], in their order, where places are ranks
  std::vector<std::uint32_t> codes_;
  bool is_ranked_ = false;
  std::size_t n_places_ = 0;
  LabelBinList known_;
  std::vector<ResidualSum> added_;  ///< [places]
  std::vector<ResidualSum> sums_;   ///< [kLabelBins, places]
};

}  // namespace kauri
