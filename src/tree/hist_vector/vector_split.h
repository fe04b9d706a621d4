/// \file Finds the best split of a node with vector leaves from its histogram, among the candidates of
/// histogram/bin_split.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "tree/categories/category_split.h"
#include "tree/hist_vector/vector_gain.h"
#include "tree/hist_vector/vector_growth.h"
#include "tree/random_thresholds/drawn_columns.h"
#include "tree/split_gain.h"

namespace kauri {

/// The part of a node's histogram that belongs to one feature.
struct VectorCells {
  std::int64_t const* sums;  ///< [n_bins, stride]
  std::int64_t stride;
  std::uint32_t feature;

  SumRow Of(std::uint32_t bin) const { return sums + bin * stride; }
};

/// Scratch of one thread.
struct VectorScanScratch {
  std::vector<std::uint32_t> codes;   ///< bin indices of the bins with rows
  std::vector<std::int64_t> left;     ///< [outputs of a tile and their hessians, n_boundaries]
  std::vector<std::int64_t> missing;  ///< [stride]
  std::vector<std::int64_t> before;   ///< [stride]: sums of the bins before the first requested boundary
  std::vector<double> up;             ///< BoundarySums with the missing rows to the right
  std::vector<double> down;           ///< BoundarySums with the missing rows to the left
};

/// Finds splits of nodes of one tree. It is const and shared by threads.
class VectorSplitFinder {
 public:
  /// signs: [n_features] monotone constraints, or empty.
  VectorSplitFinder(VectorGainParam const& param, BinMatrix const& bins, CategoryRules const& rules,
                    Span<std::int8_t const> signs)
      : param_(&param), bins_(&bins), rules_(rules), signs_(signs) {}

  /// Replaces *best if a split at the feature is better, by IsBetter or by the noise of the node, without setting its
  /// sums. Callers pass the features in ascending order.
  void Find(VectorCells const& cells, VectorTotal const& node, VectorScanScratch* scratch, SplitCandidate* best) const;
  /// Does the same for a numerical feature whose bins with rows, and the sums of its missing rows, are in the scratch.
  /// Only the cells of these bins are read.
  void FindAmong(VectorCells const& cells, VectorTotal const& node, VectorScanScratch* scratch,
                 SplitCandidate* best) const;
  /// Returns whether a cell of this stride contains rows.
  bool HoldsRows(SumRow sums, std::int64_t stride) const {
    return sums[param_->HessianPlace(0)] != 0 ||
           std::any_of(sums, sums + stride, [](std::int64_t sum) { return sum != 0; });
  }
  /// Returns whether FindDrawn may replace Find, because the random thresholds are compared by their gains alone.
  bool GoesByGainAlone(VectorTotal const& node) const {
    return node.draw.is_on && !node.noise.IsOn() && node.costs.empty() && signs_.empty() &&
           !param_->LimitOf(node.sums.data()).IsOn() && node.bounds.empty();
  }
  /// Returns the number of sums of a gradient row, and of integers that KindOf reads.
  std::int64_t NumSums() const { return param_->NumOutputs() + param_->n_hessians; }
  RowKind KindOf(SumRow row) const;
  /// Returns the best of the random thresholds, from the sums of the rows left of each (drawn.left).
  SplitCandidate FindDrawn(DrawnColumns const& drawn, VectorTotal const& node, VectorScanScratch* scratch) const;
  /// Sets the categories and `left` of a node's best split. cells: cells of the split's feature.
  void Describe(VectorCells const& cells, SplitCandidate const& split, VectorTotal* node) const;

 private:
  struct Scan;
  int SignOf(std::uint32_t feature) const { return signs_.empty() ? 0 : static_cast<int>(signs_[feature]); }
  void FindBetween(VectorCells const& cells, VectorTotal const& node, VectorScanScratch* scratch,
                   SplitCandidate* best) const;
  void CollectBins(VectorCells const& cells, VectorTotal const& node, VectorScanScratch* scratch) const;
  void Narrow(Scan* scan) const;
  static void SumUp(Scan const& scan, std::int64_t first, std::int64_t n, std::int64_t* left);
  void AddTile(Scan const& scan, std::int64_t first, std::int64_t last) const;
  BoundaryRange Allowed(Scan const& scan, BoundaryRange const& range, bool missing_left) const;
  std::int64_t BestOf(Scan const& scan, BoundaryRange const& range, bool missing_left, SplitCandidate* best) const;
  void Keep(Scan const& scan, SplitCandidate* best) const;
  void KeepMissingAlone(Scan const& scan, SplitCandidate* best) const;

  VectorGainParam const* param_;
  BinMatrix const* bins_;
  CategoryRules rules_;
  Span<std::int8_t const> signs_;
};

}  // namespace kauri
