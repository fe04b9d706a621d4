#include "cuda/hist/levels_grower.h"

#include "kauri/collective.h"

namespace kauri::cuda {

char const* LevelsGrower::Obstacle() const {
  auto const n_levels = param_.max_depth;
  if (param_.grow_policy == TreeParam::kSymmetric)
    return "grow_policy=symmetric has one split for all nodes of a level";
  if (param_.grow_policy != TreeParam::kDepthWise) return "grow_policy=lossguide compares all leaves";
  if (param_.max_leaves != 0) return "max_leaves counts the leaves of all nodes";
  if (n_levels < 1 || n_levels > TreeLevels::kMostLevels) return "max_depth is not from 1 to 12";
  if (IsDistributed(ctx_)) return "it adds up the sums of all ranks";
  if (!bins_.categorical.empty()) return "it searches the splits of categorical columns";
  if (!SplitsFollowFromSums()) return "constraints, costs, draws or counts of rows concern single nodes";
  if (columns_.TreeSet().empty()) return "the tree may use no column";
  if (!LevelsFinder::HasRoom(bins_, n_levels)) return "the histograms of a complete tree take more than 256 MiB";
  return bins_.n_rows >> static_cast<unsigned>(n_levels) > 0 ? nullptr : "a complete tree has more nodes than rows";
}

bool LevelsGrower::MayGrowTogether() const {
  auto const has_all_columns = columns_.TreeSet().size() == bins_.features.size();
  if (Obstacle() != nullptr || !has_all_columns || param_.path_smooth != 0.0F) return false;
  return LevelsFinder::MostTogether(cuda_, param_.max_depth, &data_) > 1;
}

Tree LevelsGrower::GrowFrom(LevelsFinder* finder, std::size_t tree) {
  finder_ = finder;
  tree_of_finder_ = tree;
  return Grow();
}

SplitCandidate LevelsGrower::PrecomputedAt(Node const& node, std::uint32_t place) {
  return finder_->BestAt(tree_of_finder_, node.depth, place);
}

/// Waits for the shards, and smooths; the finder has already made the devices write the leaves.
void LevelsGrower::WriteLeaves() {
  finder_->Rows().Wait();
  SmoothBy([&] { return finder_->Rows().CountLeaves(ctx_, tree_); });
}

}  // namespace kauri::cuda
