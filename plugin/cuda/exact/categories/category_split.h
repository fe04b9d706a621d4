/// \file The best splits of the nodes of a slice on categorical features, from the sums of their categories.
///
/// The search runs on the device, not on copies of the sums. Copies would take 16 bytes per node and category and level
/// over the bus, and the host would sort them. The bits are the host's, because sums are integers, weights and gains
/// are the same functions (src/tree/categories/category_split.h), and both orders are total.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/common/launch.h"
#include "cuda/exact/categories/category_sums.h"
#include "cuda/exact/split/find_split.h"

namespace kauri::cuda {

/// One slice of a level. Device memory, not owning.
struct CategorySplitTask {
  CategoryTable table;
  SplitTask level;                           ///< for the slice's nodes; feature_ids are the table's
  std::int32_t max_partition = 0;            ///< CategoryRules
  FixedSum const* sums = nullptr;            ///< [n_nodes, n_cells]
  std::uint32_t const* order = nullptr;      ///< [n_nodes, n_cells]: each feature's category indices, sorted by weight
  SegmentCandidate* segment_best = nullptr;  ///< scratch, [n_features, n_nodes]
};

/// Buffers in which the cells of a slice are sorted; [n_nodes, n_cells] each.
struct CategorySortBuffers {
  std::uint64_t* keys = nullptr;
  std::uint64_t* other_keys = nullptr;
  std::uint32_t* order = nullptr;
  std::uint32_t* other_order = nullptr;
};

/// Sorts each feature's categories by weight. Returns the value for task.order, which is one of the buffers.
std::uint32_t const* SortByWeight(CudaContext const& ctx, CategorySplitTask const& task,
                                  CategorySortBuffers const& buffers, CubScratch* scratch);

/// Improves best: [n_nodes].
void FindCategorySplits(CudaContext const& ctx, CategorySplitTask const& task, SplitCandidate* best);

/// Sets the bit of each category that goes right, by index, in the nodes whose best split is on a feature of the table.
/// right: [n_nodes, n_words], all zero before.
void MarkRightCategories(CudaContext const& ctx, CategorySplitTask const& task, SplitCandidate const* best,
                         std::int64_t n_words, std::uint32_t* right);

}  // namespace kauri::cuda
