/// \file A tree as a list of steps that compute each row's pattern at every leaf, one tile of rows at a time.
///
/// Vocabulary. The features of a path are numbered in the order in which the path first splits on them; this number is
/// the feature's position. The pattern of a row at a node has bit p set if the row satisfies all splits of the path on
/// the feature at position p (tree_paths.h merges them). A plane holds 32 bits of the patterns of all rows of a tile. A
/// buffer holds one plane; buffer 0 is all zeros.
///
///   1. Steps traverse the tree depth first. The edge into a child changes one bit, so it writes one plane, into the
///      buffer of its depth; the child shares the other planes of its parent's patterns.
///   2. Features above a split have the same positions at all leaves below it. So sums by position are added to the
///      feature only when the traversal leaves the first split on the feature.
///
/// Runs a PathProgram on a tile of rows.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "predictor/forest/forest.h"
#include "predictor/interventional/interventional_kernel.h"
#include "predictor/paths/path_steps.h"
#include "predictor/paths/tree_paths.h"

namespace kauri {

constexpr std::uint32_t kPlaneBits = 32;

struct PathStep {
  enum Kind : std::uint32_t {
    kEdge,  ///< buffer `to` = buffer `from`, with the bit of `position` set iff the row follows `feature`
    kLeaf,  ///< the row's pattern at leaf `leaf` is ready
    kClose  ///< no later leaf has the feature of slot `slot` at `position`
  };
  Kind kind;
  std::uint32_t position;
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t leaf;
  std::uint32_t slot;
  PathFeature feature;
};

struct PathLeaf {
  std::uint32_t n_features;
  std::uint32_t first_plane;    ///< its buffers are plane_buffers[first_plane ...], one per 32 features
  std::uint32_t first_feature;  ///< its merged splits by position are features[first_feature ...]
  double value;
  std::uint32_t n_open;         ///< its first positions, which the next leaf has too
  std::uint32_t last_position;  ///< position of the last split's feature
  bool joins_next;              ///< the next leaf is on the other side of the last split
};

struct PathProgram {
  std::vector<PathStep> steps;
  std::vector<PathLeaf> leaves;
  std::vector<std::uint32_t> plane_buffers;
  std::vector<PathFeature> features;
  std::uint32_t n_buffers = 1;
  std::uint32_t most_features = 0;  ///< maximum over the leaves
};

constexpr std::uint32_t NumPlanes(std::uint32_t n_features) { return (n_features + kPlaneBits - 1) / kPlaneBits; }

/// Compiles a tree. Time and memory: nodes * depth. Trees with categorical splits must be compiled one after the other.
PathProgram CompilePaths(Forest const& forest, std::int64_t tree, PathCategories* categories);

/// Compiles all trees of the range, on the threads of `ctx` unless the forest has categorical splits.
std::vector<PathProgram> CompilePaths(Context const& ctx, Forest const& forest, TreeRange trees,
                                      PathCategories* categories);

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
