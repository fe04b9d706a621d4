#include "predictor/lanes/lane_batch.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace kauri {
namespace {

/// Maximum leaves of an item: enough to amortise loading keys and storing sums, few enough for many items.
constexpr std::uint32_t kMostLeaves = 64;
constexpr std::uint32_t kNoPlace = 0xFFFFFFFFU;

template <typename T>
std::uint32_t Size(std::vector<T> const& values) {
  return static_cast<std::uint32_t>(values.size());
}

}  // namespace

LaneBatchMaker::LaneBatchMaker(Forest const& forest, PathPairs const* pairs, std::int64_t most_numbers)
    : forest_(forest),
      pairs_(pairs),
      most_numbers_(most_numbers),
      place_of_slot_(ToSize(forest.NumSlots()), kNoPlace) {}

void LaneBatchMaker::AddTree(std::int64_t tree, PathProgram const& program, std::vector<DirectLeaf> const& direct) {
  tree_.tree = tree;
  BeginTree();
  BeginItem();
  for (std::size_t number = 0; number < program.leaves.size(); ++number) {
    auto const& leaf = program.leaves[number];
    if (leaf.n_features == 0) continue;
    CheckLength(leaf);
    auto const* features = program.features.data() + leaf.first_feature;
    if (IsFull(features, leaf.n_features)) {
      EndItem();
      BeginItem();
    } else if (Size(batch_.leaves) > item_.leaf_begin) {
      CloseLeaf(program.leaves[number - 1].n_open);
    }
    AddFeatures(features, leaf.n_features);
    AddLeaf(leaf);
    if (batch_.leaves.back().form == LeafForm::kPairs && !direct.empty()) AddPatterns(direct[number]);
  }
  EndItem();
  EndTree();
}

std::vector<LaneBatch> LaneBatchMaker::TakeFull() { return std::exchange(full_, {}); }

LaneBatch LaneBatchMaker::TakeLast() { return std::exchange(batch_, {}); }

void LaneBatchMaker::BeginTree() {
  tree_.leaf_begin = Size(batch_.leaves);
  tree_.table_begin = batch_.table_size;
  tree_.pair_begin = batch_.pair_table_size;
}

void LaneBatchMaker::EndTree() {
  tree_.leaf_end = Size(batch_.leaves);
  tree_.table_end = batch_.table_size;
  tree_.pair_end = batch_.pair_table_size;
  if (tree_.leaf_end > tree_.leaf_begin) batch_.trees.push_back(tree_);
}

void LaneBatchMaker::BeginItem() {
  item_ = {Size(batch_.leaves), 0, Size(batch_.slot_of_place), 0, forest_.output_of_tree[tree_.tree]};
}

void LaneBatchMaker::EndItem() {
  item_.leaf_end = Size(batch_.leaves);
  if (item_.leaf_end > item_.leaf_begin) CloseLeaf(0);
  item_.n_places = Size(batch_.slot_of_place) - item_.first_place;
  for (auto place = item_.first_place; place < Size(batch_.slot_of_place); ++place) {
    place_of_slot_[batch_.slot_of_place[place]] = kNoPlace;
  }
  batch_.most_places = std::max(batch_.most_places, item_.n_places);
  if (item_.leaf_end > item_.leaf_begin) batch_.items.push_back(item_);
  if (batch_.table_size + batch_.pair_table_size < most_numbers_) return;
  EndTree();
  full_.push_back(TakeLast());
  BeginTree();
}

void LaneBatchMaker::CheckLength(PathLeaf const& leaf) const {
  if (leaf.n_features <= kMostPlaces) return;
  Fail(ErrorKind::kParameter, "interventional contributions on the device hold paths of at most ", kMostPlaces,
       " distinct features; tree ", forest_.trees.begin + forest_.ModelTree(tree_.tree), " has a path of ",
       leaf.n_features, ". Use device=cpu.");
}

bool LaneBatchMaker::IsFull(PathFeature const* features, std::uint32_t n_features) const {
  auto const n_leaves = Size(batch_.leaves) - item_.leaf_begin;
  auto const n_new = std::count_if(features, features + n_features, [&](PathFeature const& feature) {
    return place_of_slot_[feature.Slot()] == kNoPlace;
  });
  auto const n_places = Size(batch_.slot_of_place) - item_.first_place + static_cast<std::uint32_t>(n_new);
  return n_leaves == kMostLeaves || n_places > kMostPlaces;
}

void LaneBatchMaker::AddFeatures(PathFeature const* features, std::uint32_t n_features) {
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

void LaneBatchMaker::AddLeaf(PathLeaf const& leaf) {
  LaneLeaf lane{batch_.table_size, batch_.pair_table_size,  0, Size(batch_.features) - leaf.n_features,
                leaf.n_features,   FormOf(leaf.n_features), 0, 0};
  batch_.leaves.push_back(lane);
  batch_.sources.push_back({leaf.value, item_.first_place});
  batch_.table_size += TableSize(leaf.n_features);
  if (pairs_ != nullptr) batch_.pair_table_size += PairTableSize(leaf.n_features);
  if (lane.form != LeafForm::kPairs) batch_.most_features = std::max(batch_.most_features, lane.n_features);
}

/// Completes the last leaf. Leaves with patterns add to all of their pairs, other leaves to pairs of positions that are
/// not open any more.
void LaneBatchMaker::CloseLeaf(std::uint32_t n_open) {
  auto& leaf = batch_.leaves.back();
  leaf.n_open = n_open;
  if (pairs_ == nullptr) return;
  auto const first = leaf.form == LeafForm::kPairs ? 1U : std::max(n_open, 1U);
  leaf.first_pair = static_cast<std::int64_t>(batch_.pair_cells.size()) - NumPairs(first);
  auto const* features = batch_.features.data() + leaf.first_feature;
  auto const slot_of = [&](std::uint32_t position) {
    return batch_.slot_of_place[item_.first_place + features[position].Slot()];
  };
  for (auto b = first; b < leaf.n_features; ++b) {
    for (std::uint32_t a = 0; a < b; ++a) {
      auto const number = pairs_->Number(item_.output, slot_of(a), slot_of(b));
      batch_.pair_cells.push_back(static_cast<std::int32_t>(pairs_->n_outputs * pairs_->n_slots) + number);
    }
  }
}

void LaneBatchMaker::AddPatterns(DirectLeaf const& direct) {
  auto& lane = batch_.leaves.back();
  lane.begin = static_cast<std::int64_t>(batch_.patterns.size());
  lane.n_patterns = Size(direct.weight);
  auto const n_planes = NumPlanes(lane.n_features);
  for (std::size_t p = 0; p < direct.weight.size(); ++p) {
    std::uint64_t missed = 0;
    for (std::uint32_t plane = 0; plane < n_planes; ++plane) {
      missed |= std::uint64_t{direct.missed[p * n_planes + plane]} << (plane * kPlaneBits);
    }
    batch_.patterns.push_back({missed, direct.weight[p], direct.n_missed[p]});
  }
}

LaneBatch MakeLaneBatch(Forest const& forest, BackgroundBatches const& batch, PathPairs const* pairs) {
  LaneBatchMaker maker(forest, pairs, std::numeric_limits<std::int64_t>::max());
  for (auto tree = batch.Trees().begin; tree < batch.Trees().end; ++tree) {
    maker.AddTree(tree, batch.Tree(tree).program, batch.Tree(tree).direct);
  }
  return maker.TakeLast();
}

}  // namespace kauri
