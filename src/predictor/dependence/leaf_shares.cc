#include "predictor/dependence/leaf_shares.h"

#include <algorithm>
#include <numeric>

#include "predictor/forest/walk.h"

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

struct Travellers {
  std::uint32_t node;
  std::size_t begin;
  std::size_t end;
};

/// Sends rows to both sides of a split without a branch per row. goes_right(row of the tile): the side that the row
/// satisfies. left, right (out): as long as the rows; returns the lengths used.
template <bool kPairs, typename GoesRightFn>
std::pair<std::size_t, std::size_t> SendBothWays(Span<Traveller const> rows, Traveller place, GoesRightFn&& goes_right,
                                                 Traveller* left, Traveller* right) {
  std::size_t n_left = 0;
  std::size_t n_right = 0;
  for (auto const row : rows) {
    bool const is_right = goes_right(row & kRowMask);
    bool const is_left = !is_right;
    auto const first = First(row);
    auto const second = Second(row);
    bool const is_known = (first == place) | (second == place);
    auto const marked = row | (place << (first == 0 ? kFirstShift : kSecondShift));
    bool const stays = (place != 0) & (is_known | (first == 0) | (kPairs & (second == 0)));
    auto const missed = is_known ? row : marked;
    left[n_left] = is_right ? missed : row;
    right[n_right] = is_right ? row : missed;
    n_left += static_cast<std::size_t>(is_left | stays);
    n_right += static_cast<std::size_t>(is_right | stays);
  }
  return {n_left, n_right};
}

/// Counts the rows that reach each leaf, by the features that they miss.
class ShareCounter {
 public:
  ShareCounter(Forest const& forest, TreeBoxes const& boxes, bool has_pairs)
      : forest_(forest), boxes_(boxes), has_pairs_(has_pairs) {
    for (auto const& leaf : boxes.leaves) {
      begin_.push_back(begin_.back() + (leaf.n_boxes + std::size_t{1}) * Width(leaf));
    }
    sums_.assign(begin_.back(), 0.0);
  }

  void Add(WeightedRows const& rows, std::int64_t tile) {
    keys_ = rows.keys.Tile(tile);
    tile_rows_ = rows.keys.TileRows();
    weights_ = rows.weights.empty() ? nullptr : rows.weights.data() + tile * tile_rows_;
    auto const n_rows = ToSize(rows.keys.RowsOf(tile));
    arena_.resize(std::max(arena_.size(), n_rows));
    std::iota(arena_.begin(), arena_.begin() + static_cast<std::ptrdiff_t>(n_rows), Traveller{0});
    open_.push_back({0, 0, n_rows});
    while (!open_.empty()) {
      auto const at = open_.back();
      open_.pop_back();
      auto const split = forest_.Node(boxes_.tree, at.node);
      if (split.left == at.node) {
        AddToLeaf(at);
      } else if (at.begin < at.end) {
        Split(at, split);
      }
    }
  }

  LeafShares Finish(double total) const {
    LeafShares shares;
    shares.has_pairs = has_pairs_;
    for (std::size_t number = 0; number < boxes_.leaves.size(); ++number) {
      shares.begin.push_back(shares.values.size());
      auto const& leaf = boxes_.leaves[number];
      auto const* const sums = sums_.data() + begin_[number];
      auto const width = Width(leaf);
      shares.values.push_back(sums[0] / total);
      for (std::size_t a = 1; a <= leaf.n_boxes; ++a) shares.values.push_back((sums[0] + sums[a * width]) / total);
      for (std::size_t a = 1; has_pairs_ && a <= leaf.n_boxes; ++a) {
        for (auto b = a + 1; b <= leaf.n_boxes; ++b) {
          auto const both = sums[a * width + b] + sums[b * width + a];
          shares.values.push_back((sums[0] + sums[a * width] + sums[b * width] + both) / total);
        }
      }
    }
    return shares;
  }

 private:
  /// Returns the sums per first missed feature: one per second missed feature, or one without pairs.
  std::size_t Width(BoxedLeaf const& leaf) const { return has_pairs_ ? std::size_t{leaf.n_boxes} + 1 : 1; }

