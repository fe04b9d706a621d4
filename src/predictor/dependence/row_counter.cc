/// CountLeaves on the host: rows go down the tree in tiles. A row takes both sides of a split, and is dropped where it
/// misses the splits of a third feature (without pairs: of a second one; with splits on a feature that is not kept: at
/// once). It remembers the features that it misses. So a leaf of depth d is reached by the share of
/// 1 + d + d (d - 1) / 2 in 2^d of the rows, and a tree of depth 6 costs 41 visits per row, 21 without pairs.
#include "predictor/dependence/row_counter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>

#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "predictor/forest/walk.h"
#include "predictor/interventional/path_program.h"

namespace kauri {
namespace {

// A row on its way down: row of the tile | 1 + place of the first feature that it misses << 16 | the same of the second
// feature << 40. 0 stands for no feature.
using Traveller = std::uint64_t;
constexpr unsigned kFirstShift = 16;
constexpr unsigned kSecondShift = 40;
constexpr Traveller kRowMask = (Traveller{1} << kFirstShift) - 1;
constexpr Traveller kPlaceMask = (Traveller{1} << 24U) - 1;
static_assert(kPatternRows <= static_cast<std::int64_t>(kRowMask) + 1);

Traveller First(Traveller row) { return (row >> kFirstShift) & kPlaceMask; }
Traveller Second(Traveller row) { return row >> kSecondShift; }

/// Rows are in lists by the number of features that they miss.
constexpr std::size_t kLists = 3;

/// The rows at a node, as parts of the three arenas.
struct Travellers {
  std::uint32_t node;
  std::array<std::size_t, kLists> begin;
  std::array<std::size_t, kLists> end;

  std::size_t Size(std::size_t list) const { return end[list] - begin[list]; }
};

/// Room for the rows of one side of a split, and the number of rows that are there.
struct Side {
  std::array<Traveller*, kLists> rows;
  std::array<std::size_t, kLists> size;
};

// The functions below send a list of rows to both sides of a split, without a branch per row: each row is written to
// every place where it may belong, and only lengths depend on the row. goes_right(row): the side that the row
// satisfies. place: of the split's feature.

/// Sends rows that miss no feature: each reaches the side that it does not satisfy as well, where it misses `place`.
template <typename GoesRightFn>
void SendFree(Span<Traveller const> rows, Traveller place, GoesRightFn const& goes_right, Side* left, Side* right) {
  std::size_t n_right = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto const row = rows[i];
    auto const missed = row | (place << kFirstShift);
    right->rows[0][n_right] = row;
    left->rows[1][n_right] = missed;
    left->rows[0][i - n_right] = row;
    right->rows[1][i - n_right] = missed;
    n_right += static_cast<std::size_t>(goes_right(row));
  }
  left->size = {rows.size() - n_right, n_right, 0};
  right->size = {n_right, rows.size() - n_right, 0};
}

/// Sends rows that miss one feature. With pairs, they miss `place` too on the side that they do not satisfy.
template <bool kPairs, typename GoesRightFn>
void SendMissingOne(Span<Traveller const> rows, Traveller place, GoesRightFn const& goes_right, Side* left,
                    Side* right) {
  auto* const to_left = left->rows[1] + left->size[1];
  auto* const to_right = right->rows[1] + right->size[1];
  std::size_t n_left = 0;
  std::size_t n_right = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto const row = rows[i];
    bool const is_right = goes_right(row);
    bool const is_left = !is_right;
    bool const is_known = First(row) == place;
    to_left[n_left] = row;
    to_right[n_right] = row;
    if constexpr (kPairs) {
      auto const missed = row | (place << kSecondShift);
      left->rows[2][i - n_left] = missed;
      right->rows[2][i - n_right] = missed;
    }
    n_left += static_cast<std::size_t>(is_left | is_known);
    n_right += static_cast<std::size_t>(is_right | is_known);
  }
  left->size[1] += n_left;
  right->size[1] += n_right;
  if (!kPairs) return;
  left->size[2] = rows.size() - n_left;
  right->size[2] = rows.size() - n_right;
}

