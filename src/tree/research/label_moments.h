/// \file Research: splits that reduce the absolute error most, or any loss of two straight lines, by moment sketches of
/// the residuals, which a prefix sum merges (thesis, section 7.2). absolute_error_sketch=moments.
///
/// It is here to be compared with label_bins.h, which is nearer in small nodes, and far faster. Nothing else in the
/// library uses it, and what it learns may change.
///
/// Vocabulary as in label_bins.h. A sketch: power sums up to kErrorMoments, smallest and largest of some residuals.
///
/// 1. A node's residuals are clipped at their 1 % and 99 % quantiles: the series of a long tail tells nothing of the
///    rest. Where these two are equal they are not clipped.
/// 2. For each feature, rows are put in the order of their codes; those of each code make a sketch.
/// 3. Sketches are merged upwards for the left sides, downwards for the right ones: neither the smallest nor the
///    largest residual can be taken away from a sum. Missing rows are tried on each side.
/// 4. Each boundary's errors are estimated from both sketches (moment_errors.h).
/// 5. The four boundaries of least estimates are looked at exactly, row by row in the order of residuals, not clipped.
///    The best of these is the feature's split, and its gain is exact.
/// A feature of a node is one thread's work, rows come in the node's order, and sketches are merged in the order of
/// codes: threads do not matter.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "data/sketch/power_sums.h"
#include "tree/growth/node_total.h"
#include "tree/histogram/histogram_adder.h"
#include "tree/label_bins/fixed_residuals.h"
#include "tree/split_gain.h"

namespace kauri {

/// A node whose split is looked for.
struct LabelMomentNode {
  RowSlice rows;
  NodeTotal const* total = nullptr;
  std::vector<std::uint32_t> ascending;  ///< its rows with weight, by residual
  ResidualSum all;                       ///< of these
  double errors = 0.0;                   ///< exact
  float low = 0.0F;                      ///< what residuals are clipped to
  float high = 0.0F;
};

/// What rows with one code of a feature add up to.
struct MomentCell {
  std::uint32_t code = 0;
  std::int64_t n_rows = 0;
  FixedSum pairs;
  ResidualSum residuals;
  PowerSums sums;
};

/// A boundary of a feature, and what is on its left.
struct MomentBoundary {
  std::uint32_t code = 0;  ///< the last on the left
  bool missing_left = false;
  float threshold = 0.0F;
  FixedSum left;
  ResidualSum residuals;
  double estimate = 0.0;  ///< of the errors of both sides
};

class LabelMomentSearch {
 public:
  using Node = LabelMomentNode;
  struct Scratch {
    std::vector<std::uint32_t> begin;    ///< [n_codes + 1]: places of the rows of each code
    std::vector<std::uint32_t> rows;     ///< by code
    std::vector<float> values;           ///< their residuals, clipped
    std::vector<float> weights;          ///< theirs
    std::vector<MomentCell> cells;       ///< of codes with rows, ascending; the missing ones last
    std::vector<PowerSums> right;        ///< [n_boundaries]: of what lies right of each
    std::vector<MomentBoundary> chosen;  ///< at most four, the least estimates first
  };

  /// Of one tree. What it refers to must outlive it. pairs: [n_rows], as the tree's leaves are made of.
  LabelMomentSearch(BinMatrix const& bins, FixedResiduals const& residuals, GainParam const& gain,
                    Span<FixedPair const> pairs)
      : bins_(bins), residuals_(residuals), gain_(gain), pairs_(pairs) {}

  /// Sets the order of a node's rows, their errors and what they are clipped to.
  void Prepare(LabelMomentNode* node) const;
  /// The best split of a prepared node at a numerical feature, of those looked at; invalid unless it reduces the
  /// errors. Different features and nodes at once on several threads, each with its scratch.
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
