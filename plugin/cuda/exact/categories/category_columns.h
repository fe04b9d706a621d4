/// \file The categorical columns of a growing tree. Their entries do not move from level to level: the codes stay in
/// row order, and the rows' positions identify the node whose sums each row belongs to.
///
/// Per level, slice by slice: sums by category (category_sums.h), the best splits (category_split.h).
///
/// DeviceCategories has the categorical columns of a data set in device memory: each row's number of its category.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/common/pinned_buffer.h"
#include "cuda/data/device_columns.h"
#include "cuda/exact/categories/category_split.h"
#include "cuda/exact/entries/positions.h"
#include "data/categories/categories.h"
#include "tree/categories/category_split.h"

namespace kauri::cuda {

/// Categorical columns on the device. Immutable; 4 bytes per row of every categorical column.
struct DeviceCategories {
  std::int64_t n_rows = 0;
  CategoryLists lists;                  ///< [n_cols], as FillGaps leaves them; empty: no feature is categorical
  std::vector<std::int32_t> column_of;  ///< [n_cols]: the column of the codes, -1 for a feature without categories
  Buffer<std::uint32_t> codes;          ///< [n_columns, n_rows] (category_sums.h)

  bool Has(std::int64_t feature) const { return !lists.empty() && !lists[feature].empty(); }
};

/// Returns FillGaps(FindCategories(ctx, data)), computed from the sorted columns of `data`. 8 bytes per categorical
/// column are copied to the host; so are the values of a column whose largest category is kMaxFilledCategory or more.
/// \throws Error(kData) like FindCategories, which then reads the data in host memory.
CategoryLists ListCategories(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                             DeviceColumns const& columns);

/// Returns the bytes of the codes.
std::size_t BytesOfCodes(CategoryLists const& lists, std::int64_t n_rows);

/// Makes the codes: every entry of a column writes its row's code. lists: the categories of the data of `columns`.
DeviceCategories MakeDeviceCategories(CudaContext const& cuda, DeviceColumns const& columns, CategoryLists lists);

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
