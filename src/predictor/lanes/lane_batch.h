/// \file Trees laid out for the lanes of a device, in batches whose tables of leaves fit into memory.
///
/// The second part has interventional contributions of one row, in a lane of a device: host and device functions
/// (interventional.h).
///
/// Vocabulary. An item is a run of leaves of one tree with at most kMostPlaces distinct features. A place is the number
/// of a feature within the item. The features of a leaf are its merged splits by position (path_program.h), with places
/// instead of slots. A cell is one sum of a row: of a slot, or of a pair of slots that share a path (PathPairs).
///
/// A lane holds the keys of its row by place, and sums by position and by pair of positions, in registers. Consecutive
/// leaves share the features of their first positions. When the next leaf has another feature at a position, the lane
/// adds the position's sums to the row's cells. All sums are integers (interventional_kernel.h), so no bit depends on
/// this order.
///
/// Lower bound, per row and leaf with k features: k times a condition of 16 bytes that all lanes share, a key and about
/// 6 operations; then 8 k bytes at a random place of the leaf's table and k sums, with pairs another k (k - 1) / 2 of
/// both. Per row and split at depth d, with pairs: d cells.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "kauri/host_device.h"
#include "predictor/interventional/background_tree.h"
#include "predictor/interventional/direct_leaf.h"
#include "predictor/interventional/interventional_kernel.h"
#include "predictor/lanes/path_pairs.h"
#include "predictor/paths/path_steps.h"

namespace kauri {

/// Maximum number of places of an item. Leaves with more features are refused. A pattern is a word with this number of
/// bits.
constexpr std::uint32_t kMostPlaces = 64;

struct LaneLeaf {
  std::int64_t begin;       ///< start of its table; kPairs: of its patterns
  std::int64_t pair_begin;  ///< start of its table of pairs
  std::int64_t first_pair;  ///< the cell of a pair of positions is pair_cells[first_pair + PairNumber]
  std::uint32_t first_feature;
  std::uint32_t n_features;
  LeafForm form;
  std::uint32_t n_patterns;  ///< kPairs
  std::uint32_t n_open;      ///< its first positions, which the next leaf of the item has too
};

struct LaneItem {
  std::uint32_t leaf_begin;
  std::uint32_t leaf_end;
  std::uint32_t first_place;  ///< index into slot_of_place
  std::uint32_t n_places;
  std::int32_t output;
};

/// A pattern of the background: the features that it does not satisfy, their number, and the weight of its rows.
struct LanePattern {
  std::uint64_t missed;
  double weight;
  std::uint32_t n_missed;
};

/// Not owning.
struct LaneLeaves {
  LaneItem const* items;
  LaneLeaf const* leaves;
  PathFeature const* features;
  std::uint32_t const* slot_of_place;
  std::int32_t const* pair_cells;
  std::int64_t const* tables;
  std::int64_t const* pair_tables;  ///< unused without pairs
  LanePattern const* patterns;
  DirectWeights weights;  ///< for the longest path, if there are patterns
  CategoryConditionsView categories;
  std::int64_t n_slots;
};

/// Two numbers of a table, loaded at once. Tables begin at multiples of 8 numbers.
struct alignas(16) TwoUnits {
  std::int64_t first;
  std::int64_t second;
};

/// Calls fn with each constant, so that arrays indexed by them can be registers.
template <std::uint32_t... kValues, typename Fn>
KAURI_HD void ForEachConstant(std::integer_sequence<std::uint32_t, kValues...>, Fn&& fn) {
  (fn(std::integral_constant<std::uint32_t, kValues>{}), ...);
}

/// Adds the contributions of an item's leaves to a row's cells. Lane provides Key(place), Add(cell, units) and
/// CountBits(word). kWidth: 4, 6, 8 or kMostPartFeatures, at least the features of any leaf with a table.
template <typename Lane, std::uint32_t kWidth, bool kPairs>
class LeafLane {
 public:
  KAURI_HD LeafLane(LaneLeaves const& all, LaneItem const& item, Lane* lane)
      : all_(all),
        slots_(all.slot_of_place + item.first_place),
        first_cell_(item.output * all.n_slots),
        lane_(*lane),
        sums_{},
        pairs_{} {}

