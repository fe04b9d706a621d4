#include "predictor/interventional/interventional.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "common/threads/parallel_for.h"
#include "predictor/interventional/background_tree.h"

namespace kauri {
namespace {

/// Maximum bytes of the sums and keys of a part: rows that pass over all trees together. Trees are compiled once per
/// part.
constexpr std::int64_t kPartBytes = std::int64_t{256} << 20;
/// Maximum bytes of the sums and keys of a tile, so that they stay in a core's cache.
constexpr std::int64_t kTileBytes = std::int64_t{1} << 20;

/// Returns the bytes of a row's sums and keys.
std::int64_t RowBytes(Forest const& forest) { return 4 * forest.NumSlots() * (1 + 2 * forest.n_outputs) + 1; }

std::int64_t PartRows(Forest const& forest) {
  return std::max<std::int64_t>(1, kPartBytes / RowBytes(forest) / kPatternRows) * kPatternRows;
}

/// Returns the rows of a tile. There are enough tiles for all threads, unless tiles would become too small to be worth
/// a traversal.
std::int64_t TileRows(Context const& ctx, Forest const& forest, std::int64_t n_rows) {
  auto const even = n_rows / (2 * std::max(1, ctx.threads)) + 1;
  auto const rows = std::clamp<std::int64_t>(std::min(even, kTileBytes / RowBytes(forest)), 64, kPatternRows);
  return (rows + 15) / 16 * 16;
}

/// Memory of a thread for a tile: sums by position, [kPatternRows, stride].
class TileScratch {
 public:
  double* Sums(std::uint32_t most_features) {
    stride_ = (std::int64_t{most_features} + 7) / 8 * 8;
    auto const size = ToSize(stride_ * kPatternRows);
    if (size > sums_.Size()) {
      sums_.Reserve(size);
      std::fill_n(sums_.Data(), size, 0.0);
    }
    return sums_.Data();
  }
  std::int64_t Stride() const { return stride_; }
  PatternWalk walk;
  std::vector<std::uint32_t const*> planes;

 private:
  AlignedDoubles sums_;  ///< all zeros between trees
  std::int64_t stride_ = 0;
};

/// Adds the contributions of a tree to the sums of a tile. phi: [n_slots, rows.TileRows()].
void AddTree(BackgroundBatches const& batch, BackgroundTree const& tree, KeyTiles const& rows, std::int64_t tile,
             TileScratch* scratch, double* phi) {
  auto const n_rows = rows.RowsOf(tile);
  auto* const sums = scratch->Sums(tree.program.most_features);
  auto const stride = scratch->Stride();
  auto const add_leaf = [&](std::uint32_t number) {
    auto const& leaf = tree.program.leaves[number];
    auto const form = FormOf(leaf.n_features);
    if (form == LeafForm::kConstant) return;
    if (form == LeafForm::kPairs) {
      scratch->walk.Planes(tree.program, leaf, &scratch->planes);
      return AddDirect(tree.direct[number], scratch->planes, n_rows, batch.Weights(), sums, stride);
    }
    TableJob const job{leaf.n_features,
                       tree.tables.Data() + tree.table_begin[number],
                       scratch->walk.Plane(tree.program, leaf, 0),
                       n_rows,
                       sums,
                       stride};
    form == LeafForm::kValues ? AddValues(job) : AddParts(job);
  };
  auto const close = [&](std::uint32_t position, std::uint32_t slot) {
    auto* const to = phi + slot * rows.TileRows();
    auto* const from = sums + position;
    for (std::int64_t row = 0; row < n_rows; ++row) {
      to[row] += from[row * stride];
      from[row * stride] = 0.0;
    }
  };
  scratch->walk.Run(tree.program, batch.Categories(), rows, tile, add_leaf, close);
}

/// Rows that pass over all trees together, with their sums.
class Part {
 public:
  Part(Context const& ctx, ForestTask const& task, std::int64_t begin, std::int64_t end)
      : task_(task),
        begin_(begin),
        keys_(ctx, task.forest, task.rows, begin, end, TileRows(ctx, task.forest, end - begin)),
        output_size_(task.forest.NumSlots() * keys_.TileRows()),
        tile_size_(task.forest.n_outputs * output_size_),
        phi_(ToSize(std::max(keys_.NumTiles() * tile_size_, keys_.TileRows())), 0.0) {
  }  // at least one row, even without features

  void Add(Context const& ctx, BackgroundBatches const& batch) {
    ParallelFor(ctx, keys_.NumTiles(), [&](std::int64_t tile) {
      TileScratch scratch;
      for (auto tree = batch.Trees().begin; tree < batch.Trees().end; ++tree) {
        auto const output = task_.forest.output_of_tree[tree];
        AddTree(batch, batch.Tree(tree), keys_, tile, &scratch,
                phi_.data() + tile * tile_size_ + output * output_size_);
      }
    });
  }

  /// Writes the contributions. means: means of the trees over the background, by output. out: starts at the first row
  /// of the task.
  void Write(Context const& ctx, std::vector<double> const& means, Span<float> out) const {
    auto const& forest = task_.forest;
    auto const width = forest.n_features + 1;
    ParallelForBlocks(ctx, keys_.NumRows(), keys_.TileRows(), [&](std::int64_t first, std::int64_t last, std::int64_t) {
      for (auto index = first * forest.n_outputs; index < last * forest.n_outputs; ++index) {
        auto const row = index / forest.n_outputs;
        auto const output = index % forest.n_outputs;
        auto* const to = out.data() + (begin_ * forest.n_outputs + index) * width;
        std::fill(to, to + forest.n_features, 0.0F);
        auto const* phi =
            phi_.data() + row / keys_.TileRows() * tile_size_ + row % keys_.TileRows() + output * output_size_;
        for (auto const feature : forest.feature_of_slot) {
          to[feature] = static_cast<float>(*phi);
          phi += keys_.TileRows();
        }
        to[forest.n_features] = static_cast<float>(means[output] + task_.StartOf(begin_ + row, output));
      }
    });
  }

 private:
  ForestTask const& task_;
  std::int64_t begin_;
  KeyTiles keys_;
  std::int64_t output_size_;
  std::int64_t tile_size_;
  std::vector<double> phi_;  ///< [n_tiles, n_outputs, n_slots, tile rows]
};

}  // namespace

void InterventionalContributions(Context const& ctx, ForestTask const& task, DataView const& background,
                                 Span<float> out) {
  CheckBackground(background);
  auto const& forest = task.forest;
  KeyTiles const background_keys(ctx, forest, background, 0, background.NumRows(), kPatternRows);
  auto const part_rows = PartRows(forest);
  for (std::int64_t begin = 0; begin < task.rows.NumRows(); begin += part_rows) {
    Part part(ctx, task, begin, std::min(task.rows.NumRows(), begin + part_rows));
    BackgroundBatches batches(forest, background_keys, task.trees);
    while (batches.Next(ctx)) part.Add(ctx, batches);
    part.Write(ctx, batches.Means(), out);
  }
}

}  // namespace kauri
