/// \file Which active node each row is in: the paper's "Phase 2: update node positions".
///
/// First every row of a split node moves in the direction of missing values, then the rows that have the feature move
/// by their value. A position >= 0 is an active node, one below 0 is ~(id of the row's leaf).
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/exact/entries/exact_types.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// next[row] = the missing direction of moves[current[row]]; finished rows stay. [n_rows] each.
void MoveByDefault(CudaContext const& ctx, Span<std::int32_t const> current, NodeMove const* moves, std::int32_t* next);

/// One sorted column with its entries of all rows; device memory, not owning.
struct ColumnMove {
  std::uint32_t const* rows = nullptr;  ///< [n_entries]
  float const* values = nullptr;        ///< [n_entries]
  std::int64_t n_entries = 0;
  std::int32_t feature = 0;               ///< among all features
  std::int32_t const* current = nullptr;  ///< [n_rows]
  NodeMove const* moves = nullptr;
  std::int32_t* next = nullptr;  ///< [n_rows]
};

/// The column's rows whose node splits on its feature move by their value.
void MoveByColumn(CudaContext const& ctx, ColumnMove const& move);

/// The segments of the nodes' own split features only. winners: [n_nodes], the feature's place within the chunk or -1.
void MoveBySegments(CudaContext const& ctx, SegmentTable const& table, EntryArrays const& entries,
                    std::int32_t const* winners, NodeMove const* moves, std::int32_t* next);

/// What the nodes that split on categories need; device memory, not owning.
struct CategoryMoves {
  std::int32_t const* columns = nullptr;  ///< [n_nodes]: the column of the codes, -1 for a split on a number or none
  std::uint32_t const* codes = nullptr;   ///< [n_columns, n_rows] (category_types.h)
  std::uint32_t const* right = nullptr;   ///< [n_nodes, n_words]: one bit for each category that goes right
  std::int64_t n_words = 0;
};

/// Rows that have a category move by it where their node splits on categories.
void MoveByCategory(CudaContext const& ctx, Span<std::int32_t const> current, NodeMove const* moves,
                    CategoryMoves const& categories, std::int32_t* next);

/// One bit per row: it has moved to the left child of its node. goes_left: [ceil(n_rows / 32)].
void MarkLeftRows(CudaContext const& ctx, Span<std::int32_t const> current, std::int32_t const* next,
                  NodeMove const* moves, std::uint32_t* goes_left);

/// positions to leaf ids through new_id (after pruning), [n_nodes of the unpruned tree]; nullptr: they keep theirs. In
/// place.
void FinishLeaves(CudaContext const& ctx, Span<std::int32_t> positions, std::int32_t const* new_id);

}  // namespace kauri::cuda
