/// \file The gains of the boundaries of a feature, many at once, from the sums of a node by place and known label bin.
///
/// Vocabulary as in label_table.h; a boundary follows a place.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tree/label_bins/bin_sides.h"
#include "tree/label_bins/label_table.h"

namespace kauri {

/// A table as boundaries see it.
struct KnownBins {
  std::size_t n = 0;
  std::array<ResidualSum const*, kLabelBins> sums{};  ///< [places]: of these and lower ones
  std::array<ResidualSum, kLabelBins> of_node{};
  std::array<ResidualSum, kLabelBins> to_left{};  ///< what is left of all boundaries: the missing rows, or nothing

  KnownBins(LabelTable const& table, bool missing_left);
};

/// By place. What lies beyond the boundaries holds anything.
struct PlaceGains {
  std::vector<double> gains;         ///< the errors of the node less those of both sides
  std::vector<std::uint8_t> lefts;   ///< the known label bins of the quantiles on the left
  std::vector<std::uint8_t> rights;  ///< and on the right

  /// Room for a vector more.
  void Reserve(std::size_t n_places);
};

/// Sets those of the boundaries after places [begin, end), and returns the largest, or 0. errors: of the node. The bits
/// are those of BinSides, where label bins are the known ones.
double FillGains(FixedResiduals const& residuals, KnownBins const& known, double errors, std::size_t begin,
                 std::size_t end, PlaceGains* out);

}  // namespace kauri