/// Sends rows that can miss no other feature, to list `list` of the sides.
template <typename GoesRightFn>
void SendFull(Span<Traveller const> rows, Traveller place, GoesRightFn const& goes_right, std::size_t list, Side* left,
              Side* right) {
  auto* const to_left = left->rows[list] + left->size[list];
  auto* const to_right = right->rows[list] + right->size[list];
  std::size_t n_left = 0;
  std::size_t n_right = 0;
  for (auto const row : rows) {
    bool const is_right = goes_right(row);
    bool const is_left = !is_right;
    bool const is_first = First(row) == place;
    bool const is_second = Second(row) == place;
    bool const is_known = (place != 0) & (is_first | is_second);
    to_left[n_left] = row;
    to_right[n_right] = row;
    n_left += static_cast<std::size_t>(is_left | is_known);
    n_right += static_cast<std::size_t>(is_right | is_known);
  }
  left->size[list] += n_left;
  right->size[list] += n_right;
}

/// Counts the rows that reach each leaf, by the features that they miss.
class LeafRowCounter {
 public:
  LeafRowCounter(Forest const& forest, TreeBoxes const& boxes, bool has_pairs)
      : forest_(forest), boxes_(boxes), has_pairs_(has_pairs) {
    for (auto const& leaf : boxes.leaves) {
      begin_.push_back(begin_.back() + (leaf.n_boxes + std::size_t{1}) * Width(leaf));
    }
    sums_.assign(begin_.back(), 0);
  }

  /// weights: of all rows, or empty.
  void Add(KeyTiles const& keys, Span<std::int64_t const> weights, std::int64_t tile) {
    keys_ = keys.Tile(tile);
    tile_rows_ = keys.TileRows();
    weights_ = weights.empty() ? nullptr : weights.data() + tile * tile_rows_;
    auto const n_rows = ToSize(keys.RowsOf(tile));
    arenas_[0].resize(std::max(arenas_[0].size(), n_rows));
    std::iota(arenas_[0].begin(), arenas_[0].begin() + static_cast<std::ptrdiff_t>(n_rows), Traveller{0});
    open_.push_back({0, {0, 0, 0}, {n_rows, 0, 0}});
    while (!open_.empty()) {
      auto const at = open_.back();
      open_.pop_back();
      auto const split = forest_.Node(boxes_.tree, at.node);
      if (split.left == at.node) {
        AddToLeaf(at);
      } else if (at.Size(0) + at.Size(1) + at.Size(2) > 0) {
        Split(at, split);
      }
    }
  }

  /// Writes the counts of all leaves, one after the other.
  void Finish(std::int64_t* counts) const {
    for (std::size_t number = 0; number < boxes_.leaves.size(); ++number) {
      auto const& leaf = boxes_.leaves[number];
      auto const* const sums = sums_.data() + begin_[number];
      auto const width = Width(leaf);
      *counts++ = sums[0];
      for (std::size_t a = 1; a <= leaf.n_boxes; ++a) *counts++ = sums[a * width];
      for (std::size_t a = 1; has_pairs_ && a <= leaf.n_boxes; ++a) {
        for (auto b = a + 1; b <= leaf.n_boxes; ++b) *counts++ = sums[a * width + b] + sums[b * width + a];
      }
    }
  }

 private:
  /// Returns the sums per first missed feature: one per second missed feature, or one without pairs.
  std::size_t Width(BoxedLeaf const& leaf) const { return has_pairs_ ? std::size_t{leaf.n_boxes} + 1 : 1; }

