#include "predictor/lanes/lane_batch.h"

#include <algorithm>

namespace kauri {
namespace {

/// Enough for the keys and sums of a lane to be worth their way, few enough for many items.
constexpr std::uint32_t kMostLeaves = 64;

class LaneBatchMaker {
 public:
  explicit LaneBatchMaker(Forest const& forest)
      : forest_(forest), place_of_slot_(static_cast<std::size_t>(forest.NumSlots()), kNoPlace) {
    batch_.table_begin.assign(1, 0);
  }

  void AddTree(std::int64_t index, BackgroundTree const& tree) {
    auto const output = forest_.output_of_tree[index];
    BeginItem(output);
    for (std::size_t number = 0; number < tree.program.leaves.size(); ++number) {
      auto const& leaf = tree.program.leaves[number];
      if (leaf.n_features == 0) continue;
      CheckLength(leaf, index);
      auto const* features = tree.program.features.data() + leaf.first_feature;
      if (IsFull(features, leaf.n_features)) {
        EndItem();
        BeginItem(output);
      }
      AddFeatures(features, leaf.n_features);
      AddLeaf(leaf, tree.table_begin[number], tree.direct[number]);
    }
    EndItem();
    batch_.table_begin.push_back(batch_.table_begin.back() + tree.table_begin.back());
  }

  LaneBatch Take() { return std::move(batch_); }

 private:
  static constexpr std::uint32_t kNoPlace = 0xFFFFFFFFU;

  void CheckLength(PathLeaf const& leaf, std::int64_t tree) const {
    if (leaf.n_features <= kMostPlaces) return;
    Fail(ErrorKind::kParameter, "interventional contributions on the device hold paths of at most ", kMostPlaces,
         " distinct features; tree ", forest_.trees.begin + forest_.ModelTree(tree), " has one of ", leaf.n_features,
         ". Use device=cpu.");
  }

  void BeginItem(std::int32_t output) { item_ = {Size(batch_.leaves), 0, Size(batch_.slot_of_place), 0, output}; }

  void EndItem() {
    item_.leaf_end = Size(batch_.leaves);
    item_.n_places = Size(batch_.slot_of_place) - item_.first_place;
    for (auto place = item_.first_place; place < Size(batch_.slot_of_place); ++place) {
      place_of_slot_[batch_.slot_of_place[place]] = kNoPlace;
    }
    batch_.most_places = std::max(batch_.most_places, item_.n_places);
    if (item_.leaf_end > item_.leaf_begin) batch_.items.push_back(item_);
  }

  bool IsFull(PathFeature const* features, std::uint32_t n_features) const {
    auto const n_leaves = Size(batch_.leaves) - item_.leaf_begin;
    auto const n_new = std::count_if(features, features + n_features, [&](PathFeature const& feature) {
      return place_of_slot_[feature.Slot()] == kNoPlace;
    });
    auto const n_places = Size(batch_.slot_of_place) - item_.first_place + static_cast<std::uint32_t>(n_new);
    return n_leaves == kMostLeaves || n_places > kMostPlaces;
  }

  void AddFeatures(PathFeature const* features, std::uint32_t n_features) {
    for (std::uint32_t i = 0; i < n_features; ++i) {
      auto feature = features[i];
      auto& place = place_of_slot_[feature.Slot()];
      if (place == kNoPlace) {
        place = Size(batch_.slot_of_place) - item_.first_place;
        batch_.slot_of_place.push_back(feature.Slot());
      }
      feature.slot_flags = (place << 2U) | (feature.slot_flags & 3U);
      batch_.features.push_back(feature);
    }
  }

  void AddLeaf(PathLeaf const& leaf, std::int64_t table, DirectLeaf const& direct) {
    LaneLeaf lane{batch_.table_begin.back() + table, Size(batch_.features) - leaf.n_features, leaf.n_features,
                  FormOf(leaf.n_features), 0};
    if (lane.form == LeafForm::kPairs) {
      lane.begin = static_cast<std::int64_t>(batch_.patterns.size());
      lane.n_patterns = Size(direct.weight);
      auto const n_planes = NumPlanes(leaf.n_features);
      for (std::size_t p = 0; p < direct.weight.size(); ++p) {
        std::uint64_t missed = 0;
        for (std::uint32_t plane = 0; plane < n_planes; ++plane) {
          missed |= std::uint64_t{direct.missed[p * n_planes + plane]} << (plane * kPlaneBits);
        }
        batch_.patterns.push_back({missed, direct.weight[p], direct.n_missed[p]});
      }
    }
    batch_.leaves.push_back(lane);
  }

  template <typename T>
  static std::uint32_t Size(std::vector<T> const& values) {
    return static_cast<std::uint32_t>(values.size());
  }

  Forest const& forest_;
  std::vector<std::uint32_t> place_of_slot_;  ///< in the current item
  LaneItem item_{};
  LaneBatch batch_;
};

}  // namespace

LaneBatch MakeLaneBatch(Forest const& forest, BackgroundBatches const& batch) {
  LaneBatchMaker maker(forest);
  for (auto tree = batch.Trees().begin; tree < batch.Trees().end; ++tree) maker.AddTree(tree, batch.Tree(tree));
  return maker.Take();
}

}  // namespace kauri
