/// \file The categorical columns of a growing tree. Their entries do not move from level to level: the codes stay in
/// row order, and the rows' positions identify the node whose sums each row belongs to.
///
/// Per level, slice by slice: sums by category (category_sums.h), the best splits (category_split.h).
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/pinned_buffer.h"
#include "cuda/exact/categories/category_codes.h"
#include "cuda/exact/categories/category_split.h"
#include "cuda/exact/entries/positions.h"
#include "tree/categories/category_split.h"

namespace kauri::cuda {

/// Maximum number of cells of a slice, unless one node has more (160 MB of them).
constexpr std::int64_t kCellsPerSlice = std::int64_t{1} << 22;

/// Returns the device memory of the sums and their order, for a tree on `n_rows` rows and all columns.
std::size_t BytesOfCells(CategoryLists const& lists, std::int64_t n_rows);

class CategoryColumns {
 public:
  /// cells_per_slice: kCellsPerSlice; smaller in tests.
  explicit CategoryColumns(std::int64_t cells_per_slice = kCellsPerSlice) : cells_per_slice_(cells_per_slice) {}

  /// Starts a tree. The categorical ones among `features` (ascending) take part; the others are returned. `categories`
  /// must stay.
  std::vector<std::uint32_t> Start(CudaContext const& cuda, DeviceCategories const& categories,
                                   CategoryRules const& rules, std::vector<std::uint32_t> const& features);
  bool IsEmpty() const { return features_.empty(); }

  /// Improves best: [level.table.n_nodes], device, in which all other features have been considered. Then copies the
  /// categories that go right to the host. level: nodes and the members about all features are read. positions and
  /// pairs: see AddByCategory.
  void Find(CudaContext const& cuda, SplitTask const& level, std::int32_t const* positions, FixedPair const* pairs,
            SplitCandidate* best);
  /// Returns the categories that go right at the best split of a node, ascending; none for a split on a number. Must be
  /// called after the stream has passed Find.
  std::vector<std::int32_t> RightOf(std::int64_t node, SplitCandidate const& split) const;

  /// Returns by node, [n_nodes], the column of the codes that the node splits on, or -1. Empty if IsEmpty().
  std::vector<std::int32_t> ColumnsOf(std::vector<NodeMove> const& moves) const;
  /// Returns the moves by category. columns: the result of ColumnsOf, on the device. Must be called after Find.
  CategoryMoves Moves(std::int32_t const* columns) const {
    return {columns, categories_->codes.data(), right_.data(), n_words_};
  }

 private:
  void Describe(CudaContext const& cuda, std::vector<std::uint32_t> const& features);
  void FindInSlice(CudaContext const& cuda, CategorySlice const& slice, SplitTask const& level,
                   std::int32_t const* positions, FixedPair const* pairs, SplitCandidate* best);
  CategoryTable Table() const;
  CategorySortBuffers ReserveSort(CudaContext const& cuda, std::size_t n_cells);

  std::int64_t cells_per_slice_;
  DeviceCategories const* categories_ = nullptr;
  CategoryRules rules_;
  std::vector<std::uint32_t> asked_;   ///< the features of the last Start
  std::vector<std::uint32_t> others_;  ///< the features of the last Start without categories
  std::vector<CategoryFeature> features_;
  bool needs_order_ = false;
  std::int64_t n_cells_ = 0;
  std::int64_t n_words_ = 0;  ///< words of bits per node
  Buffer<CategoryFeature> device_features_;
  Buffer<std::int64_t> first_cells_;
  Buffer<std::int32_t> feature_ids_;
  Buffer<FixedSum> sums_;
  Buffer<std::uint64_t> keys_;
  Buffer<std::uint64_t> other_keys_;
  Buffer<std::uint32_t> order_;
  Buffer<std::uint32_t> other_order_;
  CubScratch sort_scratch_;
  Buffer<SegmentCandidate> segment_best_;
  Buffer<std::uint32_t> right_;  ///< [n_nodes, n_words_], one bit per category
  PinnedBuffer<std::uint32_t> host_right_;
};

}  // namespace kauri::cuda
