/// \file Sums over the rows of a background, or over other rows, which are the work that grows with the rows.
///
/// Sums are integers, so that their bits depend neither on the order of the rows nor on the device. A row counts 1, or
/// its weight in fixed point: a multiple of a power of two, chosen so that all weights together stay below 2^62. A
/// weight is rounded by less than 2^-61 of the sum of all weights.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/host_device.h"
#include "kauri/span.h"
#include "predictor/dependence/axes.h"
#include "predictor/dependence/leaf_boxes.h"
#include "predictor/forest/forest.h"

namespace kauri {

/// The weights of rows in fixed point.
struct FixedWeights {
  std::vector<std::int64_t> of_row;  ///< [n_rows], or empty: each row weighs 1
  std::int64_t total = 0;
};

/// Returns the weights of n_rows rows. weights: [n_rows] with a sum above 0, or empty.
FixedWeights FixWeights(Span<float const> weights, std::int64_t n_rows);

/// Rows that are read by the splits of a forest. Nothing is owned.
struct WeighedRows {
  Forest const& forest;
  DataView const& rows;
  Span<std::int64_t const> weights;  ///< FixedWeights::of_row
};

// Counts of a leaf. With the path's kept features 1 to k (leaf_boxes.h), they are the weight of the rows that satisfy
// all splits of the path, the weight of those that miss splits on feature a and on no other, for each a, and with pairs
// the weight of those that miss splits on exactly a and b, for each a < b, by (a, b).

/// Returns the number of counts of a leaf with k kept features.
KAURI_HD std::int64_t NumLeafCounts(std::uint32_t k, bool has_pairs) {
  auto const n = static_cast<std::int64_t>(k);
  return 1 + n + (has_pairs ? n * (n - 1) / 2 : 0);
}

/// Returns the number among a leaf's counts that belongs to rows that miss these features, in any order; 0 stands for
/// no feature, and a single missed feature comes first.
KAURI_HD std::int64_t LeafCount(std::uint32_t k, std::uint32_t first, std::uint32_t second) {
  if (second == 0) return first;
  auto const a = static_cast<std::int64_t>(first < second ? first : second) - 1;
  auto const b = static_cast<std::int64_t>(first < second ? second : first) - 1;
  auto const n = static_cast<std::int64_t>(k);
  return 1 + n + a * (2 * n - a - 1) / 2 + (b - a - 1);
}

/// Trees whose leaves are counted. Not owning.
struct TreesToCount {
  std::vector<TreeBoxes const*> trees;
  bool has_pairs;

  /// Returns where the counts of each tree begin, and the end: [n_trees + 1]. The counts of a tree's leaves follow each
  /// other in the order of TreeBoxes::leaves.
  std::vector<std::int64_t> CountsBegin() const;
};

/// Sums over rows, which belong to one call and one thread. The rows must outlive it.
class RowCounter {
 public:
  RowCounter() = default;
  virtual ~RowCounter() = default;
  RowCounter(RowCounter const&) = delete;
  RowCounter& operator=(RowCounter const&) = delete;

  /// Returns the counts of all leaves, [CountsBegin().back()].
  virtual std::vector<std::int64_t> CountLeaves(Context const& ctx, TreesToCount const& trees) = 0;
  /// Returns the weight of the rows in each cell, slot after slot. axes: by slot.
  virtual std::vector<std::int64_t> CountCells(Context const& ctx, std::vector<Axis> const& axes) = 0;
  /// Writes the cell of each row and chosen slot to `cells`, [n_rows, n_slots]; 0 for the slot -1.
  virtual void FindCells(Context const& ctx, std::vector<Axis> const& axes, std::vector<std::int32_t> const& slots,
                         Span<std::int32_t> cells) = 0;
};

std::unique_ptr<RowCounter> MakeHostRowCounter(WeighedRows const& rows);

}  // namespace kauri
