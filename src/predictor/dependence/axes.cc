#include "predictor/dependence/axes.h"

#include <limits>

#include "predictor/paths/path_steps.h"

namespace kauri {
namespace {

std::int32_t KeyOfLowest() { return KeyOf(-std::numeric_limits<float>::infinity()); }

void AddThreshold(std::int32_t key, Axis* axis) {
  if (key > KeyOfLowest() && key != kMissingKey) axis->thresholds.push_back(key);
}

void AddSplit(Forest const& forest, SplitNode const& split, Axis* axis) {
  if (!split.is_categorical) return AddThreshold(ThresholdKey(split), axis);
  for (auto const category : forest.categories.List(split.key)) {
    AddThreshold(KeyOf(static_cast<float>(category)), axis);
    AddThreshold(KeyOf(static_cast<float>(category + 1)), axis);
  }
}

void Sort(std::vector<std::int32_t>* keys) {
  std::sort(keys->begin(), keys->end());
  keys->erase(std::unique(keys->begin(), keys->end()), keys->end());
}

}  // namespace

std::int32_t Axis::LowestKey(std::int32_t cell) const { return cell == 0 ? KeyOfLowest() : thresholds[cell - 1]; }

std::vector<Axis> MakeAxes(Forest const& forest, TreeRange trees) {
  std::vector<Axis> axes(forest.feature_of_slot.size());
  for (auto const tree : forest.GroupsOf(trees)) {
    auto const n_nodes = static_cast<std::uint32_t>(forest.tree_begin[tree + 1] - forest.tree_begin[tree]);
    for (std::uint32_t node = 0; node < n_nodes; ++node) {
      auto const split = forest.Node(tree, node);
      if (split.left != node) AddSplit(forest, split, &axes[split.slot]);
    }
  }
  for (auto& axis : axes) Sort(&axis.thresholds);
  return axes;
}

}  // namespace kauri
