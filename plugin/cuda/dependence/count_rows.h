/// \file Kernels that count rows in the leaves of trees and in the cells of features
/// (predictor/dependence/row_counter.h).
///
/// A row goes down a tree as on the host: it takes both sides of a split, and is dropped where it misses the splits of
/// a third feature. Here all rows of a warp traverse the tree together, in the order of its steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/shap/row_keys.h"
#include "predictor/forest/forest.h"

namespace kauri::cuda {

/// Returns the maximum number of levels of a tree, for which a block of the device has memory for its rows' ways down:
/// 768, or fewer if blocks have less than 160 KiB of shared memory.
std::int32_t MostCountLevels(int device);

/// A node of a tree. Nodes are in pre-order: a split, its left subtree, its right subtree.
struct alignas(16) CountStep {
  SplitNode split;
  std::int64_t counts;  ///< the leaf's first count among the counts of the tree; -1 for a split
  std::uint32_t place;  ///< of a split: 1 + place of its feature, 0 if it is not kept. Of a leaf: its kept features
  std::uint32_t depth;
  std::uint32_t skip;     ///< the step after the subtree
  std::uint32_t is_left;  ///< 1 for the root and for left children, which follow their parent
};

struct CountTree {
  std::int64_t step_begin;
  std::int64_t counts_begin;
  std::int64_t n_counts;
  std::uint32_t n_steps;
  std::uint32_t n_levels;  ///< of nodes
};

/// Rows in device memory. Not owning.
struct RowsToCount {
  RowKeys keys;
  std::int64_t const* weights;  ///< [n_rows]; nullptr: each row weighs 1
  CategorySetsView categories;
};

/// Trees in device memory, by size. Immutable.
class CountTrees {
 public:
  CountTrees(CudaContext const& cuda, std::vector<CountTree> const& trees, std::vector<CountStep> const& steps,
             bool has_pairs, bool has_weights);
  /// Adds the rows to the counts of all leaves. Asynchronous.
  void Add(CudaContext const& cuda, RowsToCount const& rows, unsigned long long* counts) const;

 private:
  /// Trees of one launch.
  struct Group {
    Buffer<CountTree> trees;
    std::int64_t n_trees = 0;
    std::int64_t most_counts = 0;
    std::uint32_t most_levels = 1;
  };

  void AddTrees(CudaContext const& cuda, Group const& group, bool is_shared, RowsToCount const& rows,
                unsigned long long* counts) const;

  Buffer<CountStep> steps_;
  bool has_pairs_;
  std::size_t way_bytes_;  ///< maximum shared memory of the rows' ways down
  Group small_;            ///< whose counts fit into shared memory
  Group large_;
};

/// The axes of slots in device memory (predictor/dependence/axes.h). Not owning.
struct AxesView {
  std::int32_t const* thresholds;  ///< slot after slot
  std::int64_t const* begin;       ///< [n_slots + 1], index into thresholds
  std::int64_t n_slots;
  std::int64_t most_cells;

  /// Returns the cell of a key, as Axis::CellOf.
  KAURI_HD std::int32_t CellOf(std::int64_t slot, std::int32_t key) const {
    auto const first = begin[slot];
    auto const n = begin[slot + 1] - first;
    if (key == kMissingKey) return static_cast<std::int32_t>(n + 1);
    std::int64_t low = 0;
    for (auto high = n; low < high;) {
      auto const middle = (low + high) / 2;
      thresholds[first + middle] <= key ? low = middle + 1 : high = middle;
    }
    return static_cast<std::int32_t>(low);
  }
  /// Returns the first cell of a slot among the cells of all slots.
  KAURI_HD std::int64_t FirstCell(std::int64_t slot) const { return begin[slot] + 2 * slot; }
};

/// Adds the rows to the counts of their cells. Asynchronous.
void AddCellCounts(CudaContext const& cuda, AxesView const& axes, RowsToCount const& rows, unsigned long long* counts);

/// Writes the cells of chosen slots, [n_rows, n_chosen]; 0 for the slot -1. Asynchronous.
void WriteCells(CudaContext const& cuda, AxesView const& axes, RowKeys const& keys, std::int32_t const* chosen,
                std::int64_t n_chosen, std::int32_t* cells);

}  // namespace kauri::cuda
