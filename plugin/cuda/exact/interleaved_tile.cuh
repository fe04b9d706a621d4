/// \file A warp's column tile in the interleaved phase: sixteen consecutive entries to a lane, and a sum and a last
/// value per node and lane in shared memory.
#pragma once

#include <cmath>

#include "cuda/exact/interleaved.h"
#include "cuda/exact/warp_tile.cuh"

namespace kauri::cuda {

constexpr int kLaneItems = kTileEntries / 32;
/// Half of what the other kernels have: shared memory per warp is the limit.
constexpr int kInterleavedThreads = 128;
constexpr int kInterleavedWarps = kInterleavedThreads / 32;

struct ColumnTile {
  std::int64_t tile;
  std::int64_t begin;
  std::int64_t end;
  std::int32_t feature;
};

/// `tile` is at least n_tiles when the warp has none.
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

/// A lane's entries. A column's room is a whole number of lanes, so whole lanes are loaded; entries past the column's
/// end have no node.
struct LaneEntries {
  std::int64_t first;
  int count;
  std::uint32_t node[kLaneItems];
  FixedPair pair[kLaneItems];
  float value[kLaneItems];

  __device__ explicit LaneEntries(ColumnTile const& tile) : first(tile.begin + kLaneItems * Lane()) {
    std::int64_t const left = tile.end - first;
    count = left >= kLaneItems ? kLaneItems : left > 0 ? static_cast<int>(left) : 0;
  }

  /// Looks the nodes up by row and keeps them in node_of_entry.
  __device__ void FindNodes(std::uint32_t const* rows, std::uint8_t const* node_of_row, std::uint8_t* node_of_entry) {
    if (count == 0) return;
    std::uint32_t words[kLaneItems / 4];
#pragma unroll
    for (int quad = 0; quad < kLaneItems / 4; ++quad) {
      uint4 const row = *reinterpret_cast<uint4 const*>(rows + first + 4 * quad);
      words[quad] = node_of_row[row.x] | static_cast<std::uint32_t>(node_of_row[row.y]) << 8U |
                    static_cast<std::uint32_t>(node_of_row[row.z]) << 16U |
                    static_cast<std::uint32_t>(node_of_row[row.w]) << 24U;
    }
    Unpack(words);
    *reinterpret_cast<uint4*>(node_of_entry + first) = {words[0], words[1], words[2], words[3]};
  }

  __device__ void LoadNodes(std::uint8_t const* node_of_entry) {
    if (count == 0) return;
    uint4 const loaded = *reinterpret_cast<uint4 const*>(node_of_entry + first);
    std::uint32_t const words[kLaneItems / 4] = {loaded.x, loaded.y, loaded.z, loaded.w};
    Unpack(words);
  }

  __device__ void LoadPairsAndValues(EntryArrays const& entries) {
    if (count == 0) return;
#pragma unroll
    for (int quad = 0; quad < kLaneItems / 4; ++quad) {
      auto const* const pairs = reinterpret_cast<int4 const*>(entries.pairs + first + 4 * quad);
      int4 const a = pairs[0];
      int4 const b = pairs[1];
      float4 const values = *reinterpret_cast<float4 const*>(entries.values + first + 4 * quad);
      pair[4 * quad] = {a.x, a.y};
      pair[4 * quad + 1] = {a.z, a.w};
      pair[4 * quad + 2] = {b.x, b.y};
      pair[4 * quad + 3] = {b.z, b.w};
      value[4 * quad] = values.x;
      value[4 * quad + 1] = values.y;
      value[4 * quad + 2] = values.z;
      value[4 * quad + 3] = values.w;
    }
  }

  __device__ bool HasNode(int item) const { return item < count && node[item] != kNoNode; }

 private:
  __device__ void Unpack(std::uint32_t const (&words)[kLaneItems / 4]) {
#pragma unroll
    for (int item = 0; item < kLaneItems; ++item) node[item] = words[item / 4] >> (item % 4 * 8) & 255U;
  }
};

/// By node and lane; a lane touches its own column only, so no barrier is needed and banks do not conflict.
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
  __device__ void Add(int node, FixedPair pair, float value) {
    gradient[node][Lane()] += pair.gradient;
    hessian[node][Lane()] += pair.hessian;
    last[node][Lane()] = value;
  }
  /// The sums of the lane's own entries.
  __device__ void AddAll(LaneEntries const& entries) {
#pragma unroll
    for (int node = 0; node < kNodes; ++node) Set(node, {{0, 0}, -INFINITY});
#pragma unroll
    for (int item = 0; item < kLaneItems; ++item) {
      if (entries.HasNode(item)) Add(static_cast<int>(entries.node[item]), entries.pair[item], entries.value[item]);
    }
  }
};

struct JoinPieces {
  __device__ NodePiece operator()(NodePiece const& a, NodePiece const& b) const {
    return {a.sum + b.sum, a.last > b.last ? a.last : b.last};
  }
};

}  // namespace kauri::cuda
