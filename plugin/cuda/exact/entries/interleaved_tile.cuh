/// \file A warp's column tile in the interleaved phase: sixteen consecutive entries per lane, and a sum and a last
/// value per node and lane, in registers for a few nodes and in shared memory for more.
#pragma once

#include <cmath>

#include "cuda/exact/entries/interleaved.h"
#include "cuda/exact/entries/warp_tile.cuh"

namespace kauri::cuda {

constexpr int kLaneItems = kTileEntries / 32;
/// Maximum number of nodes for which a lane holds its entries and sums in registers.
constexpr int kMostHeldNodes = 4;
/// Warps of a block. Shared memory per warp is the limit, 20 KiB of it for 32 nodes.
template <int kNodes>
constexpr int kInterleavedWarps = kNodes > 16 ? 2 : 4;

struct ColumnTile {
  std::int64_t tile;
  std::int64_t begin;
  std::int64_t end;
  std::int32_t feature;
};

/// Returns the warp's column tile. `tile` is at least n_tiles if the warp has none.
__device__ __forceinline__ ColumnTile ThisColumnTile(ColumnTiles const& tiles) {
  ColumnTile tile{};
  tile.tile = static_cast<std::int64_t>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
  if (tile.tile >= tiles.n_tiles) return tile;
  auto const at = static_cast<std::uint32_t>(tile.tile);
  auto const feature = FindLast(tiles.first_tile, 0U, static_cast<std::uint32_t>(tiles.n_features), at);
  tile.feature = static_cast<std::int32_t>(feature);
  tile.begin = tiles.column_begin[feature] + static_cast<std::int64_t>(at - tiles.first_tile[feature]) * kTileEntries;
  tile.end = min(tile.begin + kTileEntries, tiles.column_end[tile.feature]);
  return tile;
}

/// Four consecutive entries of a lane.
struct Quad {
  std::uint32_t nodes;  ///< one byte each
  FixedPair pair[4];
  float value[4];

  __device__ int Node(int item) const { return static_cast<int>(nodes >> (8 * item) & 255U); }
  __device__ bool HasNode(int item) const { return Node(item) != kInactive; }
};

/// A lane's sixteen entries. A column's room is a whole number of lanes, so whole lanes are loaded. Entries past the
/// column's end have no node.
struct LaneEntries {
  std::int64_t first;
  int count;
  std::uint32_t nodes[kLaneItems / 4];  ///< four nodes of one byte each

  __device__ explicit LaneEntries(ColumnTile const& tile) : first(tile.begin + kLaneItems * Lane()) {
    std::int64_t const left = tile.end - first;
    count = left >= kLaneItems ? kLaneItems : left > 0 ? static_cast<int>(left) : 0;
  }

  /// Looks the nodes up by row and keeps them in node_of_entry.
  __device__ void FindNodes(std::uint32_t const* rows, std::uint8_t const* node_of_row, std::uint8_t* node_of_entry) {
#pragma unroll
    for (int quad = 0; quad < kLaneItems / 4; ++quad) {
      nodes[quad] = 0xFFFFFFFFU;
      if (4 * quad >= count) continue;
      uint4 const row = *reinterpret_cast<uint4 const*>(rows + first + 4 * quad);
      nodes[quad] = node_of_row[row.x] | static_cast<std::uint32_t>(node_of_row[row.y]) << 8U |
                    static_cast<std::uint32_t>(node_of_row[row.z]) << 16U |
                    static_cast<std::uint32_t>(node_of_row[row.w]) << 24U;
      if (4 * quad + 4 > count) nodes[quad] |= 0xFFFFFFFFU << (8 * (count - 4 * quad));
    }
    if (count > 0) *reinterpret_cast<uint4*>(node_of_entry + first) = {nodes[0], nodes[1], nodes[2], nodes[3]};
  }

  __device__ void LoadNodes(std::uint8_t const* node_of_entry) {
    uint4 loaded{0xFFFFFFFFU, 0xFFFFFFFFU, 0xFFFFFFFFU, 0xFFFFFFFFU};
    if (count > 0) loaded = *reinterpret_cast<uint4 const*>(node_of_entry + first);
    nodes[0] = loaded.x;
    nodes[1] = loaded.y;
    nodes[2] = loaded.z;
    nodes[3] = loaded.w;
  }

