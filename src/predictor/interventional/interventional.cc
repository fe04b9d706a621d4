#include "predictor/interventional/interventional.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "predictor/interventional/background_tree.h"
#include "predictor/interventional/tile_patterns.h"

namespace kauri {
namespace {

/// Maximum bytes of the sums and keys of a part: rows that pass over all trees together. Trees are compiled once per
/// part.
constexpr std::int64_t kPartBytes = std::int64_t{256} << 20;
/// Maximum bytes of the sums and keys of a tile, so that they stay in a core's cache. Sums by pair of positions need
/// room beside them.
constexpr std::int64_t kTileBytes = std::int64_t{1} << 20;
constexpr std::int64_t kPairTileBytes = std::int64_t{1} << 19;

/// Returns the sums of a row and output: by slot and, for interactions, by pair of slots.
std::int64_t NumSums(Forest const& forest, QuadratureGoal goal) {
  return forest.NumSlots() + (goal.with_pairs ? NumPairs(forest.NumSlots()) : 0);
}

/// Returns the bytes of a row's sums and keys.
std::int64_t RowBytes(Forest const& forest, QuadratureGoal goal) {
  return 4 * forest.NumSlots() + 8 * forest.n_outputs * NumSums(forest, goal) + 1;
}

/// Returns the rows of a part. With many pairs its sums need as much memory as their matrices in the result.
std::int64_t PartRows(Forest const& forest, QuadratureGoal goal) {
  return std::max<std::int64_t>(1, kPartBytes / RowBytes(forest, goal) / kPatternRows) * kPatternRows;
}

/// Returns the rows of a tile. There are enough tiles for all threads, unless tiles would become too small to be worth
/// a traversal.
std::int64_t TileRows(Context const& ctx, Forest const& forest, QuadratureGoal goal, std::int64_t n_rows) {
  auto const even = n_rows / (2 * std::max(1, ctx.threads)) + 1;
  auto const fitting = (goal.with_pairs ? kPairTileBytes : kTileBytes) / RowBytes(forest, goal);
  auto const least = std::clamp<std::int64_t>(n_rows, 1, 64);
  auto const rows = std::clamp<std::int64_t>(std::min(even, fitting), least, kPatternRows);
  return (rows + 15) / 16 * 16;
}

/// Sums of the rows of a tile by position, or by pair of positions: [n_rows, stride].
class PositionSums {
 public:
  /// Makes room for `width` sums of each row. All sums must be 0.
  void Prepare(std::int64_t n_rows, std::int64_t width) {
    stride_ = (width + 7) / 8 * 8;
    auto const size = SizeInMemory(stride_ * n_rows);
    if (size <= sums_.Size()) return;
    sums_.Reserve(size);
    std::fill_n(sums_.Data(), size, 0);
  }
  std::int64_t* Data() { return sums_.Data(); }
  std::int64_t Stride() const { return stride_; }

  /// Returns room for `size` sums, all 0.
  std::int64_t* Clear(std::int64_t size) {
    sums_.Reserve(ToSize(size));
    std::fill_n(sums_.Data(), ToSize(size), 0);
    return sums_.Data();
  }

  /// Moves the sums at `index` of rows [begin, end) to the sums of a feature or pair of features. to: [n_rows].
  void MoveTo(std::int64_t index, std::int64_t begin, std::int64_t end, std::int64_t* to) {
    auto* const from = sums_.Data() + index;
    for (auto row = begin; row < end; ++row) {
      to[row] += from[row * stride_];
      from[row * stride_] = 0;
    }
  }