  KAURI_HD void AddLeaf(LaneLeaf const& leaf) {
    features_ = all_.features + leaf.first_feature;
    n_features_ = leaf.n_features;
    pair_cells_ = all_.pair_cells + leaf.first_pair;
    auto const pattern = Pattern();
    if (leaf.form == LeafForm::kValues) {
      AddValues(leaf, pattern);
    } else if (leaf.form == LeafForm::kParts) {
      if constexpr (kWidth > kMostValueFeatures) AddParts(leaf, pattern);
    } else {
      AddPatterns(leaf, pattern);
    }
    Close(leaf.n_open);
  }

 private:
  using Positions = std::make_integer_sequence<std::uint32_t, kWidth>;
  static constexpr std::uint32_t kWidthOfValues = kWidth < kMostValueFeatures ? kWidth : kMostValueFeatures;
  static constexpr std::uint32_t kNumPairs = kPairs ? static_cast<std::uint32_t>(NumPairs(kWidth)) : 0;

  KAURI_HD std::int64_t Cell(std::uint32_t position) const { return first_cell_ + slots_[features_[position].Slot()]; }

  KAURI_HD std::uint64_t Pattern() const {
    std::uint64_t pattern = 0;
    for (std::uint32_t position = 0; position < n_features_; ++position) {
      auto const feature = features_[position];
      auto const follows = Follows(feature, lane_.Key(feature.Slot()), all_.categories);
      pattern |= static_cast<std::uint64_t>(follows) << position;
    }
    return pattern;
  }

  /// Adds `size` numbers to sums, two at a time: a table has zeros after its last number.
  template <std::uint32_t kMost, typename Sums>
  KAURI_HD static void AddRow(std::int64_t const* row, std::uint32_t size, Sums& sums) {
    auto const* twos = reinterpret_cast<TwoUnits const*>(row);
    ForEachConstant(std::make_integer_sequence<std::uint32_t, (kMost + 1) / 2>{}, [&](auto two) {
      if (2 * two >= size) return;
      auto const units = twos[two];
      sums[2 * two] += units.first;
      sums[2 * two + 1] += units.second;
    });
  }

  KAURI_HD void AddValues(LaneLeaf const& leaf, std::uint64_t pattern) {
    auto const index = static_cast<std::int64_t>(pattern);
    AddRow<kWidthOfValues>(all_.tables + leaf.begin + TableWidth(n_features_) * index, n_features_, sums_);
    if constexpr (kPairs) {
      auto const n_pairs = static_cast<std::uint32_t>(NumPairs(n_features_));
      auto const* row = all_.pair_tables + leaf.pair_begin + PairTableWidth(n_features_) * index;
      AddRow<static_cast<std::uint32_t>(NumPairs(kWidthOfValues))>(row, n_pairs, pairs_);
    }
  }

  KAURI_HD void AddParts(LaneLeaf const& leaf, std::uint64_t pattern) {
    auto const n_patterns = std::int64_t{1} << n_features_;
    auto const* table = all_.tables + leaf.begin;
    auto const own = table[pattern];
    ForEachConstant(Positions{}, [&](auto position) {
      if (position >= n_features_) return;
      sums_[position] += own - table[n_patterns + static_cast<std::int64_t>(Without(pattern, position))];
    });
    if constexpr (kPairs) AddPairParts(all_.pair_tables + leaf.pair_begin, pattern);
  }