  /// The rows of the right side lie directly above those of `at` in each arena, and the rows of the left side above
  /// them. The left side is done first, so what lies above the rows of an open node is free.
  void Split(Travellers const& at, SplitNode const& split) {
    std::array<std::size_t, kLists> room{};
    Side left{};
    Side right{};
    for (std::size_t list = 0; list < kLists; ++list) {
      room[list] = at.Size(list) + (list > 0 ? at.Size(list - 1) : 0);
      auto& arena = arenas_[list];
      arena.resize(std::max(arena.size(), at.end[list] + 2 * room[list]));
      right.rows[list] = arena.data() + at.end[list];
      left.rows[list] = right.rows[list] + room[list];
    }
    auto const* const keys = keys_ + split.slot * tile_rows_;
    if (split.is_categorical) {
      Send(
          at, [&](Traveller row) { return GoesRight(split, keys[row & kRowMask], forest_.categories); }, &left, &right);
    } else {
      Send(
          at, [split, keys](Traveller row) { return GoesRightAtThreshold(split, keys[row & kRowMask]); }, &left,
          &right);
    }
    Travellers to_left{split.left, at.end, at.end};
    Travellers to_right{split.left + 1, at.end, at.end};
    for (std::size_t list = 0; list < kLists; ++list) {
      to_right.end[list] += right.size[list];
      to_left.begin[list] += room[list];
      to_left.end[list] += room[list] + left.size[list];
    }
    open_.push_back(to_right);
    open_.push_back(to_left);
  }

  template <typename GoesRightFn>
  void Send(Travellers const& at, GoesRightFn const& goes_right, Side* left, Side* right) const {
    Traveller const place = boxes_.split_place[at.node];
    auto const rows = [&](std::size_t list) {
      return Span<Traveller const>(arenas_[list].data() + at.begin[list], at.Size(list));
    };
    if (place == 0) {
      for (std::size_t list = 0; list < kLists; ++list) SendFull(rows(list), place, goes_right, list, left, right);
      return;
    }
    SendFree(rows(0), place, goes_right, left, right);
    if (has_pairs_) {
      SendMissingOne<true>(rows(1), place, goes_right, left, right);
      SendFull(rows(2), place, goes_right, 2, left, right);
    } else {
      SendMissingOne<false>(rows(1), place, goes_right, left, right);
    }
  }

  void AddToLeaf(Travellers const& at) {
    auto const number = boxes_.leaf_of_node[at.node];
    auto* const sums = sums_.data() + begin_[number];
    auto const width = Width(boxes_.leaves[number]);
    if (weights_ == nullptr) sums[0] += static_cast<std::int64_t>(at.Size(0));
    for (std::size_t list = weights_ == nullptr ? 1 : 0; list < kLists; ++list) {
      for (auto i = at.begin[list]; i < at.end[list]; ++i) {
        auto const row = arenas_[list][i];
        auto const weight = weights_ == nullptr ? 1 : weights_[row & kRowMask];
        sums[First(row) * width + Second(row)] += weight;
      }
    }
  }

  Forest const& forest_;
  TreeBoxes const& boxes_;
  bool has_pairs_;
  std::vector<std::size_t> begin_{0};  ///< by leaf, index into sums_
  std::vector<std::int64_t> sums_;     ///< by leaf, [1 + k, Width]: weight by first and second missed feature
  std::array<std::vector<Traveller>, kLists> arenas_;
  std::vector<Travellers> open_;
  std::int32_t const* keys_ = nullptr;
  std::int64_t const* weights_ = nullptr;
  std::int64_t tile_rows_ = 0;
};

/// Rows whose cells are counted together.
constexpr std::int64_t kCellRows = 256;
/// Blocks of them whose counts a thread adds to the others' at once.
constexpr std::int64_t kCellBlocks = 64;

/// Returns where the cells of each slot begin, and the end.
std::vector<std::size_t> CellsBegin(std::vector<Axis> const& axes) {
  std::vector<std::size_t> begin{0};
  for (auto const& axis : axes) begin.push_back(begin.back() + ToSize(axis.NumCells()));
  return begin;
}

class HostRowCounter : public RowCounter {
 public:
  explicit HostRowCounter(WeighedRows const& rows) : rows_(rows) {}

  std::vector<std::int64_t> CountLeaves(Context const& ctx, TreesToCount const& trees) override {
    if (!keys_) keys_.emplace(ctx, rows_.forest, rows_.rows, 0, rows_.rows.NumRows(), kPatternRows);
    auto const begin = trees.CountsBegin();
    std::vector<std::int64_t> counts(ToSize(begin.back()));
    ParallelFor(ctx, static_cast<std::int64_t>(trees.trees.size()), [&](std::int64_t t) {
      LeafRowCounter counter(rows_.forest, *trees.trees[t], trees.has_pairs);
      for (std::int64_t tile = 0; tile < keys_->NumTiles(); ++tile) counter.Add(*keys_, rows_.weights, tile);
      counter.Finish(counts.data() + begin[t]);
    });
    return counts;
  }

