/// \file What the kernels of the exact builder share.
///
/// Vocabulary. An entry is a present value with its row and gradient pair. A segment is the entries of one feature in
/// one active node, contiguous and ascending by value; each feature ends with a dead segment, the room that rows of
/// finished leaves have left. A tile is the kTileEntries consecutive entries of one block. A piece is the common part
/// of a tile and a segment: walking along the entries either the tile or the segment advances, so tile + segment
/// numbers pieces uniquely.
#pragma once

#include <cstdint>

#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "tree/split_gain.h"

namespace kauri::cuda {

constexpr int kBlockThreads = 256;
constexpr int kThreadEntries = 8;
constexpr int kTileEntries = kBlockThreads * kThreadEntries;

/// Parallel arrays over entries; not owning.
struct EntryArrays {
  std::uint32_t* rows = nullptr;
  float* values = nullptr;
  FixedPair* pairs = nullptr;
};

/// Where the segments begin; device memory, not owning. There are fewer than 2^32 segments: 64-bit divisions cost too
/// much.
struct SegmentTable {
  std::int64_t const* begin =
      nullptr;  ///< [n_features * (n_nodes + 1) + 1], ascending; the last of each feature is dead
  std::int32_t n_features = 0;
  std::int32_t n_nodes = 0;

  KAURI_HD std::int64_t NumSegments() const { return static_cast<std::int64_t>(n_features) * (n_nodes + 1); }
  KAURI_HD std::int32_t NodeOf(std::int64_t segment) const {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(segment) % static_cast<std::uint32_t>(n_nodes + 1));
  }
  KAURI_HD std::int32_t FeatureOf(std::int64_t segment) const {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(segment) / static_cast<std::uint32_t>(n_nodes + 1));
  }
};

/// Tiles that cover n entries.
KAURI_HD std::int64_t NumTiles(std::int64_t n_entries) { return (n_entries + kTileEntries - 1) / kTileEntries; }

/// An active node, as split finding needs it.
struct NodeTotals {
  FixedSum sum;
  double gain = 0.0;  ///< LeafGain(sum)
};

/// The best split of a piece or a segment: a SplitCandidate without its feature.
struct SegmentCandidate {
  double loss_change = 0.0;
  FixedSum left;
  float threshold = 0.0F;
  enum State : std::uint32_t { kNone = 0, kDefaultRight = 1, kDefaultLeft = 2 };
  std::uint32_t state = kNone;
};

/// IsBetter of split_gain.h within one feature.
KAURI_HD bool IsBetterInSegment(SegmentCandidate const& a, SegmentCandidate const& b) {
  if (a.state == SegmentCandidate::kNone || b.state == SegmentCandidate::kNone) return a.state > b.state;
  if (a.loss_change != b.loss_change) return a.loss_change > b.loss_change;
  if (a.state != b.state) return a.state < b.state;
  return a.state == SegmentCandidate::kDefaultLeft ? a.threshold > b.threshold : a.threshold < b.threshold;
}

/// What becomes of the rows of an active node. A destination >= 0 is an active node of the next level, below 0 it is
/// ~(id of a leaf).
struct NodeMove {
  std::int32_t feature = -1;  ///< among all features; -1: the node is not split and left holds its own leaf
  float threshold = 0.0F;
  std::int32_t default_left = 0;
  std::int32_t left = -1;
  std::int32_t right = -1;
};

}  // namespace kauri::cuda