  KAURI_HD void AddPairParts(std::int64_t const* table, std::uint64_t pattern) {
    auto const* without_one = table + (std::int64_t{1} << n_features_);
    auto const* without_both = without_one + (std::int64_t{1} << n_features_);
    auto const whole = table[pattern];
    ForEachConstant(Positions{}, [&](auto b) {
      if (b >= n_features_) return;
      auto const rest = Without(pattern, b);
      auto const own = whole - without_one[rest];
      ForEachConstant(std::make_integer_sequence<std::uint32_t, decltype(b)::value>{}, [&](auto a) {
        constexpr auto kNumber = PairNumber(decltype(a)::value, decltype(b)::value);
        pairs_[kNumber] += own - (without_one[Without(pattern, a)] - without_both[Without(rest, a)]);
      });
    });
  }
  KAURI_HD static std::uint64_t Without(std::uint64_t pattern, std::uint32_t position) {
    return pattern & ~(std::uint64_t{1} << position);
  }

  /// Adds the sums of positions from n_open on to the row's cells.
  KAURI_HD void Close(std::uint32_t n_open) {
    ForEachConstant(Positions{}, [&](auto b) {
      if (b < n_open || b >= n_features_) return;
      lane_.Add(Cell(b), sums_[b]);
      sums_[b] = 0;
      if constexpr (kPairs) {
        ForEachConstant(std::make_integer_sequence<std::uint32_t, decltype(b)::value>{}, [&](auto a) {
          constexpr auto kNumber = PairNumber(decltype(a)::value, decltype(b)::value);
          lane_.Add(pair_cells_[kNumber], pairs_[kNumber]);
          pairs_[kNumber] = 0;
        });
      }
    });
  }

  /// Pairs the row with the patterns of the background, one by one, as AddDirect and AddDirectPairs do.
  KAURI_HD void AddPatterns(LaneLeaf const& leaf, std::uint64_t pattern) {
    auto const missed = ~pattern & (~std::uint64_t{0} >> (kMostPlaces - n_features_));
    auto const b = Lane::CountBits(missed);
    auto const& weights = all_.weights;
    std::int64_t sums[kMostPlaces];
    for (std::uint32_t position = 0; position < n_features_; ++position) sums[position] = 0;
    std::int64_t of_missed = 0;
    std::int64_t of_missed_pair = 0;
    auto const* background = all_.patterns + leaf.begin;
    for (std::uint32_t p = 0; p < leaf.n_patterns; ++p) {
      auto const other = background[p];
      if ((other.missed & missed) != 0) continue;
      auto const a = other.n_missed;
      if (b > 0) of_missed += weights.Units(other.weight * weights.OfBackground(a, b));
      if (a > 0) {
        auto const units = weights.Units(other.weight * weights.OfRow(a, b));
        ForEachBit(other.missed, [&](std::uint32_t position) { sums[position] += units; });
      }
      if constexpr (kPairs) {
        if (b > 1) of_missed_pair += weights.Units(other.weight * weights.HalfPair(a, b - 2));
        if (a > 1) AddAmong(other.missed, weights.Units(other.weight * weights.HalfPair(a - 2, b)));
        if (a > 0 && b > 0) {
          AddBetween(other.missed, missed, -weights.Units(other.weight * weights.HalfPair(a - 1, b - 1)));
        }
      }
    }
    ForEachBit(missed, [&](std::uint32_t position) { sums[position] -= of_missed; });
    for (std::uint32_t position = 0; position < n_features_; ++position) lane_.Add(Cell(position), sums[position]);
    if constexpr (kPairs) AddAmong(missed, of_missed_pair);
  }

  KAURI_HD void AddAmong(std::uint64_t features, std::int64_t units) {
    ForEachBit(features, [&](std::uint32_t b) {
      ForEachBit(features & ((std::uint64_t{1} << b) - 1), [&](std::uint32_t a) { AddPair(a, b, units); });
    });
  }
  KAURI_HD void AddBetween(std::uint64_t features, std::uint64_t others, std::int64_t units) {
    ForEachBit(features, [&](std::uint32_t a) { ForEachBit(others, [&](std::uint32_t b) { AddPair(a, b, units); }); });
  }
  KAURI_HD void AddPair(std::uint32_t a, std::uint32_t b, std::int64_t units) {
    lane_.Add(pair_cells_[PairNumber(a, b)], units);
  }
  template <typename Fn>
  KAURI_HD static void ForEachBit(std::uint64_t bits, Fn&& fn) {
    for (; bits != 0; bits &= bits - 1) {
      auto const lower = (bits & (~bits + 1)) - 1;
      fn(Lane::CountBits(lower));
    }
  }

