#include "cuda/hist/levels_grower.h"

#include <algorithm>

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
  if (!data_->categorical.empty()) return "it searches the splits of categorical columns";
  if (!SplitsFollowFromSums()) return "constraints, costs, draws or counts of rows concern single nodes";
  if (columns_.TreeSet().empty()) return "the tree may use no column";
  if (!LevelsFinder::HasRoom(*data_, n_levels)) return "the histograms of a complete tree take more than 256 MiB";
  return data_->bins->n_rows >> static_cast<unsigned>(n_levels) > 0 ? nullptr
                                                                    : "a complete tree has more nodes than rows";
}

bool LevelsGrower::MayGrowTogether() const {
  auto const has_all_columns = columns_.TreeSet().size() == data_->bins->features.size();
  if (Obstacle() != nullptr || !has_all_columns || param_.path_smooth != 0.0F) return false;
  return LevelsFinder::MostTogether(cuda_, param_.max_depth, data_) > 1;
}

Tree LevelsGrower::GrowFrom(LevelsFinder* finder, std::size_t tree) {
  finder_ = finder;
  tree_of_finder_ = tree;
  return Grow();
}

void LevelsGrower::ResetRows() {
  if (finder_ != nullptr) return;
  finder_ = &own_.emplace(cuda_, Span<DeviceTreeTask const>(&task_, 1), leaf_of_row_, data_);
  finder_->Reset(param_.max_depth);
}

void LevelsGrower::FindAll() {
  if (own_) own_->Find(Rules());
}

SplitCandidate LevelsGrower::FoundAt(Node const& node, std::uint32_t place) {
  return finder_->FoundAt(tree_of_finder_, node.depth, place);
}

void LevelsGrower::WriteLeaves() {
  if (!own_) return;
  own_->Rows().Wait();
  SmoothBy([&] { return own_->Rows().CountLeaves(ctx_, tree_); });
}

bool MayGrowTogether(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data) {
  return data->shares.empty() && LevelsGrower(ctx, rules, task, data).MayGrowTogether();
}

std::vector<Tree> GrowTogether(Context const& ctx, std::vector<GrowthRules> const& rules, CudaContext const& cuda,
                               Span<DeviceTreeTask const> tasks, Span<std::int32_t> leaf_of_row, HistOnDevice* data) {
  auto const n_rows = leaf_of_row.size() / tasks.size();
  auto const n_levels = rules[0].param.max_depth;
  auto const at_once = LevelsFinder::MostTogether(cuda, n_levels, data);
  auto const grower_of = [&](std::size_t tree) {
    return LevelsGrower(ctx, rules[tree], {cuda, tasks[tree], leaf_of_row.subspan(tree * n_rows, n_rows)}, data);
  };
  std::vector<Tree> trees;
  for (std::size_t first = 0; first < tasks.size(); first += at_once) {
    if (first > 0) cuda.Synchronize();  // for the buffers that the trees before read, which are overwritten
    auto const count = std::min(at_once, tasks.size() - first);
    LevelsFinder finder(cuda, tasks.subspan(first, count), leaf_of_row.subspan(first * n_rows, count * n_rows), data);
    finder.Reset(n_levels);
    finder.Find(grower_of(first).Rules());
    for (std::size_t tree = 0; tree < count; ++tree) {
      trees.push_back(grower_of(first + tree).GrowFrom(&finder, tree));
    }
  }
  return trees;
}

}  // namespace kauri::cuda
