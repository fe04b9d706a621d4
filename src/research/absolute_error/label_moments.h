/// \file Research: finds the splits that reduce the absolute error most, or any loss of two straight lines, by moment
/// sketches of the residuals, which a prefix sum merges (thesis, section 7.2). absolute_error_sketch=moments.
///
/// It exists for comparison with label_bins.h, which is more accurate in small nodes, and far faster. No other code
/// uses it, and its results may change.
///
/// Vocabulary as in label_bins.h. A sketch holds the power sums up to kErrorMoments, the smallest and the largest of
/// some residuals.
///
/// 1. A node's residuals are clipped at their 1 % and 99 % quantiles, because the series of a long tail says nothing
///    about the rest. They are not clipped if both quantiles are equal.
/// 2. For each feature, rows are sorted by bin index, and the rows of each bin make a sketch.
/// 3. Sketches are merged upwards for the left sides and downwards for the right sides, because neither the smallest
///    nor the largest residual can be subtracted from a sum. Missing rows are tried on each side.
/// 4. Each boundary's errors are estimated from both sketches (moment_errors.h).
/// 5. The four boundaries with the least estimates are evaluated exactly, row by row in the order of residuals, without
///    clipping. The best of these is the feature's split, and its gain is exact.
/// One thread processes a feature of a node, rows come in the node's order, and sketches are merged in the order of
/// bins. The result therefore does not depend on threads.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "data/sketch/power_sums.h"
#include "tree/absolute_error/fixed_residuals.h"
#include "tree/growth/split_search.h"
#include "tree/histogram/histogram_adder.h"
#include "tree/split_gain.h"

namespace kauri {

/// A node whose split is searched.
struct LabelMomentNode {
  RowSlice rows;
  NodeTotal const* total = nullptr;
  std::vector<std::uint32_t> ascending;  ///< its rows with weight, by residual
  ResidualSum all;                       ///< sum of these rows
  double errors = 0.0;                   ///< exact
  float low = 0.0F;                      ///< bounds to which residuals are clipped
  float high = 0.0F;
};

/// Sums of the rows with one bin index of a feature.
struct MomentCell {
  std::uint32_t code = 0;
  std::int64_t n_rows = 0;
  FixedSum pairs;
  ResidualSum residuals;
  PowerSums sums;
};

/// A boundary of a feature, with the sums left of it.
struct MomentBoundary {
  std::uint32_t code = 0;  ///< the last bin on the left
  bool missing_left = false;
  float threshold = 0.0F;
  FixedSum left;
  ResidualSum residuals;
  double estimate = 0.0;  ///< estimated errors of both sides
};

class LabelMomentSearch {
 public:
  using Node = LabelMomentNode;
  struct Scratch {
    std::vector<std::uint32_t> begin;    ///< [n_codes + 1]: first position of the rows of each bin
    std::vector<std::uint32_t> rows;     ///< rows by bin
    std::vector<float> values;           ///< clipped residuals of the rows
    std::vector<float> weights;          ///< weights of the rows
    std::vector<MomentCell> cells;       ///< of bins with rows, ascending; missing rows last
    std::vector<PowerSums> right;        ///< [n_boundaries]: sums right of each boundary
    std::vector<MomentBoundary> chosen;  ///< at most four, in ascending order of the estimate
  };

  /// Searches one tree. Referenced objects must outlive this object. pairs: [n_rows], the pairs that the tree's leaves
  /// are made from.
  LabelMomentSearch(BinMatrix const& bins, FixedResiduals const& residuals, GainParam const& gain,
                    Span<FixedPair const> pairs)
      : bins_(bins), residuals_(residuals), gain_(gain), pairs_(pairs) {}

  /// Sets the order of a node's rows, their errors and their clipping bounds.
  void Prepare(LabelMomentNode* node) const;
  /// Returns the best split of a prepared node at a numerical feature among the boundaries evaluated exactly; invalid
  /// unless it reduces the errors. Threads may search different features and nodes concurrently, each with its own
  /// scratch.
  SplitCandidate Find(LabelMomentNode const& node, std::uint32_t feature, Scratch* scratch) const;

 private:
  void SortByCode(LabelMomentNode const& node, std::uint32_t feature, Scratch* scratch) const;
  void MakeCells(LabelMomentNode const& node, Scratch* scratch) const;
  MomentCell CellOf(std::uint32_t code, LabelMomentNode const& node, Scratch* scratch) const;
  void Consider(LabelMomentNode const& node, std::uint32_t feature, bool missing_left, Scratch* scratch) const;
  SplitCandidate BestOfChosen(LabelMomentNode const& node, std::uint32_t feature, Scratch const& scratch) const;
  bool IsAllowed(LabelMomentNode const& node, FixedSum const& left, std::int64_t n_left) const;

  BinMatrix const& bins_;
  FixedResiduals const& residuals_;
  GainParam const& gain_;
  Span<FixedPair const> pairs_;
};

}  // namespace kauri
