/// \file Computes the gains of a feature's boundaries, many at once, from a node's sums by place and known label bin.
///
/// Vocabulary as in label_table.h; a boundary follows a place.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tree/absolute_error/bin_sides.h"
#include "tree/absolute_error/label_table.h"

namespace kauri {

/// A label table as seen from its boundaries.
struct KnownBins {
  std::size_t n = 0;
  std::array<ResidualSum const*, kLabelBins> sums{};  ///< [places]: sums of these and lower places
  std::array<ResidualSum, kLabelBins> of_node{};
  std::array<ResidualSum, kLabelBins> to_left{};  ///< added to the left of all boundaries: the missing rows, or zero

  KnownBins(LabelTable const& table, bool missing_left);
};

/// Results by place. Values beyond the boundaries are undefined.
struct PlaceGains {
  std::vector<double> gains;         ///< errors of the node minus the errors of both sides
  std::vector<std::uint8_t> lefts;   ///< known label bins of the quantiles on the left
  std::vector<std::uint8_t> rights;  ///< known label bins of the quantiles on the right

  /// Reserves room for the places and one more vector.
  void Reserve(std::size_t n_places);
};

/// Sets the results of the boundaries after places [begin, end) and returns the largest gain, or 0. errors: errors of
/// the node. BinSides gives the same results bit by bit if its label bins are the known ones.
double FillGains(FixedResiduals const& residuals, KnownBins const& known, double errors, std::size_t begin,
                 std::size_t end, PlaceGains* out);

}  // namespace kauri
