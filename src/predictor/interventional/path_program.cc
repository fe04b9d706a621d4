#include "predictor/interventional/path_program.h"

#include <algorithm>

#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "predictor/forest/walk.h"

namespace kauri {
namespace {

class PathCompiler {
 public:
  PathCompiler(Forest const& forest, std::int64_t tree, PathCategories* categories)
      : forest_(forest), tree_(tree), edges_(FindEdges(forest, tree, categories)) {
    position_.assign(edges_.parent.size(), 0);
    depth_.assign(edges_.parent.size(), 0);
    for (std::uint32_t edge = 1; edge < position_.size(); ++edge) {  // parents come first
      auto const earlier = edges_.earlier[edge];
      position_[edge] = earlier == kNoEdge ? NumFeatures(edge) - 1 : position_[earlier];
      depth_[edge] = depth_[edges_.parent[edge]] + 1;
      program_.n_buffers = std::max(program_.n_buffers, depth_[edge] + 1);
    }
  }

  PathProgram Compile() {
    open_.push_back({0, 0});
    while (!open_.empty()) {
      auto const [node, next_side] = open_.back();
      auto const left = forest_.Node(tree_, node).left;
      if (left == node) {
        AddLeaf(node);
        open_.pop_back();
      } else if (next_side == 2) {
        Close(left);
        open_.pop_back();
      } else {
        AddEdge(left + next_side);
        ++open_.back().next_side;
        open_.push_back({left + next_side, 0});
      }
    }
    return std::move(program_);
  }

 private:
  struct OpenNode {
    std::uint32_t node;
    std::uint32_t next_side;
  };

  std::uint32_t NumFeatures(std::uint32_t node) const { return static_cast<std::uint32_t>(edges_.n_features[node]); }

  /// Returns the buffer that holds a plane of the path to `node`.
  std::uint32_t BufferOf(std::uint32_t plane, std::uint32_t node) const {
    while (node != 0 && position_[node] / kPlaneBits != plane) node = edges_.parent[node];
    return depth_[node];
  }

  void AddEdge(std::uint32_t edge) {
    PathStep step{PathStep::kEdge, position_[edge], 0, depth_[edge], 0, 0, edges_.feature[edge]};
    step.from = BufferOf(step.position / kPlaneBits, edges_.parent[edge]);
    step.slot = step.feature.Slot();
    program_.steps.push_back(step);
  }

  /// Closes a split after both of its sides. `edge` is its left edge.
  void Close(std::uint32_t edge) {
    if (edges_.earlier[edge] != kNoEdge) return;
    auto const slot = edges_.feature[edge].Slot();
    auto& n_open = program_.leaves.back().n_open;
    n_open = std::min(n_open, position_[edge]);
    program_.steps.push_back({PathStep::kClose, position_[edge], 0, 0, 0, slot, WholeFeature(slot)});
  }

  void AddLeaf(std::uint32_t node) {
    auto const number = static_cast<std::uint32_t>(program_.leaves.size());
    auto const begin = static_cast<std::size_t>(forest_.tree_begin[tree_]);
    PathLeaf const leaf{NumFeatures(node),
                        static_cast<std::uint32_t>(program_.plane_buffers.size()),
                        static_cast<std::uint32_t>(program_.features.size()),
                        static_cast<double>(forest_.leaf_value[begin + node]),
                        NumFeatures(node),
                        position_[node],
                        JoinsNext(node)};
    AddPlanes(leaf, node);
    program_.features.resize(program_.features.size() + leaf.n_features);
    ForEachPathEdge(edges_, node, [&](std::uint32_t edge) {
      program_.features[leaf.first_feature + position_[edge]] = edges_.feature[edge];
    });
    program_.leaves.push_back(leaf);
    program_.most_features = std::max(program_.most_features, leaf.n_features);
    program_.steps.push_back({PathStep::kLeaf, 0, 0, 0, number, 0, {}});
  }

  /// Returns whether a leaf is the left side of a split whose right side is a leaf, too.
  bool JoinsNext(std::uint32_t node) const {
    return node != 0 && forest_.Node(tree_, edges_.parent[node]).left == node && forest_.IsLeaf(tree_, node + 1);
  }

  /// Sets BufferOf of each plane, in one traversal to the root.
  void AddPlanes(PathLeaf const& leaf, std::uint32_t node) {
    auto const n_planes = NumPlanes(leaf.n_features);
    program_.plane_buffers.resize(program_.plane_buffers.size() + n_planes, 0);
    auto* const buffers = program_.plane_buffers.data() + leaf.first_plane;
    for (std::uint32_t left = n_planes; left > 0; node = edges_.parent[node]) {
      auto& buffer = buffers[position_[node] / kPlaneBits];
      if (buffer != 0) continue;
      buffer = depth_[node];
      --left;
    }
  }

  Forest const& forest_;
  std::int64_t tree_;
  TreeEdges edges_;
  std::vector<std::uint32_t> position_;  ///< by edge, position of its feature
  std::vector<std::uint32_t> depth_;     ///< by node
  std::vector<OpenNode> open_;
  PathProgram program_;
};

}  // namespace

PathProgram CompilePaths(Forest const& forest, std::int64_t tree, PathCategories* categories) {
  return PathCompiler(forest, tree, categories).Compile();
}

std::vector<PathProgram> CompilePaths(Context const& ctx, Forest const& forest, TreeRange trees,
                                      PathCategories* categories) {
  std::vector<PathProgram> programs(ToSize(trees.end - trees.begin));
  auto one_by_one = ctx;
  if (forest.has_categorical) one_by_one.threads = 1;
  ParallelFor(one_by_one, trees.end - trees.begin,
              [&](std::int64_t t) { programs[t] = CompilePaths(forest, trees.begin + t, categories); });
  return programs;
}

KeyTiles::KeyTiles(Context const& ctx, Forest const& forest, DataView const& rows, std::int64_t begin, std::int64_t end,
                   std::int64_t tile_rows)
    : n_rows_(end - begin), tile_rows_(tile_rows), tile_size_(forest.NumSlots() * tile_rows) {
  keys_.assign(SizeInMemory(NumTiles() * tile_size_), kMissingKey);
  ParallelForBlocks(ctx, n_rows_, tile_rows, [&](std::int64_t first, std::int64_t last, std::int64_t tile) {
    ReadKeys(forest, rows, begin + first, begin + last, tile_rows_, keys_.data() + tile * tile_size_);
  });
}

std::int64_t KeyTiles::RowsOf(std::int64_t tile) const { return std::min(tile_rows_, n_rows_ - tile * tile_rows_); }

}  // namespace kauri