 private:
  AlignedIntegers sums_;  ///< all zeros between trees
  std::int64_t stride_ = 0;
};

/// Memory of a thread for a tile.
struct TileScratch {
  PatternWalk walk;
  std::vector<std::uint32_t const*> planes;
  PositionSums sums;
  PositionSums pair_sums;
  TilePatterns patterns;
  PositionSums of_patterns;  ///< sums that rows of each pattern get from the leaves
};

/// A tree and a tile of rows. Adds the contributions of the tree to the sums of the tile.
class TreeOnTile {
 public:
  TreeOnTile(BackgroundBatches const& batch, std::int64_t tree, KeyTiles const& rows, std::int64_t tile,
             TileScratch* scratch)
      : batch_(batch), tree_(batch.Tree(tree)), rows_(rows), tile_(tile), n_rows_(rows.RowsOf(tile)), own_(*scratch) {}

  /// phi: [n_slots, rows.TileRows()], followed by [n_pairs, rows.TileRows()] if there are pairs; nullptr: none.
  void Add(std::int64_t* phi, std::int64_t* pairs) {
    auto const most = std::int64_t{tree_.program.most_features};
    own_.sums.Prepare(rows_.TileRows(), most);
    if (pairs != nullptr) own_.pair_sums.Prepare(rows_.TileRows(), NumPairs(most));
    PathLeaf const* last = nullptr;
    own_.walk.Run(
        tree_.program, batch_.Categories(), rows_, tile_,
        [&](std::uint32_t number) {
          last = &tree_.program.leaves[number];
          AddLeaf(number, *last, pairs != nullptr);
        },
        [&](std::uint32_t position, std::uint32_t slot) {
          own_.sums.MoveTo(position, 0, n_rows_, phi + slot * rows_.TileRows());
          if (pairs != nullptr) ClosePairs(tree_.program.features.data() + last->first_feature, position, pairs);
        });
  }

 private:
  std::int64_t const* Table(std::uint32_t number) const { return tree_.tables.Data() + tree_.table_begin[number]; }

  void AddLeaf(std::uint32_t number, PathLeaf const& leaf, bool with_pairs) {
    with_pairs &= leaf.n_features > 1;
    auto const form = FormOf(leaf.n_features);
    auto* const sums = own_.sums.Data();
    auto* const pair_sums = own_.pair_sums.Data();
    if (form == LeafForm::kConstant) return;
    if (form == LeafForm::kPairs) {
      own_.walk.Planes(tree_.program, leaf, &own_.planes);
      auto const& direct = tree_.direct[number];
      auto const weights = batch_.Weights();
      AddDirect(direct, own_.planes, n_rows_, weights, sums, own_.sums.Stride());
      if (with_pairs) AddDirectPairs(direct, own_.planes, n_rows_, weights, pair_sums, own_.pair_sums.Stride());
      return;
    }
    auto const* const patterns = own_.walk.Plane(tree_.program, leaf, 0);
    if (leaf.joins_next) return own_.patterns.KeepFirst(patterns, n_rows_);
    auto const has_first = number > 0 && tree_.program.leaves[number - 1].joins_next;
    auto const spreads = SpreadsPairs(leaf.n_features, batch_.Layout());
    if (!has_first && form == LeafForm::kValues) {  // its table has a sum for each pattern
      AddValues({leaf.n_features, Table(number), patterns, n_rows_, sums, own_.sums.Stride()});
      if (!with_pairs) return;
      if (!spreads) {
        own_.patterns.List(patterns, n_rows_);
        return AddPatternPairs(number, has_first, AddPairParts);
      }
      return AddPairValues(
          {leaf.n_features, tree_.PairTable(number), patterns, n_rows_, pair_sums, own_.pair_sums.Stride()});
    }
    if (has_first) {
      own_.patterns.ListBoth(patterns, n_rows_, leaf.n_features, leaf.last_position);
    } else {
      own_.patterns.List(patterns, n_rows_);
    }
    AddPatterns(number, has_first, form == LeafForm::kValues ? AddValues : AddParts);
    if (with_pairs) AddPatternPairs(number, has_first, spreads ? AddPairValues : AddPairParts);
  }

  using AddTableFn = void (*)(TableJob const&);

