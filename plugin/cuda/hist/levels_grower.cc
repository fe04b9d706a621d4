#include "cuda/hist/levels_grower.h"

#include <cstdint>
#include <vector>

#include "cuda/hist/shares/node_histograms.h"
#include "cuda/hist/split/tree_features.h"
#include "kauri/collective.h"

namespace kauri::cuda {
namespace {

/// Of the histograms that the nodes of such a tree may need, which are cleared for each tree.
constexpr std::size_t kMostHistogramBytes = std::size_t{256} << 20U;

}  // namespace

char const* LevelsGrower::Obstacle() const {
  auto const n_levels = param_.max_depth;
  if (param_.grow_policy != TreeParam::kDepthWise) return "grow_policy=lossguide compares all leaves";
  if (param_.max_leaves != 0) return "max_leaves counts the leaves of all nodes";
  if (n_levels < 1 || n_levels > TreeLevels::kMostLevels) return "max_depth is not from 1 to 12";
  if (IsDistributed(ctx_)) return "it adds up the sums of all ranks";
  if (!data_->categorical.empty()) return "it searches the splits of categorical columns";
  if (!SplitsFollowFromSums()) return "constraints, costs, draws or counts of rows concern single nodes";
  if (columns_.TreeSet().empty()) return "the tree may use no column";
  auto const& bins = *data_->bins;
  auto const bytes = std::size_t{LevelPlace{n_levels}.FirstPair()} * bins.n_sums * sizeof(FixedSum);
  if (bytes > kMostHistogramBytes) return "the histograms of a complete tree take more than 256 MiB";
  return bins.n_rows >> static_cast<unsigned>(n_levels) > 0 ? nullptr : "a complete tree has more nodes than rows";
}

void LevelsGrower::ResetRows() {
  data_->BeginTree(cuda_, false);
  tree_rows_.Reset(param_.max_depth);
}

void LevelsGrower::Begin() {
  auto& levels = data_->levels;
  auto const n_nodes = std::size_t{LevelPlace{param_.max_depth}.FirstNode()};
  auto const n_pairs = std::size_t{LevelPlace{param_.max_depth}.FirstPair()};
  std::vector<std::uintptr_t> histograms;  ///< pointers, as kernels read them
  for (std::size_t pair = 0; pair < n_pairs; ++pair) {
    histograms.push_back(reinterpret_cast<std::uintptr_t>(data_->histograms.Borrow(cuda_)));
  }
  auto& upload = levels.of_tree;
  upload.Clear();
  TreeFeatures features;
  features.AddTo(&upload, *data_->bins, columns_.TreeSet());
  auto const histograms_place = upload.Add(histograms);
  upload.SendChanges(cuda_);
  levels.rows.Begin(cuda_, param_.max_depth, *data_->bins, data_->rows);
  levels.searched.Reserve(cuda_, n_nodes);
  levels.pairs.Reserve(cuda_, n_pairs);
  levels.decisions.Reserve(cuda_, n_nodes);
  levels.walk.Reserve(cuda_, LevelPlace{param_.max_depth + 1}.FirstNode());
  levels.totals.Reserve(cuda_, 1);
  ReserveMore(n_nodes, &levels.found);
  find_ = data_->FindTaskOf(gain_);
  features.PutInto(upload, &find_);
  find_.totals = levels.totals.data();
  decide_.gain = gain_;
  decide_.totals = levels.totals.data();
  decide_.gamma = param_.gamma;
  decide_.n_levels = param_.max_depth;
  decide_.cut_values = data_->bins->cut_values.data();
  decide_.histograms = upload.At<FixedSum*>(histograms_place);
  decide_.rows = levels.rows.Arrays();
  decide_.searched = levels.searched.data();
  decide_.pairs = levels.pairs.data();
  decide_.decisions = levels.decisions.data();
  decide_.found = levels.found.data();
  BeginLevels(cuda_, levels.rows.Arrays(), data_->rows.Root(), reinterpret_cast<FixedSum*>(histograms.front()));
}

void LevelsGrower::AskShares(int depth) {
  auto const& levels = data_->levels;
  for (auto const& share : data_->shares) {
    auto const* const before = depth == 0 ? nullptr : &levels.decided[ToSize(depth - 1)];
    share->AddUpLevel({depth, param_.max_depth, levels.decisions.data(), before, cuda_.device});
  }
}

void LevelsGrower::AddUp(int depth) {
  auto const& levels = data_->levels;
  if (depth > 0) levels.rows.Move(cuda_, depth - 1);
  auto add = levels.rows.Added(depth);
  add.Take(task_.pairs.data(), &data_->records);
  AddRows(cuda_, *data_->bins, add, &data_->plan);
  if (data_->shares.empty()) return;
  std::vector<FixedSum const*> sums;
  for (auto const& share : data_->shares) sums.push_back(share->Collect(cuda_));
  AddToHistograms(cuda_, sums, {add.nodes, data_->bins->n_sums});
}

void LevelsGrower::Find(int depth) {
  auto& levels = data_->levels;
  LevelPlace const level{depth};
  decide_.n_blocks = NumFeatureBlocks(find_, level.NumPairs()).All();
  levels.best.Reserve(cuda_, std::size_t{level.NumNodes()} * decide_.n_blocks);
  decide_.best = levels.best.data();
  find_.pairs = {decide_.pairs + level.FirstPair(), level.NumPairs()};
  find_.nodes = decide_.searched + level.FirstNode();
  find_.best = levels.best.data();
  kauri::cuda::FindSplits(cuda_, find_);
  DecideLevel(cuda_, decide_, depth);
}

void LevelsGrower::FindAll() {
  auto& levels = data_->levels;
  AskShares(0);  // which begin while this is made ready
  Begin();
  for (int depth = 0; depth < param_.max_depth; ++depth) {
    if (depth > 0) AskShares(depth);
    AddUp(depth);
    if (depth == 0) BeginDecisions(cuda_, decide_, task_.totals);  // which the host may have to wait for
    Find(depth);
    levels.decided[ToSize(depth)].Record(cuda_);
  }
  WriteFoundLeaves();
}

void LevelsGrower::WriteFoundLeaves() {
  auto& levels = data_->levels;
  NumberNodes(cuda_, decide_, levels.walk.data());
  Span<WalkNode const> const tree{levels.walk.data(), LevelPlace{param_.max_depth + 1}.FirstNode()};
  data_->rows.TakeTree(tree);
  if (!data_->shares.empty()) levels.numbered.Record(cuda_);
  for (auto const& share : data_->shares) share->TakeTree(tree, levels.numbered, cuda_.device);
  tree_rows_.WriteLeaves();
}

SplitCandidate LevelsGrower::FoundAt(Node const& node, std::uint32_t place) {
  auto const& levels = data_->levels;
  for (; n_answered_ <= node.depth; ++n_answered_) levels.decided[ToSize(n_answered_)].Wait();
  return levels.found.data()[place];
}

void LevelsGrower::WriteLeaves() {
  tree_rows_.Wait();
  SmoothBy([&] { return tree_rows_.CountLeaves(ctx_, tree_); });
}

}  // namespace kauri::cuda