  /// The rows of the right side lie directly above `at` in the arena, and those of the left side above them. The left
  /// side is done first, so what lies above the rows of an open node is free.
  void Split(Travellers const& at, SplitNode const& split) {
    auto const n_rows = at.end - at.begin;
    arena_.resize(std::max(arena_.size(), at.end + 2 * n_rows));
    Span<Traveller const> const rows(arena_.data() + at.begin, n_rows);
    auto* const right = arena_.data() + at.end;
    auto* const left = right + n_rows;
    Traveller const place = boxes_.split_place[at.node];
    auto const* const keys = keys_ + split.slot * tile_rows_;
    auto const by_threshold = [split, keys](Traveller row) { return GoesRightAtThreshold(split, keys[row]); };
    auto const by_any = [&](Traveller row) { return GoesRight(split, keys[row], forest_.categories); };
    auto const send = [&](auto const& goes_right) {
      return has_pairs_ ? SendBothWays<true>(rows, place, goes_right, left, right)
                        : SendBothWays<false>(rows, place, goes_right, left, right);
    };
    auto const [n_left, n_right] = split.is_categorical ? send(by_any) : send(by_threshold);
    open_.push_back({split.left + 1, at.end, at.end + n_right});
    open_.push_back({split.left, at.end + n_rows, at.end + n_rows + n_left});
  }

  void AddToLeaf(Travellers const& at) {
    auto const number = boxes_.leaf_of_node[at.node];
    auto* const sums = sums_.data() + begin_[number];
    auto const width = Width(boxes_.leaves[number]);
    for (auto i = at.begin; i < at.end; ++i) {
      auto const row = arena_[i];
      auto const weight = weights_ == nullptr ? 1.0 : static_cast<double>(weights_[row & kRowMask]);
      sums[First(row) * width + Second(row)] += weight;
    }
  }

  Forest const& forest_;
  TreeBoxes const& boxes_;
  bool has_pairs_;
  std::vector<std::size_t> begin_{0};  ///< by leaf, index into sums_
  std::vector<double> sums_;           ///< by leaf, [1 + k, Width]: weight by first and second missed feature
  std::vector<Traveller> arena_;
  std::vector<Travellers> open_;
  std::int32_t const* keys_ = nullptr;
  float const* weights_ = nullptr;
  std::int64_t tile_rows_ = 0;
};

/// Returns the share of the background in a box.
double ShareOf(TreeBoxes const& boxes, LeafBox const& box, std::vector<double> const& cell_shares) {
  double share = 0.0;
  for (auto run = box.first_run; run < box.first_run + box.n_runs; ++run) {
    for (auto cell = boxes.runs[run].begin; cell < boxes.runs[run].end; ++cell) share += cell_shares[cell];
  }
  return share;
}

/// Appends the products of all factors, of all but one, and of all but two. Nothing is divided, so factors may be 0.
void AppendProducts(std::vector<double> const& factors, bool has_pairs, std::vector<double>* products) {
  auto const k = factors.size();
  std::vector<double> after(k + 1, 1.0);  // products of the factors from an index on
  for (auto a = k; a > 0; --a) after[a - 1] = factors[a - 1] * after[a];
  std::vector<double> before(k + 1, 1.0);
  for (std::size_t a = 0; a < k; ++a) before[a + 1] = before[a] * factors[a];
  products->push_back(after[0]);
  for (std::size_t a = 0; a < k; ++a) products->push_back(before[a] * after[a + 1]);
  for (std::size_t a = 0; has_pairs && a < k; ++a) {
    auto others = before[a];
    for (auto b = a + 1; b < k; ++b) {
      products->push_back(others * after[b + 1]);
      others *= factors[b];
    }
  }
}

}  // namespace

LeafShares CountShares(Forest const& forest, TreeBoxes const& boxes, WeightedRows const& rows, bool has_pairs) {
  ShareCounter counter(forest, boxes, has_pairs);
  for (std::int64_t tile = 0; tile < rows.keys.NumTiles(); ++tile) counter.Add(rows, tile);
  return counter.Finish(rows.total);
}

LeafShares MultiplyShares(TreeBoxes const& boxes, std::vector<std::vector<double>> const& cell_shares, bool has_pairs) {
  LeafShares shares;
  shares.has_pairs = has_pairs;
  std::vector<double> factors;
  for (auto const& leaf : boxes.leaves) {
    factors.clear();
    for (auto box = leaf.first_box; box < leaf.first_box + leaf.n_boxes; ++box) {
      factors.push_back(ShareOf(boxes, boxes.boxes[box], cell_shares[boxes.boxes[box].slot]));
    }
    shares.begin.push_back(shares.values.size());
    AppendProducts(factors, has_pairs, &shares.values);
  }
  return shares;
}

}  // namespace kauri
