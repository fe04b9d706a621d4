/// \file Runs a PathProgram on a tile of rows.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "predictor/interventional/interventional_kernel.h"
#include "predictor/interventional/path_program.h"

namespace kauri {

/// Rows as keys of a forest's slots, in tiles: [n_tiles, n_slots, tile_rows]. After the last row keys are missing.
class KeyTiles {
 public:
  /// Reads rows [begin, end). tile_rows: a multiple of 16 up to kPatternRows.
  KeyTiles(Context const& ctx, Forest const& forest, DataView const& rows, std::int64_t begin, std::int64_t end,
           std::int64_t tile_rows);
  std::int64_t NumRows() const { return n_rows_; }
  std::int64_t TileRows() const { return tile_rows_; }
  std::int64_t NumTiles() const { return (n_rows_ + tile_rows_ - 1) / tile_rows_; }
  std::int64_t RowsOf(std::int64_t tile) const;
  /// Returns the keys of a tile, [n_slots, tile_rows].
  std::int32_t const* Tile(std::int64_t tile) const { return keys_.data() + tile * tile_size_; }

 private:
  std::int64_t n_rows_;
  std::int64_t tile_rows_;
  std::int64_t tile_size_;
  std::vector<std::int32_t> keys_;
};

/// The planes of a tile's patterns; for one thread.
class PatternWalk {
 public:
  /// Runs the program. Calls on_leaf(number of the leaf) when Plane() has the leaf's patterns, and on_close(position,
  /// slot) at each PathStep::kClose.
  template <typename OnLeaf, typename OnClose>
  void Run(PathProgram const& program, CategoryConditionsView const& categories, KeyTiles const& rows,
           std::int64_t tile, OnLeaf&& on_leaf, OnClose&& on_close) {
    Prepare(program);
    auto const n_rows = rows.RowsOf(tile);
    for (auto const& step : program.steps) {
      if (step.kind == PathStep::kEdge) {
        SetPatternBit({step.feature, categories, 1U << (step.position % kPlaneBits), n_rows,
                       rows.Tile(tile) + step.slot * rows.TileRows(), Buffer(step.from), Buffer(step.to)});
      } else if (step.kind == PathStep::kLeaf) {
        on_leaf(step.leaf);
      } else {
        on_close(step.position, step.slot);
      }
    }
  }

  /// Returns 32 bits of the patterns of all rows at the leaf, [kPatternRows].
  std::uint32_t const* Plane(PathProgram const& program, PathLeaf const& leaf, std::uint32_t plane) {
    return Buffer(program.plane_buffers[leaf.first_plane + plane]);
  }
  /// Lists all planes of the leaf.
  void Planes(PathProgram const& program, PathLeaf const& leaf, std::vector<std::uint32_t const*>* planes) {
    planes->clear();
    for (std::uint32_t plane = 0; plane < NumPlanes(leaf.n_features); ++plane) {
      planes->push_back(Plane(program, leaf, plane));
    }
  }

 private:
  void Prepare(PathProgram const& program) {
    auto const size = std::size_t{program.n_buffers} * static_cast<std::size_t>(kPatternRows);
    if (buffers_.size() < size) buffers_.resize(size, 0);
  }
  std::uint32_t* Buffer(std::uint32_t buffer) {
    return buffers_.data() + std::size_t{buffer} * static_cast<std::size_t>(kPatternRows);
  }

  std::vector<std::uint32_t> buffers_;  ///< [n_buffers, kPatternRows]; the first buffer is all zeros
};

}  // namespace kauri