  LaneLeaves const& all_;
  std::uint32_t const* slots_;  ///< by place
  std::int64_t first_cell_;
  Lane& lane_;
  std::int64_t sums_[kWidth];
  std::int64_t pairs_[(kNumPairs + 2) / 2 * 2];  ///< one more, as AddRow adds two at a time
  PathFeature const* features_ = nullptr;
  std::uint32_t n_features_ = 0;
  std::int32_t const* pair_cells_ = nullptr;
};

/// Consecutive leaves of a tree and their tables. Leaves without features are left out.
struct LaneTree {
  std::int64_t tree;  ///< number within the forest
  std::uint32_t leaf_begin;
  std::uint32_t leaf_end;
  std::int64_t table_begin;
  std::int64_t table_end;
  std::int64_t pair_begin;  ///< tables of pairs
  std::int64_t pair_end;
};

/// Inputs of a leaf's table besides its features.
struct LeafSource {
  double value;
  std::uint32_t first_place;  ///< first place of the leaf's item, index into slot_of_place
};

struct LaneBatch {
  std::vector<LaneItem> items;
  std::vector<LaneLeaf> leaves;
  std::vector<LeafSource> sources;  ///< by leaf
  std::vector<PathFeature> features;
  std::vector<std::uint32_t> slot_of_place;
  std::vector<std::int32_t> pair_cells;
  std::vector<LanePattern> patterns;
  std::vector<LaneTree> trees;  ///< a tree has at most one entry
  std::int64_t table_size = 0;  ///< numbers of all tables; the batch does not hold the tables
  std::int64_t pair_table_size = 0;
  std::uint32_t most_features = 0;  ///< maximum over the leaves with tables
  std::uint32_t most_places = 0;    ///< maximum over the items
};

class LaneBatchMaker {
 public:
  /// A batch is full after the item that brings its tables to `most_numbers`. pairs: of the trees; nullptr: none are
  /// wanted. Forest and pairs must outlive this.
  LaneBatchMaker(Forest const& forest, PathPairs const* pairs, std::int64_t most_numbers);

  /// Adds a tree of the forest. direct: by leaf, used for leaves of LeafForm::kPairs; empty: their patterns are not
  /// known yet. \throws Error(kParameter) for a path of more than kMostPlaces features.
  void AddTree(std::int64_t tree, PathProgram const& program, std::vector<DirectLeaf> const& direct);

  /// Returns the full batches, in order, and forgets them.
  std::vector<LaneBatch> TakeFull();
  /// Returns the last batch, which follows the full ones.
  LaneBatch TakeLast();

 private:
  void BeginItem();
  void EndItem();
  void BeginTree();
  void EndTree();
  void CheckLength(PathLeaf const& leaf) const;
  bool IsFull(PathFeature const* features, std::uint32_t n_features) const;
  void AddFeatures(PathFeature const* features, std::uint32_t n_features);
  void AddLeaf(PathLeaf const& leaf);
  void CloseLeaf(std::uint32_t n_open);
  void AddPatterns(DirectLeaf const& direct);

  Forest const& forest_;
  PathPairs const* pairs_;
  std::int64_t most_numbers_;
  std::vector<std::uint32_t> place_of_slot_;  ///< in the current item
  LaneItem item_{};
  LaneTree tree_{};
  LaneBatch batch_;
  std::vector<LaneBatch> full_;
};

/// Makes a single batch. \throws like AddTree.
LaneBatch MakeLaneBatch(Forest const& forest, BackgroundBatches const& batch, PathPairs const* pairs = nullptr);

}  // namespace kauri
