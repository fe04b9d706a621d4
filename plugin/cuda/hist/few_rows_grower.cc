#include "cuda/hist/few_rows_grower.h"

#include "collective/reduce.h"
#include "cuda/tree/leaf_rows.h"

namespace kauri::cuda {
namespace {

/// Maximum work of a block of the cluster in one level, in steps of a row: a block moves all rows and adds them up for
/// its features. Above that, it is faster to use the whole device level by level (levels_finder.h). Its launches take
/// 265 us for a tree of six levels on an H100, however few rows there are. The limit is 14,000 rows of 8 columns, 9,300
/// of 28 or 3,500 of 100.
constexpr std::int64_t kMostWork = 28000;

}  // namespace

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
  on_device_.found = state_.answer.data();
  GrowFewRows(cuda_, on_device_);
  cuda_.Synchronize();  // for the answer
}

SplitCandidate FewRowsGrower::PrecomputedAt(Node const& node, std::uint32_t place) {
  auto const& found = on_device_.found[place];
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

}  // namespace kauri::cuda
