/// \file Types shared by the kernels of the exact builder.
///
/// Vocabulary. An entry is a present value with its row and gradient pair. A segment is the entries of one feature in
/// one active node, contiguous and ascending by value. Each feature ends with a dead segment, the room left by rows of
/// finished leaves. A tile is the kTileEntries consecutive entries of one warp. A piece is the intersection of a tile
/// and a segment. From one piece to the next, either the tile or the segment advances, so tile + segment numbers pieces
/// uniquely.
#pragma once

#include <cstdint>

#include "cuda/common/cuda_context.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "tree/split_gain.h"

namespace kauri::cuda {

constexpr int kWarpsPerBlock = kBlockThreads / 32;
/// Long enough that the data kept per piece are small beside the entries, short enough that small data fill a device.
constexpr int kTileEntries = 512;
constexpr int kTileWords = kTileEntries / 32;
/// The start of a feature's entries is a multiple of this: the entries of a lane in the interleaved phase.
constexpr std::int64_t kEntryAlignment = kTileEntries / 32;

/// Parallel arrays over entries; not owning.
struct EntryArrays {
  std::uint32_t* rows = nullptr;
  float* values = nullptr;
  FixedPair* pairs = nullptr;
};

/// The start offsets of the segments; device memory, not owning. There are fewer than 2^32 segments, because 64-bit
/// divisions cost too much.
struct SegmentTable {
  std::int64_t const* begin =
      nullptr;  ///< [n_features * (n_nodes + 1) + 1], ascending; the last segment of each feature is dead
  /// [n_tiles + 1]: the segment of each tile's first entry, then the last segment
  std::uint32_t const* of_tile = nullptr;
  std::int32_t n_features = 0;
  std::int32_t n_nodes = 0;

  KAURI_HD std::int64_t NumSegments() const { return static_cast<std::int64_t>(n_features) * (n_nodes + 1); }
  KAURI_HD std::int32_t NodeOf(std::uint32_t segment) const {
    return static_cast<std::int32_t>(segment % static_cast<std::uint32_t>(n_nodes + 1));
  }
  KAURI_HD std::int32_t FeatureOf(std::uint32_t segment) const {
    return static_cast<std::int32_t>(segment / static_cast<std::uint32_t>(n_nodes + 1));
  }
  KAURI_HD bool IsDead(std::uint32_t segment) const { return NodeOf(segment) == n_nodes; }
};

/// Returns the number of tiles that cover n entries.
KAURI_HD std::int64_t NumTiles(std::int64_t n_entries) { return (n_entries + kTileEntries - 1) / kTileEntries; }

/// The data of an active node that split finding needs.
struct NodeTotals {
  FixedSum sum;
  double gain = 0.0;  ///< NodeGain(sum)
  WeightBounds bounds;
};

/// The parameters of the float32 screen of candidates (evaluate_boundary.cuh).
struct Screen {
  float unit_gradient = 0.0F;
  float unit_hessian = 0.0F;
  float lambda = 0.0F;
  bool usable = false;
};

/// Returns the screen. It is usable if no float32 overflows (sums of `n_rows` pairs below 2^30 stay under 1e12) and a
/// product of two denominators loses no bits to float32's smallest numbers. G^2 / (H + lambda) always bounds the gain,
/// because limits on weights and alpha only make it smaller (ScreeningBound).
inline Screen MakeScreen(GainParam const& param, std::int64_t n_rows) {
  double const most = static_cast<double>(n_rows) * 1073741824.0;
  Screen screen;
  screen.unit_gradient = static_cast<float>(param.unit.gradient);
  screen.unit_hessian = static_cast<float>(param.unit.hessian);
  screen.lambda = static_cast<float>(param.lambda);
  screen.usable = most * param.unit.gradient < 1e12 && most * param.unit.hessian + param.lambda < 1e12 &&
                  param.unit.gradient > 1e-30 && param.unit.hessian + param.lambda > 1e-18;
  return screen;
}

/// The best split of a piece or a segment: a SplitCandidate without its feature.
struct SegmentCandidate {
  double loss_change = 0.0;
  FixedSum left;
  float threshold = 0.0F;
  enum State : std::uint32_t { kNone = 0, kDefaultRight = 1, kDefaultLeft = 2 };
  std::uint32_t state = kNone;
};

/// Compares like IsBetter of split_gain.h, within one feature.
KAURI_HD bool IsBetterInSegment(SegmentCandidate const& a, SegmentCandidate const& b) {
  if (a.state == SegmentCandidate::kNone || b.state == SegmentCandidate::kNone) return a.state > b.state;
  if (a.loss_change != b.loss_change) return a.loss_change > b.loss_change;
  if (a.state != b.state) return a.state < b.state;
  return a.state == SegmentCandidate::kDefaultLeft ? a.threshold > b.threshold : a.threshold < b.threshold;
}

/// The move of the rows of an active node. A destination >= 0 is an active node of the next level; a destination below
/// 0 is ~(id of a leaf).
struct NodeMove {
  std::int32_t feature = -1;  ///< among all features; -1: the node is not split, and left holds its own leaf
  float threshold = 0.0F;
  std::int32_t default_left = 0;
  std::int32_t left = -1;
  std::int32_t right = -1;
};

}  // namespace kauri::cuda
