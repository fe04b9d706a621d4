/// \file The best split of a node with vector leaves from its histogram: the candidates of histogram/bin_split.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "tree/categories/category_split.h"
#include "tree/drawn/drawn_columns.h"
#include "tree/hist_vector/vector_gain.h"
#include "tree/hist_vector/vector_growth.h"
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
  std::vector<std::uint32_t> codes;   ///< of the bins that hold rows
  std::vector<std::int64_t> left;     ///< [outputs of a tile and their hessians, n_boundaries]
  std::vector<std::int64_t> missing;  ///< [stride]
  std::vector<std::int64_t> before;   ///< [stride]: of the bins before the first boundary that is asked for
  std::vector<double> up;             ///< BoundarySums with the missing rows to the right
  std::vector<double> down;           ///< to the left
};

/// Finds splits of nodes of one tree; const and shared by threads.
class VectorSplitFinder {
 public:
  /// signs: [n_features] monotone constraints, or empty.
  VectorSplitFinder(VectorGainParam const& param, BinMatrix const& bins, CategoryRules const& rules,
                    Span<std::int8_t const> signs)
      : param_(&param), bins_(&bins), rules_(rules), signs_(signs) {}

  /// Replaces *best where a split at the feature is better (IsBetter, or what the node's noise makes of it), but for
  /// its sums; call it for ascending features.
  void Find(VectorCells const& cells, VectorTotal const& node, VectorScanScratch* scratch, SplitCandidate* best) const;
  /// The same for a numerical feature whose bins with rows, and the sums of the rows without a value, are in the
  /// scratch. Only the cells of these bins are read.
  void FindAmong(VectorCells const& cells, VectorTotal const& node, VectorScanScratch* scratch,
                 SplitCandidate* best) const;
  /// Whether a cell of this stride does.
  bool HoldsRows(SumRow sums, std::int64_t stride) const {
    return sums[param_->HessianPlace(0)] != 0 ||
           std::any_of(sums, sums + stride, [](std::int64_t sum) { return sum != 0; });
  }
  /// Whether FindDrawn may take the place of Find: of the thresholds that are drawn nothing but gains is asked.
  bool GoesByGainAlone(VectorTotal const& node) const {
    return node.draw.is_on && !node.noise.IsOn() && node.costs.empty() && signs_.empty() &&
           !param_->LimitOf(node.sums.data()).IsOn() && node.bounds.empty();
  }
  /// How many sums a row of gradients has, and what is known of one with these.
  std::int64_t NumSums() const { return param_->NumOutputs() + param_->n_hessians; }
  RowKind KindOf(SumRow row) const;
  /// The best of the thresholds that were drawn; sums: a row of the gradient table each, without what is behind its
  /// hessians.
  SplitCandidate FindDrawn(DrawnColumns const& drawn, VectorTotal const& node, VectorScanScratch* scratch) const;
  /// Sets what a node must know of its best split, its categories and `left`. cells: those of the split's feature.
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
