/// \file A level of a tree on the host, its entries in the layout of each phase, and the same on the device; for the
/// tests of the exact builder's kernels.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "cuda/exact/chunk.h"
#include "data/sorted_columns.h"
#include "support/device_fixture.h"
#include "tree/split_gain.h"

namespace kauri::testing {

constexpr std::int32_t kFinished = -1;
constexpr float kPadding = -1e30F;  ///< the value of places without an entry

struct LevelSpec {
  std::vector<std::int64_t> node_sizes;  ///< rows of each node
  std::int64_t n_finished = 0;           ///< rows in no node
  std::int64_t n_features = 1;
  double missing = 0.0;          ///< chance that a value is missing
  std::uint32_t n_distinct = 0;  ///< small integers; 0: normal deviates
  bool coarse_pairs = false;     ///< gradients -1, 0, 1 and hessians 1: many ties
  std::uint64_t seed = 0;
};

/// Rows in the nodes of one level.
struct Level {
  std::int32_t n_nodes = 0;
  std::vector<std::int32_t> node_of_row;          ///< or kFinished
  std::vector<FixedPair> pairs;                   ///< [n_rows]
  GainParam param;                                ///< with the pairs' unit
  std::vector<std::vector<ColumnEntry>> columns;  ///< ascending by (value, row)
  std::vector<std::uint8_t> both_ways;            ///< [n_features]

  std::size_t NumFeatures() const { return columns.size(); }
  /// Returns the entries of one column in a node, in stable order.
  std::vector<ColumnEntry> EntriesOf(std::size_t feature, std::int32_t node) const {
    std::vector<ColumnEntry> found;
    for (auto const entry : columns[feature]) {
      if (node_of_row[entry.row] == node) found.push_back(entry);
    }
    return found;
  }
  FixedSum SumOf(std::int32_t node) const {
    FixedSum sum;
    for (std::size_t row = 0; row < pairs.size(); ++row) {
      if (node_of_row[row] == node) sum += pairs[row];
    }
    return sum;
  }
  /// Sorts the columns; must be called after values have been changed.
  void SortColumns() {
    both_ways.clear();
    for (auto& column : columns) {
      std::sort(column.begin(), column.end(),
                [](ColumnEntry a, ColumnEntry b) { return a.value != b.value ? a.value < b.value : a.row < b.row; });
      auto const several = !column.empty() && column.front().value != column.back().value;
      both_ways.push_back(several && column.size() < pairs.size() ? 1 : 0);
    }
  }
};

inline Level MakeLevel(LevelSpec const& spec) {
  Random random(spec.seed);
  Level level;
  level.n_nodes = static_cast<std::int32_t>(spec.node_sizes.size());
  auto& nodes = level.node_of_row;
  for (std::int32_t node = 0; node < level.n_nodes; ++node) {
    nodes.insert(nodes.end(), static_cast<std::size_t>(spec.node_sizes[node]), node);
  }
  nodes.insert(nodes.end(), static_cast<std::size_t>(spec.n_finished), kFinished);
  for (auto i = nodes.size(); i > 1; --i) std::swap(nodes[i - 1], nodes[random.Below(static_cast<std::uint32_t>(i))]);
  level.param.unit = spec.coarse_pairs ? GradientUnit{1.0, 1.0} : GradientUnit{0x1p-20, 0x1p-20};
  std::int32_t const most = spec.coarse_pairs ? 1 : 1 << 20;
  for (std::size_t row = 0; row < nodes.size(); ++row) {
    auto const gradient = static_cast<std::int32_t>(random.Below(2 * static_cast<std::uint32_t>(most) + 1)) - most;
    auto const hessian = static_cast<std::int32_t>(random.Below(static_cast<std::uint32_t>(most))) + 1;
    level.pairs.push_back({gradient, hessian});
  }
  level.columns.resize(spec.n_features);
  for (auto& column : level.columns) {
    for (std::size_t row = 0; row < nodes.size(); ++row) {
      if (random.Uniform() < spec.missing) continue;
      auto const value = spec.n_distinct == 0 ? random.Normal() : static_cast<float>(random.Below(spec.n_distinct));
      column.push_back({static_cast<std::uint32_t>(row), value});
    }
  }
  level.SortColumns();
  return level;
}

/// Entries in the layout of one region of the device. The padding between them would spoil any sum and split that reads
/// it.
struct Layout {
  std::int32_t n_nodes = 0;
  std::vector<std::int64_t> feature_begin{0};
  std::vector<std::int64_t> column_end;
  std::vector<std::uint32_t> first_tile{0};
  std::vector<std::int64_t> segments;  ///< SegmentTable::begin
  std::vector<std::uint32_t> rows;     ///< [region size]
  std::vector<float> values;
  std::vector<FixedPair> pairs;

