/// \file Trees laid out for the lanes of a device, in batches whose tables of leaves fit into memory.
///
/// The second part has interventional contributions of one row, in a lane of a device: host and device functions
/// (interventional.h).
///
/// Vocabulary. An item is a run of leaves of one tree with at most kMostPlaces distinct features. A place is the number
/// of a feature within the item. A lane holds a key and a sum for each place, and adds the sums to the row's sums after
/// the item's leaves. The features of a leaf are its merged splits by position, with places instead of slots.
///
/// Lower bound, per row and leaf with k features: k times a condition of 16 bytes that all lanes share, a key and about
/// 6 operations; then 8 k bytes at a random place of the leaf's table, k conversions and k sums of 8 bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/host_device.h"
#include "predictor/interventional/background_tree.h"
#include "predictor/interventional/interventional_kernel.h"
#include "predictor/paths/path_steps.h"

namespace kauri {

/// Maximum number of places of an item. Leaves with more features are refused. A pattern is a word with this number of
/// bits.
constexpr std::uint32_t kMostPlaces = 64;

struct LaneLeaf {
  std::int64_t begin;  ///< start of its table; kPairs: of its patterns
  std::uint32_t first_feature;
  std::uint32_t n_features;
  LeafForm form;
  std::uint32_t n_patterns;  ///< kPairs
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
  double const* tables;
  LanePattern const* patterns;
  double const* weights;  ///< ShapleyWeights::All
  std::uint32_t weights_size;
  CategoryConditionsView categories;
};

/// Adds the contributions of leaves. Lane provides Key(place), Add(place, value), which determines the type of the
/// sums, and CountBits(word).
template <typename Lane>
class LeafLane {
 public:
  KAURI_HD LeafLane(LaneLeaves const& all, Lane* lane) : all_(all), lane_(*lane) {}

  KAURI_HD void AddLeaf(LaneLeaf const& leaf) {
    features_ = all_.features + leaf.first_feature;
    auto const pattern = Pattern(leaf.n_features);
    auto const* table = all_.tables + leaf.begin;
    if (leaf.form == LeafForm::kValues)
      return AddValues(leaf, table + TableWidth(leaf.n_features) * PatternIndex(pattern));
    if (leaf.form == LeafForm::kParts) return AddParts(leaf, table, pattern);
    AddPairs(leaf, pattern);
  }

 private:
  KAURI_HD static std::int64_t PatternIndex(std::uint64_t pattern) { return static_cast<std::int64_t>(pattern); }
  KAURI_HD std::uint32_t Place(std::uint32_t position) const { return features_[position].Slot(); }

  KAURI_HD std::uint64_t Pattern(std::uint32_t n_features) const {
    std::uint64_t pattern = 0;
    for (std::uint32_t position = 0; position < n_features; ++position) {
      auto const feature = features_[position];
      auto const follows = Follows(feature, lane_.Key(feature.Slot()), all_.categories);
      pattern |= static_cast<std::uint64_t>(follows) << position;
    }
    return pattern;
  }

  KAURI_HD void AddValues(LaneLeaf const& leaf, double const* values) {
    for (std::uint32_t position = 0; position < leaf.n_features; ++position) {
      lane_.Add(Place(position), values[position]);
    }
  }

  KAURI_HD void AddParts(LaneLeaf const& leaf, double const* table, std::uint64_t pattern) {
    auto const own = table[pattern];
    auto const* without = table + (std::int64_t{1} << leaf.n_features);
    for (std::uint32_t position = 0; position < leaf.n_features; ++position) {
      lane_.Add(Place(position), own - without[pattern & ~(std::uint64_t{1} << position)]);
    }
  }

  KAURI_HD void AddPairs(LaneLeaf const& leaf, std::uint64_t pattern) {
    auto const missed = ~pattern & (~std::uint64_t{0} >> (kMostPlaces - leaf.n_features));
    auto const b = Lane::CountBits(missed);
    double of_missed = 0.0;
    auto const* background = all_.patterns + leaf.begin;
    for (std::uint32_t p = 0; p < leaf.n_patterns; ++p) {
      auto const other = background[p];
      if ((other.missed & missed) != 0) continue;
      auto const a = other.n_missed;
      if (b > 0) of_missed += other.weight * Weight(b, a);
      if (a > 0) AddToBits(other.missed, other.weight * Weight(a, b));
    }
    AddToBits(missed, -of_missed);
  }

  KAURI_HD double Weight(std::uint32_t k, std::uint32_t l) const { return all_.weights[k * all_.weights_size + l]; }
  KAURI_HD void AddToBits(std::uint64_t bits, double value) {
    for (; bits != 0; bits &= bits - 1) {
      auto const lower = (bits & (~bits + 1)) - 1;
      lane_.Add(Place(Lane::CountBits(lower)), value);
    }
  }

  LaneLeaves const& all_;
  Lane& lane_;
  PathFeature const* features_ = nullptr;
};

/// Consecutive leaves of a tree and their tables. Leaves without features are left out.
struct LaneTree {
  std::int64_t tree;  ///< number within the forest
  std::uint32_t leaf_begin;
  std::uint32_t leaf_end;
  std::int64_t table_begin;  ///< in doubles
  std::int64_t table_end;
};

/// Inputs of a leaf's table besides its features.
struct LeafSource {
  float value;
  std::uint32_t first_place;  ///< first place of the leaf's item, index into slot_of_place
};

struct LaneBatch {
  std::vector<LaneItem> items;
  std::vector<LaneLeaf> leaves;
  std::vector<LeafSource> sources;  ///< by leaf
  std::vector<PathFeature> features;
  std::vector<std::uint32_t> slot_of_place;
  std::vector<LanePattern> patterns;
  std::vector<LaneTree> trees;    ///< a tree has at most one entry
  std::int64_t table_size = 0;    ///< doubles of all tables; the batch does not hold the tables
  std::uint32_t most_places = 0;  ///< maximum over the items
};

class LaneBatchMaker {
 public:
  /// A batch is full after the item that brings its tables to `most_doubles`. The forest must outlive this.
  LaneBatchMaker(Forest const& forest, std::int64_t most_doubles);

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
  void AddPatterns(DirectLeaf const& direct);

  Forest const& forest_;
  std::int64_t most_doubles_;
  std::vector<std::uint32_t> place_of_slot_;  ///< in the current item
  LaneItem item_{};
  LaneTree tree_{};
  LaneBatch batch_;
  std::vector<LaneBatch> full_;
};

/// Makes a single batch. \throws like AddTree.
LaneBatch MakeLaneBatch(Forest const& forest, BackgroundBatches const& batch);

}  // namespace kauri
