/// \file The active node of each row: the paper's "Phase 2: update node positions". It also has small row-wise kernels
/// of the exact builder.
///
/// First every row of a split node moves in the direction of missing values. Then the rows that have the feature move
/// by their value. A position >= 0 is an active node; a position below 0 is ~(id of the row's leaf).
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "cuda/exact/entries/exact_types.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// Sets next[row] to the missing direction of moves[current[row]]; finished rows stay. [n_rows] each.
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

/// Moves the column's rows by their value, if their node splits on its feature.
void MoveByColumn(CudaContext const& ctx, ColumnMove const& move);

/// Moves rows by their values in the segments of their nodes' split features only. winners: [n_nodes], the feature's
/// place within the chunk or -1.
void MoveBySegments(CudaContext const& ctx, SegmentTable const& table, EntryArrays const& entries,
                    std::int32_t const* winners, NodeMove const* moves, std::int32_t* next);

/// The codes and sets for nodes that split on categories; device memory, not owning.
struct CategoryMoves {
  std::int32_t const* columns = nullptr;  ///< [n_nodes]: column of the codes; -1: a split on a number, or no split
  std::uint32_t const* codes = nullptr;   ///< [n_columns, n_rows] (category_sums.h)
  std::uint32_t const* right = nullptr;   ///< [n_nodes, n_words]: one bit for each category that goes right
  std::int64_t n_words = 0;
};

/// Moves the rows that have a category by it, if their node splits on categories.
void MoveByCategory(CudaContext const& ctx, Span<std::int32_t const> current, NodeMove const* moves,
                    CategoryMoves const& categories, std::int32_t* next);

/// Sets one bit per row: whether it has moved to the left child of its node. goes_left: [ceil(n_rows / 32)].
void MarkLeftRows(CudaContext const& ctx, Span<std::int32_t const> current, std::int32_t const* next,
                  NodeMove const* moves, std::uint32_t* goes_left);

/// Converts positions to leaf ids, in place, through new_id (after pruning), [n_nodes of the unpruned tree]. With
/// nullptr leaves keep their ids.
void FinishLeaves(CudaContext const& ctx, Span<std::int32_t> positions, std::int32_t const* new_id);

void FillPositions(CudaContext const& ctx, std::int32_t position, Span<std::int32_t> positions);

/// Sets one bit per row: whether it is sampled. goes_left: [ceil(n_rows / 32)].
void MarkSampled(CudaContext const& ctx, Span<std::uint8_t const> sampled, std::uint32_t* goes_left);

}  // namespace kauri::cuda
