/// \file The label bins of a node's rows.
///
/// Vocabulary. residual: label less margin. A label bin holds residuals of a node between two of its edges. There are
/// kLabelBins at most, with edges at ranks of 4,096 of the node's rows at most, which are taken at a fixed stride: even
/// ones for the median; for other quantiles half of them lie around the quantile.
#pragma once

#include <cstdint>
#include <vector>

#include "tree/histogram/histogram_adder.h"
#include "tree/label_bins/bin_of_residual.h"
#include "tree/label_bins/fixed_residuals.h"

namespace kauri {

class LabelBinner {
 public:
  /// Where edges are: even ones; or fewer of these, and some for the last rows at either end, of which single ones may
  /// weigh more than all others, so that sides of few rows are told apart.
  enum Edges { kEven, kEvenAndTails };

  /// What it refers to must outlive it.
  LabelBinner(FixedResiduals const& residuals, Edges edges);

  /// bins [rows of the slice]: those of its rows, in their order.
  void Find(RowSlice const& slice, std::uint8_t* bins) const;

 private:
  LabelEdges EdgesOf(RowSlice const& slice) const;

  FixedResiduals const& residuals_;
  std::vector<double> shares_;
};

/// [kLabelBins - 1], ascending: where the edges are, as shares of the rows.
std::vector<double> SharesOfEdges(double quantile, LabelBinner::Edges edges);

}  // namespace kauri
