#include "cuda/hist/precomputed_growers.h"

#include "collective/reduce.h"
#include "cuda/tree/row_sums.h"
#include "kauri/collective.h"

namespace kauri::cuda {
namespace {

/// Maximum work of a block of the cluster in one level, in steps of a row: a block moves all rows and adds them up for
/// its features. Above that, it is faster to use the whole device level by level (levels_finder.h). Its launches take
/// 265 us for a tree of six levels on an H100, however few rows there are. The limit is 14,000 rows of 8 columns, 9,300
/// of 28 or 3,500 of 100.
constexpr std::int64_t kMostWork = 28000;

}  // namespace

PrecomputedGrower::PrecomputedGrower(Context const& ctx, GrowthRules const& rules, HistTask const& task,
                                     HistOnDevice* data)
    : HistGrowth(ctx, rules, GradientUnit(), *data->bins->cuts),
      cuda_(task.cuda),
      task_(task.tree),
      bins_(*data->bins) {
  memory_ = &data->growth;
}

bool PrecomputedGrower::SplitsFollowFromSums() const {
  return AllMayUseAll() && costs_.empty() && !gain_.monotone && !param_.extra_trees && !HasNoise() &&
         param_.min_data_in_leaf <= 1;
}

NodeTotal PrecomputedGrower::MakeRoot() {
  auto const& totals = task_.totals.OnHost();
  gain_.unit = totals.unit;
  return SetRoot(totals.sum);
}

void PrecomputedGrower::FindSplits(Pairs const& pairs) {
  for (auto const& pair : pairs) {
    for (auto* node : {pair.small, pair.large}) {
      if (node != nullptr && node->IsOpen()) node->best = PrecomputedAt(*node, place_of_node_[ToSize(node->id)]);
    }
  }
}

void PrecomputedGrower::SplitRows(std::vector<CodeSplit> const& splits) {
  for (auto const& split : splits) {
    auto const place = place_of_node_[ToSize(split.node)];
    place_of_node_.push_back(2 * place + 1);
    place_of_node_.push_back(2 * place + 2);
  }
}

FewRowsGrower::FewRowsGrower(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data)
    : PrecomputedGrower(ctx, rules, task, data),
      leaf_of_row_(task.leaf_of_row),
      state_(data->few_rows),
      rows_(data->rows.own),
      on_device_(MakeTask(!data->rows.shards.empty())) {}

FewRowsTask FewRowsGrower::MakeTask(bool has_shards) const {
  auto const is_alone = !has_shards && !IsDistributed(ctx_);
  auto const has_levels = param_.max_depth > 0 && param_.max_depth <= kMostFewLevels;
  FewRowsTask made{};
  if (!state_.Has() || !is_alone || !has_levels) return made;
  auto const n_blocks = static_cast<std::int64_t>(state_.room.n_blocks);
  auto const n_own = (static_cast<std::int64_t>(columns_.TreeSet().size()) + n_blocks - 1) / n_blocks;
  if (bins_.n_rows * (n_own + 1) > kMostWork) return made;
  if (!SplitsFollowFromSums()) return made;
  made.find = FindTaskOf(bins_, gain_);
  made.find.tree_features = {nullptr, columns_.TreeSet().size()};
  made.codes = ViewOf(bins_);
  made.places = rows_.Places();
  made.pairs = task_.pairs.data();
  made.n_rows = static_cast<std::uint32_t>(bins_.n_rows);
  made.n_levels = param_.max_depth;
  made.gamma = param_.gamma;
  made.shape = ShapeOfFewRows(state_.room, made, state_.most_codes);
  return made;
}

void FewRowsGrower::Search() {
  rows_.Reset(cuda_, leaf_of_row_, {});
  auto& upload = state_.of_tree;
  upload.Clear();
  auto const features = upload.Add(columns_.TreeSet());
  auto const* totals = task_.totals.OnDevice();
  auto const totals_place = totals != nullptr ? 0 : upload.Add(std::vector<PairTotals>{task_.totals.OnHost()});
  upload.SendChanges(cuda_);
  on_device_.find.totals = totals != nullptr ? totals : upload.At<PairTotals>(totals_place);
  on_device_.find.tree_features = {upload.At<std::uint32_t>(features), columns_.TreeSet().size()};
  ReserveMore((std::size_t{1} << static_cast<unsigned>(param_.max_depth)) - 1, &state_.answer);
  on_device_.precomputed = state_.answer.data();
  GrowFewRows(cuda_, on_device_);
  cuda_.Synchronize();  // for the answer
}

SplitCandidate FewRowsGrower::PrecomputedAt(Node const& node, std::uint32_t place) {
  auto const& found = on_device_.precomputed[place];
  SplitCandidate best;
  if (found.feature == best.feature) return best;
  auto const first_cut = cuts_.feature_begin[found.feature];
  best.loss_change = found.loss_change;
  best.feature = found.feature;
  best.threshold =
      found.first_right > 0 ? cuts_.values[first_cut + found.first_right - 1] : cuts_.min_values[found.feature];
  best.default_left = found.default_left != 0;
  best.left = found.left;
  best.right = node.total.sum - found.left;
  return best;
}

void FewRowsGrower::SplitRows(std::vector<CodeSplit> const& splits) {
  PrecomputedGrower::SplitRows(splits);
  rows_.SplitWhereTheyAre(splits);
}

void FewRowsGrower::WriteLeaves() {
  rows_.WriteLeaves(cuda_, leaf_of_row_.data());
  SmoothBy([&] { return CountLeafRows(cuda_, tree_, task_.sampled_rows, leaf_of_row_); });
}

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