  std::vector<std::int64_t> CountCells(Context const& ctx, std::vector<Axis> const& axes) override {
    auto const begin = CellsBegin(axes);
    std::vector<std::int64_t> counts(begin.back());
    std::mutex mutex;
    ParallelForBlocks(ctx, rows_.rows.NumRows(), kCellRows * kCellBlocks, [&](auto first, auto last, auto) {
      std::vector<std::int64_t> own(begin.back());
      std::vector<std::int32_t> cells(SizeInMemory(kCellRows * rows_.forest.NumSlots()));
      for (auto row = first; row < last; row += kCellRows) {
        AddCells(axes, begin, row, std::min(last, row + kCellRows), &cells, &own);
      }
      std::lock_guard<std::mutex> const lock(mutex);
      std::transform(own.begin(), own.end(), counts.begin(), counts.begin(), std::plus<>());
    });
    return counts;
  }

  void FindCells(Context const& ctx, std::vector<Axis> const& axes, std::vector<std::int32_t> const& slots,
                 Span<std::int32_t> cells) override {
    auto const n_slots = rows_.forest.NumSlots();
    ParallelForBlocks(ctx, rows_.rows.NumRows(), kCellRows, [&](auto first, auto last, auto) {
      std::vector<std::int32_t> keys(SizeInMemory((last - first) * n_slots));
      ReadKeys(rows_.forest, rows_.rows, first, last, 1, keys.data());  // [last - first, n_slots, 1]
      auto* to = cells.data() + first * static_cast<std::int64_t>(slots.size());
      for (auto row = first; row < last; ++row) {
        auto const* const of_row = keys.data() + (row - first) * n_slots;
        for (auto const slot : slots) *to++ = slot < 0 ? 0 : axes[ToSize(slot)].CellOf(of_row[slot]);
      }
    });
  }

 private:
  /// Adds rows [first, last) to the counts of their cells.
  void AddCells(std::vector<Axis> const& axes, std::vector<std::size_t> const& begin, std::int64_t first,
                std::int64_t last, std::vector<std::int32_t>* keys, std::vector<std::int64_t>* counts) const {
    auto const n_slots = rows_.forest.NumSlots();
    ReadKeys(rows_.forest, rows_.rows, first, last, 1, keys->data());
    for (auto row = first; row < last; ++row) {
      auto const weight = rows_.weights.empty() ? 1 : rows_.weights[ToSize(row)];
      auto const* const of_row = keys->data() + (row - first) * n_slots;
      for (std::int64_t slot = 0; slot < n_slots; ++slot) {
        (*counts)[begin[slot] + ToSize(axes[slot].CellOf(of_row[slot]))] += weight;
      }
    }
  }

  WeighedRows rows_;
  std::optional<KeyTiles> keys_;  ///< from the first call of CountLeaves on
};

}  // namespace

FixedWeights FixWeights(Span<float const> weights, std::int64_t n_rows) {
  FixedWeights fixed{{}, n_rows};
  if (weights.empty()) return fixed;
  auto const sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  int exponent = 0;
  std::frexp(sum, &exponent);  // sum < 2^exponent
  constexpr int kSumBits = 61;
  fixed.total = 0;
  for (auto const weight : weights) {
    fixed.of_row.push_back(std::llround(std::ldexp(static_cast<double>(weight), kSumBits - exponent)));
    fixed.total += fixed.of_row.back();
  }
  return fixed;
}

std::vector<std::int64_t> TreesToCount::CountsBegin() const {
  std::vector<std::int64_t> begin{0};
  for (auto const* const tree : trees) {
    std::int64_t n_counts = 0;
    for (auto const& leaf : tree->leaves) n_counts += NumLeafCounts(leaf.n_boxes, has_pairs);
    begin.push_back(begin.back() + n_counts);
  }
  return begin;
}

std::unique_ptr<RowCounter> MakeHostRowCounter(WeighedRows const& rows) {
  return std::make_unique<HostRowCounter>(rows);
}

}  // namespace kauri
