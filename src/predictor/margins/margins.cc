/// Every sum is the start, then one tree after another, in float32, whichever path computes it.
#include "predictor/margins/margins.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "predictor/forest/walk.h"
#include "predictor/margins/margin_kernels.h"

namespace kauri {
namespace {

/// Below this many rows a tile would be mostly padding.
constexpr std::int64_t kFewRows = 8;

/// Maximum bytes of a tile, so that it stays in a core's cache while all trees pass over it.
constexpr std::int64_t kTileBytes = 1 << 17;

/// Returns the rows of a tile: a multiple of kTreeTopsRows up to 512 or, for wide rows, of kWalkLanes.
std::int64_t TileRows(std::int64_t bytes_per_row) {
  auto const rows = std::clamp<std::int64_t>(kTileBytes / std::max<std::int64_t>(1, bytes_per_row), kWalkLanes, 512);
  auto const unit = rows >= kTreeTopsRows ? kTreeTopsRows : kWalkLanes;
  return rows / unit * unit;
}

std::int64_t RoundUp(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

/// Buffer for a row's keys. Small rows stay off the heap, because an allocation costs about as much as a single
/// prediction.
class KeyBuffer {
 public:
  explicit KeyBuffer(std::int64_t size) : heap_(size > kOnStack ? ToSize(size) : 0) {}
  std::int32_t* Data() { return heap_.empty() ? stack_.data() : heap_.data(); }

 private:
  static constexpr std::int64_t kOnStack = 512;
  std::array<std::int32_t, kOnStack> stack_;
  std::vector<std::int32_t> heap_;
};

/// One row as keys and, if there are tree tops for single rows, as codes.
class SingleRow {
 public:
  SingleRow(Forest const& forest, TreeTops const& tree_tops)
      : forest_(forest), tree_tops_(tree_tops), keys_(forest.NumSlots()), has_codes_(!tree_tops.row.IsEmpty()) {}

  void Read(DataView const& rows, std::int64_t row) {
    ReadKeys(forest_, rows, row, row + 1, 1, keys_.Data());
    if (has_codes_) EncodeRow(tree_tops_, keys_.Data(), codes_.data());
  }

  /// Adds the leaves of traversals [begin, end), at most kGroup, to sums [n_outputs], one after the other. A traversal
  /// covers a tree, or a group if there are vectors.
  template <bool kCategorical, typename Reader>
  void AddTrees(Reader const& reader, std::int64_t begin, std::int64_t end, float* sums) {
    auto const& row = tree_tops_.row;
    if (has_codes_) FindRowExits(row, {codes_.data(), tree_tops_.columns.size()}, begin, end - begin, exits_.data());
    if (has_codes_ && !row.value.empty()) {
      AddExits(begin, end, sums);
      return;
    }
    for (auto walk = begin; walk < end; walk += kWalkLanes) {
      AddLanes<kCategorical>(reader, walk, std::min(kWalkLanes, end - walk), exits_.data() + (walk - begin), sums);
    }
  }

  static constexpr std::int64_t kGroup = 8 * kWalkLanes;

 private:
  void AddExits(std::int64_t begin, std::int64_t end, float* sums) const {
    auto const* values = tree_tops_.row.value.data();
    if (forest_.n_outputs > 1) {
      for (auto tree = begin; tree < end; ++tree) {
        sums[forest_.output_of_tree[tree]] += values[tree * kRowTreeTopsNodes + exits_[tree - begin]];
      }
      return;
    }
    auto sum = sums[0];
    for (auto tree = begin; tree < end; ++tree) sum += values[tree * kRowTreeTopsNodes + exits_[tree - begin]];
    sums[0] = sum;
  }

  template <bool kCategorical, typename Reader>
  void AddLanes(Reader const& reader, std::int64_t first, std::int64_t n_walks, std::uint8_t const* exits,
                float* sums) {
    auto const trees_per_walk = forest_.TreesPerWalk();
    std::uint32_t nodes[kWalkLanes] = {};
    std::int64_t tree_begin[kWalkLanes];
    std::int32_t steps = 0;
    for (std::int64_t lane = 0; lane < kWalkLanes; ++lane) {
      auto const tree = ToSize((first + std::min(lane, n_walks - 1)) * trees_per_walk);
      tree_begin[lane] = forest_.tree_begin[tree];
      auto depth = forest_.tree_depth[tree];
      if (has_codes_) {
        auto const& top = tree_tops_.trees[tree];
        auto const exit = exits[std::min(lane, n_walks - 1)] >> (kTreeTopsLevels - top.levels);
        nodes[lane] = tree_tops_.exit_node[top.exit_begin + exit];
        depth -= top.levels;
      }
      steps = std::max(steps, depth);
    }
    WalkTrees<kCategorical>(forest_, reader, tree_begin, steps, keys_.Data(), nodes);
    for (std::int64_t lane = 0; lane < n_walks; ++lane) {
      if (trees_per_walk == 1) {
        sums[forest_.output_of_tree[first + lane]] += forest_.leaf_value[tree_begin[lane] + nodes[lane]];
        continue;
      }
      auto const* values = forest_.VectorsOf((first + lane) * trees_per_walk) + nodes[lane] * forest_.vectors.stride;
      for (std::int64_t k = 0; k < forest_.n_outputs; ++k) sums[k] += values[k];
    }
  }

  Forest const& forest_;
  TreeTops const& tree_tops_;
  KeyBuffer keys_;
  bool has_codes_;
  std::array<std::int8_t, kMaxRowColumns> codes_;
  std::array<std::uint8_t, kGroup> exits_;
};

/// Computes the margins of rows [begin, end), one at a time.
void MarginsByRows(ForestTask const& task, TreeTops const& tree_tops, std::int64_t begin, std::int64_t end,
                   float* out) {
  auto const& forest = task.forest;
  SingleRow single(forest, tree_tops);
  auto const n_walks = task.trees.end / forest.TreesPerWalk();
  for (auto row = begin; row < end; ++row) {
    single.Read(task.rows, row);
    auto* sums = out + row * forest.n_outputs;
    for (std::int64_t k = 0; k < forest.n_outputs; ++k) sums[k] = task.StartOf(row, k);
    WithReader(forest, [&](auto const& reader, auto categorical) {
      for (auto walk = task.trees.begin / forest.TreesPerWalk(); walk < n_walks; walk += SingleRow::kGroup) {
        single.AddTrees<categorical.value>(reader, walk, std::min(walk + SingleRow::kGroup, n_walks), sums);
      }
    });
  }
}

/// Rows [begin, end) of a view as keys, codes and running sums; rows are padded to whole groups of lanes.
class Tile {
 public:
  /// tree_tops: nullptr for traversals from the root.
  Tile(ForestTask const& task, TreeTops const* tree_tops, std::int64_t begin, std::int64_t end)
      : forest_(task.forest),
        tree_tops_(tree_tops),
        begin_(begin),
        n_rows_(end - begin),
        n_padded_(RoundUp(n_rows_, tree_tops != nullptr ? kTreeTopsRows : kWalkLanes)),
        has_vectors_(!forest_.vectors.IsEmpty()),
        keys_(SizeInMemory(n_padded_ * forest_.NumSlots()), kMissingKey),
        sums_(SizeInMemory(n_padded_ * (has_vectors_ ? forest_.vectors.stride : forest_.n_outputs))) {
    ReadKeys(forest_, task.rows, begin, end, kWalkLanes, keys_.data());
    ForEachSum([&](std::int64_t row, std::int64_t output, float* sum) { *sum = task.StartOf(begin + row, output); });
    if (tree_tops == nullptr) return;
    codes_.resize(tree_tops->columns.size() * ToSize(n_padded_ * tree_tops->code_bytes));
    EncodeRows(*tree_tops, keys_.data(), n_padded_, forest_.NumSlots(), codes_.data());
    exits_.resize(n_padded_);
  }

  /// Adds the leaves of the group of trees [first, end).
  void AddTrees(std::int64_t first, std::int64_t end) {
    if (tree_tops_ == nullptr) {
      AddByWalk(first, end, nullptr);
      return;
    }
    auto const& top = tree_tops_->trees[first];
    TreeTopsJob const job{codes_.data(),
                          tree_tops_->code_bytes,
                          n_padded_,
                          top.levels,
                          top.has_conditions,
                          tree_tops_->column.data() + top.node_begin,
                          tree_tops_->rank.data() + top.node_begin,
                          tree_tops_->exit_value.data() + top.exit_begin};
    if (!top.has_deeper && end == first + 1) {
      AddTreeTopsValues(job, Sums(forest_.output_of_tree[first]));
      return;
    }
    FindTreeTopsExits(job, exits_.data());
    AddByWalk(first, end, tree_tops_->exit_node.data() + top.exit_begin);
  }

  void Write(float* out) {
    ForEachSum([&](std::int64_t row, std::int64_t output, float const* sum) {
      out[(begin_ + row) * forest_.n_outputs + output] = *sum;
    });
  }

 private:
  /// Returns the sums of an output. Only without vectors.
  float* Sums(std::int64_t output) { return sums_.data() + output * n_padded_; }

  /// Calls fn(row, output, sum) in the order in memory.
  template <typename Fn>
  void ForEachSum(Fn&& fn) {
    auto const n_outputs = forest_.n_outputs;
    if (has_vectors_) {
      for (std::int64_t row = 0; row < n_rows_; ++row) {
        auto* sums = sums_.data() + row * forest_.vectors.stride;
        for (std::int64_t output = 0; output < n_outputs; ++output) fn(row, output, sums + output);
      }
      return;
    }
    for (std::int64_t output = 0; output < n_outputs; ++output) {
      for (std::int64_t row = 0; row < n_rows_; ++row) fn(row, output, Sums(output) + row);
    }
  }

  /// Adds the leaves of a group by traversal, from the root or from the exits of the tree tops.
  void AddByWalk(std::int64_t first, std::int64_t end, std::uint32_t const* exit_node) {
    auto const steps = forest_.tree_depth[first] - (exit_node == nullptr ? 0 : kTreeTopsLevels);
    WithReader(forest_, [&](auto const& reader, auto categorical) {
      for (std::int64_t row = 0; row < n_padded_; row += kWalkLanes) {
        std::uint32_t nodes[kWalkLanes] = {};
        if (exit_node != nullptr) {
          for (std::int64_t lane = 0; lane < kWalkLanes; ++lane) nodes[lane] = exit_node[exits_[row + lane]];
        }
        WalkRows<categorical.value>(forest_, reader, first, steps, keys_.data() + row * forest_.NumSlots(), nodes);
        if (has_vectors_) {
          auto const stride = forest_.vectors.stride;
          AddVectors(forest_.VectorsOf(first), stride, nodes, kWalkLanes, sums_.data() + row * stride);
        } else {
          for (auto tree = first; tree < end; ++tree) AddLeaves(tree, row, nodes);
        }
      }
    });
  }

  /// Adds the leaves that kWalkLanes rows have reached.
  void AddLeaves(std::int64_t tree, std::int64_t row, std::uint32_t const* nodes) {
    auto* sums = Sums(forest_.output_of_tree[tree]) + row;
    auto const* leaf_value = forest_.leaf_value.data() + forest_.tree_begin[tree];
    for (std::int64_t lane = 0; lane < kWalkLanes; ++lane) sums[lane] += leaf_value[nodes[lane]];
  }

  Forest const& forest_;
  TreeTops const* tree_tops_;
  std::int64_t begin_;
  std::int64_t n_rows_;
  std::int64_t n_padded_;
  bool has_vectors_;
  std::vector<std::int32_t> keys_;   ///< [n_padded, n_slots], interleaved by kWalkLanes
  std::vector<float> sums_;          ///< [n_outputs, n_padded]; with vectors: [n_padded, stride of vectors]
  std::vector<std::byte> codes_;     ///< [n_columns, n_padded]; empty without tree tops
  std::vector<std::uint8_t> exits_;  ///< [n_padded]
};

MarginPath Choose(ForestTask const& task, TreeTops const& tree_tops) {
  if (task.rows.NumRows() < kFewRows) return MarginPath::kRows;
  return TreeTopsPays(task.forest, tree_tops, task.trees) ? MarginPath::kTreeTops : MarginPath::kTiles;
}

}  // namespace

void PredictMargins(Context const& ctx, ForestTask const& task, TreeTops const& tree_tops, MarginPath path,
                    Span<float> out) {
  auto const& forest = task.forest;
  if (path == MarginPath::kAuto) path = Choose(task, tree_tops);
  auto const* const codes = path == MarginPath::kTreeTops ? &tree_tops : nullptr;
  auto const code_bytes = codes == nullptr ? 0 : static_cast<std::int64_t>(codes->columns.size()) * codes->code_bytes;
  auto const block_size = TileRows(4 * (forest.NumSlots() + forest.n_outputs) + code_bytes);
  ParallelForBlocks(ctx, task.rows.NumRows(), block_size, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    if (path == MarginPath::kRows || end - begin < kFewRows) {
      MarginsByRows(task, tree_tops, begin, end, out.data());
      return;
    }
    Tile tile(task, codes, begin, end);
    for (auto first = task.trees.begin; first < task.trees.end; first = forest.GroupEnd(first)) {
      tile.AddTrees(first, forest.GroupEnd(first));
    }
    tile.Write(out.data());
  });
}

void PredictLeaves(Context const& ctx, ForestTask const& task, Span<float> out) {
  auto const& forest = task.forest;
  auto const groups = forest.GroupsOf(task.trees);
  auto const width = static_cast<std::int64_t>(groups.size());
  auto const block_size = TileRows(4 * forest.NumSlots());
  ParallelForBlocks(ctx, task.rows.NumRows(), block_size, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    std::vector<std::int32_t> keys(SizeInMemory(RoundUp(end - begin, kWalkLanes) * forest.NumSlots()), kMissingKey);
    ReadKeys(forest, task.rows, begin, end, kWalkLanes, keys.data());
    WithReader(forest, [&](auto const& reader, auto categorical) {
      for (std::int64_t index = 0; index < width * NumBlocks(end - begin, kWalkLanes); ++index) {
        auto const column = index % width;
        auto const tree = groups[column];
        auto const first = index / width * kWalkLanes;
        std::uint32_t nodes[kWalkLanes] = {};
        WalkRows<categorical.value>(forest, reader, tree, forest.tree_depth[tree],
                                    keys.data() + first * forest.NumSlots(), nodes);
        auto const* node_id = forest.node_id.data() + forest.tree_begin[tree];
        for (auto row = first; row < std::min(first + kWalkLanes, end - begin); ++row) {
          out[(begin + row) * width + column] = static_cast<float>(node_id[nodes[row - first]]);
        }
      }
    });
  });
}

}  // namespace kauri