  /// Adds the values of a leaf, and of the leaf before if `has_first`, to the rows by the listed patterns.
  void AddPatterns(std::uint32_t number, bool has_first, AddTableFn add) {
    auto const n_features = tree_.program.leaves[number].n_features;
    auto const width = TableWidth(n_features);
    std::int64_t* const of_patterns = own_.of_patterns.Clear(own_.patterns.NumPatterns() * width);
    auto const n_patterns = own_.patterns.NumPatterns();
    if (has_first) add({n_features, Table(number - 1), own_.patterns.FirstPatterns(), n_patterns, of_patterns, width});
    add({n_features, Table(number), own_.patterns.Patterns(), n_patterns, of_patterns, width});
    AddValues({n_features, of_patterns, own_.patterns.OfRows(), n_rows_, own_.sums.Data(), own_.sums.Stride()});
  }

  /// Adds the pairs in the same way.
  void AddPatternPairs(std::uint32_t number, bool has_first, AddTableFn add) {
    auto const n_features = tree_.program.leaves[number].n_features;
    auto const width = PairTableWidth(n_features);
    std::int64_t* const of_patterns = own_.of_patterns.Clear(own_.patterns.NumPatterns() * width);
    auto const n_patterns = own_.patterns.NumPatterns();
    if (has_first) {
      add({n_features, tree_.PairTable(number - 1), own_.patterns.FirstPatterns(), n_patterns, of_patterns, width});
    }
    add({n_features, tree_.PairTable(number), own_.patterns.Patterns(), n_patterns, of_patterns, width});
    AddPairValues(
        {n_features, of_patterns, own_.patterns.OfRows(), n_rows_, own_.pair_sums.Data(), own_.pair_sums.Stride()});
  }

  /// Moves the sums of the pairs of a position and each earlier one. features: of a path that has them all. The pairs
  /// of a row are adjacent, so a few rows at a time stay in the first cache.
  void ClosePairs(PathFeature const* features, std::uint32_t position, std::int64_t* pairs) {
    constexpr std::int64_t kRows = 32;
    auto const slot = features[position].Slot();
    for (std::int64_t begin = 0; begin < n_rows_; begin += kRows) {
      auto const end = std::min(n_rows_, begin + kRows);
      for (std::uint32_t earlier = 0; earlier < position; ++earlier) {
        own_.pair_sums.MoveTo(PairNumber(earlier, position), begin, end,
                              pairs + PairNumber(features[earlier].Slot(), slot) * rows_.TileRows());
      }
    }
  }

  BackgroundBatches const& batch_;
  BackgroundTree const& tree_;
  KeyTiles const& rows_;
  std::int64_t tile_;
  std::int64_t n_rows_;
  TileScratch& own_;
};

/// Rows that pass over all trees together, with their sums.
class Part {
 public:
  Part(Context const& ctx, ForestTask const& task, QuadratureGoal goal, std::int64_t begin, std::int64_t end)
      : task_(task),
        goal_(goal),
        begin_(begin),
        keys_(ctx, task.forest, task.rows, begin, end, TileRows(ctx, task.forest, goal, end - begin)),
        n_slots_(task.forest.NumSlots()),
        output_size_(NumSums(task.forest, goal) * keys_.TileRows()),
        tile_size_(task.forest.n_outputs * output_size_),
        phi_(SizeInMemory(std::max(keys_.NumTiles() * tile_size_, keys_.TileRows())), 0) {
  }  // at least one row, even without features

  void Add(Context const& ctx, BackgroundBatches const& batch) {
    ParallelFor(ctx, keys_.NumTiles(), [&](std::int64_t tile) {
      TileScratch scratch;
      for (auto tree = batch.Trees().begin; tree < batch.Trees().end; ++tree) {
        auto* const phi = phi_.data() + tile * tile_size_ + task_.forest.output_of_tree[tree] * output_size_;
        TreeOnTile(batch, tree, keys_, tile, &scratch)
            .Add(phi, goal_.with_pairs ? phi + n_slots_ * keys_.TileRows() : nullptr);
      }
    });
  }