  __device__ Quad Load(EntryArrays const& entries, int quad) const {
    Quad loaded{};
    loaded.nodes = 0xFFFFFFFFU;
    if (4 * quad >= count) return loaded;
    loaded.nodes = quad < 2 ? (quad == 0 ? nodes[0] : nodes[1]) : (quad == 2 ? nodes[2] : nodes[3]);
    auto const* const pairs = reinterpret_cast<int4 const*>(entries.pairs + first + 4 * quad);
    int4 const a = pairs[0];
    int4 const b = pairs[1];
    float4 const values = *reinterpret_cast<float4 const*>(entries.values + first + 4 * quad);
    loaded.pair[0] = {a.x, a.y};
    loaded.pair[1] = {a.z, a.w};
    loaded.pair[2] = {b.x, b.y};
    loaded.pair[3] = {b.z, b.w};
    loaded.value[0] = values.x;
    loaded.value[1] = values.y;
    loaded.value[2] = values.z;
    loaded.value[3] = values.w;
    return loaded;
  }
};

/// Sums by node and lane. A lane touches its own column only, so no barrier is needed and banks do not conflict.
template <int kNodes>
struct LaneSums {
  std::int64_t gradient[kNodes][32];
  std::int64_t hessian[kNodes][32];
  float last[kNodes][32];

  __device__ NodePiece Get(int node) const {
    return {{gradient[node][Lane()], hessian[node][Lane()]}, last[node][Lane()]};
  }
  __device__ void Set(int node, NodePiece const& piece) {
    gradient[node][Lane()] = piece.sum.gradient;
    hessian[node][Lane()] = piece.sum.hessian;
    last[node][Lane()] = piece.last;
  }
  /// Sets the sums to the sums of the lane's own entries.
  __device__ void AddAll(LaneEntries const& lane, EntryArrays const& entries) {
#pragma unroll
    for (int node = 0; node < kNodes; ++node) Set(node, {{0, 0}, -INFINITY});
#pragma unroll 1
    for (int quad = 0; quad < kLaneItems / 4; ++quad) {
      Quad const loaded = lane.Load(entries, quad);
#pragma unroll
      for (int item = 0; item < 4; ++item) {
        if (!loaded.HasNode(item)) continue;
        int const node = loaded.Node(item);
        gradient[node][Lane()] += loaded.pair[item].gradient;
        hessian[node][Lane()] += loaded.pair[item].hessian;
        last[node][Lane()] = loaded.value[item];
      }
    }
  }
};

/// All entries of a lane, loaded at once and taken four by four. They stay in registers, because the next four are
/// always at a fixed place and the others move up.
struct HeldEntries {
  Quad quads[kLaneItems / 4];

  __device__ HeldEntries(LaneEntries const& lane, EntryArrays const& entries) {
#pragma unroll
    for (int quad = 0; quad < kLaneItems / 4; ++quad) quads[quad] = lane.Load(entries, quad);
  }
  __device__ Quad Take() {
    Quad const taken = quads[0];
#pragma unroll
    for (int quad = 1; quad < kLaneItems / 4; ++quad) quads[quad - 1] = quads[quad];
    return taken;
  }
};

/// LaneSums in registers. A node is found by comparing with all nodes.
template <int kNodes>
struct HeldSums {
  NodePiece pieces[kNodes];

  __device__ NodePiece Get(int node) const {
    NodePiece found = pieces[0];
#pragma unroll
    for (int other = 1; other < kNodes; ++other) {
      if (other == node) found = pieces[other];
    }
    return found;
  }
  __device__ void Set(int node, NodePiece const& piece) {
#pragma unroll
    for (int other = 0; other < kNodes; ++other) {
      if (other == node) pieces[other] = piece;
    }
  }
  /// Sets the sums to the sums of the lane's own entries.
  __device__ void AddAll(HeldEntries const& held) {
#pragma unroll
    for (int node = 0; node < kNodes; ++node) pieces[node] = {{0, 0}, -INFINITY};
#pragma unroll
    for (int quad = 0; quad < kLaneItems / 4; ++quad) {
#pragma unroll
      for (int item = 0; item < 4; ++item) Add(held.quads[quad], item);
    }
  }

 private:
  __device__ void Add(Quad const& quad, int item) {
    int const node = quad.Node(item);
#pragma unroll
    for (int other = 0; other < kNodes; ++other) {
      bool const is_here = other == node;
      pieces[other].sum.gradient += is_here ? quad.pair[item].gradient : 0;
      pieces[other].sum.hessian += is_here ? quad.pair[item].hessian : 0;
      if (is_here) pieces[other].last = quad.value[item];
    }
  }
};

struct JoinPieces {
  __device__ NodePiece operator()(NodePiece const& a, NodePiece const& b) const {
    return {a.sum + b.sum, a.last > b.last ? a.last : b.last};
  }
};

}  // namespace kauri::cuda