  std::int64_t NumEntries() const { return feature_begin.back(); }
  std::size_t NumFeatures() const { return column_end.size(); }
  void Append(ColumnEntry entry, FixedPair pair) {
    rows.push_back(entry.row);
    values.push_back(entry.value);
    pairs.push_back(pair);
  }
  void PadTo(std::int64_t size) {
    while (static_cast<std::int64_t>(rows.size()) < size) Append({0, kPadding}, {1 << 29, 1 << 29});
  }
};

inline std::int64_t RoundUp(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

/// Lays out the entries by node (the sorting phase), or in the order of the columns, as one segment each (the
/// interleaved phase).
inline Layout LayOut(Level const& level, bool by_node) {
  Layout layout;
  layout.n_nodes = by_node ? level.n_nodes : 1;
  for (std::size_t feature = 0; feature < level.NumFeatures(); ++feature) {
    auto const& column = level.columns[feature];
    auto const begin = layout.feature_begin.back();
    auto const size = static_cast<std::int64_t>(column.size());
    for (std::int32_t node = 0; node < layout.n_nodes; ++node) {
      layout.segments.push_back(static_cast<std::int64_t>(layout.rows.size()));
      for (auto const entry : by_node ? level.EntriesOf(feature, node) : column) {
        layout.Append(entry, level.pairs[entry.row]);
      }
    }
    layout.segments.push_back(static_cast<std::int64_t>(layout.rows.size()));  // the dead segment
    layout.column_end.push_back(begin + size);
    layout.feature_begin.push_back(begin + RoundUp(size, cuda::kEntryAlignment));
    layout.first_tile.push_back(layout.first_tile.back() + static_cast<std::uint32_t>(cuda::NumTiles(size)));
    layout.PadTo(layout.feature_begin.back());
  }
  layout.segments.push_back(layout.feature_begin.back());
  layout.PadTo(RoundUp(layout.NumEntries(), cuda::kTileEntries));
  return layout;
}

/// The part [begin, end) of a segment in one tile.
struct Piece {
  std::int64_t tile;
  std::int64_t segment;
  std::int64_t begin;
  std::int64_t end;
  std::size_t Number() const { return static_cast<std::size_t>(tile + segment); }
};

/// Returns all pieces of live segments.
inline std::vector<Piece> LivePieces(std::vector<std::int64_t> const& segments, std::int32_t n_nodes) {
  std::vector<Piece> pieces;
  for (std::size_t segment = 0; segment + 1 < segments.size(); ++segment) {
    if (segment % static_cast<std::size_t>(n_nodes + 1) == static_cast<std::size_t>(n_nodes)) continue;
    for (auto begin = segments[segment]; begin < segments[segment + 1];) {
      auto const tile = begin / cuda::kTileEntries;
      auto const end = std::min(segments[segment + 1], (tile + 1) * cuda::kTileEntries);
      pieces.push_back({tile, static_cast<std::int64_t>(segment), begin, end});
      begin = end;
    }
  }
  return pieces;
}

/// Returns SegmentTable::of_tile.
inline std::vector<std::uint32_t> TileSegments(std::vector<std::int64_t> const& segments) {
  std::vector<std::uint32_t> of_tile;
  auto const holds = [&](std::int64_t index) {
    auto const after = std::upper_bound(segments.begin(), segments.end(), index);
    return static_cast<std::uint32_t>(after - segments.begin() - 1);
  };
  for (std::int64_t index = 0; index < segments.back(); index += cuda::kTileEntries) of_tile.push_back(holds(index));
  of_tile.push_back(holds(segments.back() - 1));
  return of_tile;
}

/// A chunk of all features, with the entries in region 0; region 1 is spare.
struct DeviceLevel {
  cuda::Chunk chunk;
  cuda::ExactWorkspace workspace;
};

inline DeviceLevel MakeDeviceLevel(cuda::CudaContext const& cuda, Layout const& layout,
                                   std::vector<std::uint8_t> const& both_ways) {
  DeviceLevel level;
  auto& chunk = level.chunk;
  for (std::size_t feature = 0; feature < layout.NumFeatures(); ++feature) {
    chunk.features.push_back(static_cast<std::int32_t>(2 * feature + 1));  // ids that are not places
  }
  chunk.n_entries = layout.NumEntries();
  chunk.n_nodes = layout.n_nodes;
  chunk.begin = layout.feature_begin;
  chunk.end = layout.column_end;
  chunk.n_column_tiles = layout.first_tile.back();
  chunk.feature_ids = cuda::ToDevice(cuda, chunk.features);
  chunk.both_ways = cuda::ToDevice(cuda, both_ways);
  chunk.feature_begin = cuda::ToDevice(cuda, chunk.begin);
  chunk.column_end = cuda::ToDevice(cuda, chunk.end);
  chunk.first_tile = cuda::ToDevice(cuda, layout.first_tile);
  chunk.segments = cuda::ToDevice(cuda, layout.segments);
  chunk.tile_segments.Reserve(cuda, static_cast<std::size_t>(cuda::NumTiles(chunk.n_entries)) + 1);
  level.workspace.region_size = static_cast<std::int64_t>(layout.rows.size());
  auto regions = layout;
  regions.PadTo(2 * level.workspace.region_size);
  level.workspace.rows = cuda::ToDevice(cuda, regions.rows);
  level.workspace.values = cuda::ToDevice(cuda, regions.values);
  level.workspace.pairs = cuda::ToDevice(cuda, regions.pairs);
  return level;
}

}  // namespace kauri::testing