  /// Writes the values, with the means of the batches' trees. out: starts at the first row of the task.
  void Write(Context const& ctx, BackgroundBatches const& batches, Span<float> out) const {
    auto const& forest = task_.forest;
    auto const n_columns = forest.n_features + 1;
    auto const width = goal_.with_pairs ? n_columns * n_columns : n_columns;
    ParallelForBlocks(ctx, keys_.NumRows(), keys_.TileRows(), [&](std::int64_t first, std::int64_t last, std::int64_t) {
      std::vector<double> diagonal(ToSize(n_slots_));
      for (auto index = first * forest.n_outputs; index < last * forest.n_outputs; ++index) {
        auto const row = index / forest.n_outputs;
        auto const output = index % forest.n_outputs;
        auto* const to = out.data() + (begin_ * forest.n_outputs + index) * width;
        std::fill(to, to + width, 0.0F);
        auto const* phi =
            phi_.data() + row / keys_.TileRows() * tile_size_ + row % keys_.TileRows() + output * output_size_;
        auto const range = batches.Ranges()[output];
        auto const unit = range / kUnitsOfOne;
        goal_.with_pairs ? WriteMatrix(phi, unit, diagonal, to) : WriteVector(phi, unit, to);
        to[width - 1] = static_cast<float>(batches.Means()[output] * range + task_.StartOf(begin_ + row, output));
      }
    });
  }

 private:
  static double Value(std::int64_t sum, double unit) { return static_cast<double>(sum) * unit; }

  void WriteVector(std::int64_t const* phi, double unit, float* to) const {
    for (auto const feature : task_.forest.feature_of_slot) {
      to[feature] = static_cast<float>(Value(*phi, unit));
      phi += keys_.TileRows();
    }
  }

  /// diagonal: [n_slots], of any value.
  void WriteMatrix(std::int64_t const* phi, double unit, Span<double> diagonal, float* to) const {
    auto const& features = task_.forest.feature_of_slot;
    auto const width = task_.forest.n_features + 1;
    for (auto& value : diagonal) {
      value = Value(*phi, unit);
      phi += keys_.TileRows();
    }
    auto const adds_up = goal_.semivalue != Semivalue::kTaylorPairs;  // rows add up to the values of features
    for (std::int64_t b = 1; b < n_slots_; ++b) {
      for (std::int64_t a = 0; a < b; ++a, phi += keys_.TileRows()) {
        auto const pair = Value(*phi, unit);
        to[features[a] * width + features[b]] = to[features[b] * width + features[a]] = static_cast<float>(pair);
        if (!adds_up) continue;
        diagonal[a] -= pair;
        diagonal[b] -= pair;
      }
    }
    for (std::int64_t a = 0; a < n_slots_; ++a) to[features[a] * (width + 1)] = static_cast<float>(diagonal[a]);
  }

  ForestTask const& task_;
  QuadratureGoal goal_;
  std::int64_t begin_;
  KeyTiles keys_;
  std::int64_t n_slots_;
  std::int64_t output_size_;
  std::int64_t tile_size_;
  std::vector<std::int64_t> phi_;  ///< [n_tiles, n_outputs, sums by slot and by pair of slots, tile rows]
};

}  // namespace

void InterventionalValues(Context const& ctx, ForestTask const& task, DataView const& background, QuadratureGoal goal,
                          Span<float> out) {
  CheckBackground(background);
  auto const& forest = task.forest;
  KeyTiles const background_keys(ctx, forest, background, 0, background.NumRows(), kPatternRows);
  auto const part_rows = PartRows(forest, goal);
  for (std::int64_t begin = 0; begin < task.rows.NumRows(); begin += part_rows) {
    Part part(ctx, task, goal, begin, std::min(task.rows.NumRows(), begin + part_rows));
    BackgroundBatches batches(forest, background_keys, task.trees, goal, PairLayout::kCompact);
    while (batches.Next(ctx)) part.Add(ctx, batches);
    part.Write(ctx, batches, out);
  }
}

}  // namespace kauri
