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
    : FoundTreeGrower(ctx, rules, task, data), leaf_of_row_(task.leaf_of_row), on_device_(MakeTask()) {}

FewRowsTask FewRowsGrower::MakeTask() const {
  auto const& bins = *data_->bins;
  auto const& few_rows = data_->few_rows;
  auto const is_alone = data_->shares.empty() && !IsDistributed(ctx_);
  auto const has_levels = param_.max_depth > 0 && param_.max_depth <= kMostFewLevels;
  FewRowsTask made{};
  if (!few_rows.Has() || !is_alone || !has_levels) return made;
  auto const n_blocks = static_cast<std::int64_t>(few_rows.room.n_blocks);
  auto const n_own = (static_cast<std::int64_t>(columns_.TreeSet().size()) + n_blocks - 1) / n_blocks;
  if (bins.n_rows * (n_own + 1) > kMostWork) return made;
  if (!SplitsFollowFromSums()) return made;
  made.find = data_->FindTaskOf(gain_);
  made.find.tree_features = {nullptr, columns_.TreeSet().size()};
  made.codes = ViewOf(bins);
  made.places = data_->rows.Places();
  made.pairs = task_.pairs.data();
  made.n_rows = static_cast<std::uint32_t>(bins.n_rows);
  made.n_levels = param_.max_depth;
  made.gamma = param_.gamma;
  made.shape = ShapeOfFewRows(few_rows.room, made, few_rows.most_codes);
  return made;
}

void FewRowsGrower::ResetRows() { data_->rows.Reset(cuda_, leaf_of_row_, {}, &data_->of_level); }

void FewRowsGrower::FindAll() {
  auto& upload = data_->of_tree;
  upload.Clear();
  auto const features = upload.Add(columns_.TreeSet());
  auto const* totals = task_.totals.OnDevice();
  auto const totals_place = totals != nullptr ? 0 : upload.Add(std::vector<PairTotals>{task_.totals.OnHost()});
  upload.SendChanges(cuda_);
  on_device_.find.totals = totals != nullptr ? totals : upload.At<PairTotals>(totals_place);
  on_device_.find.tree_features = {upload.At<std::uint32_t>(features), columns_.TreeSet().size()};
  auto& answer = data_->few_rows.answer;
  ReserveMore((std::size_t{1} << static_cast<unsigned>(param_.max_depth)) - 1, &answer);
  on_device_.found = answer.data();
  GrowFewRows(cuda_, on_device_);
  cuda_.Synchronize();  // for the answer
}

SplitCandidate FewRowsGrower::FoundAt(Node const& node, std::uint32_t place) {
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
  FoundTreeGrower::SplitRows(splits);
  data_->rows.SplitWhereTheyAre(splits);
}

void FewRowsGrower::WriteLeaves() {
  data_->rows.WriteLeaves(cuda_, &data_->of_walk, leaf_of_row_.data());
  SmoothBy([&] { return CountLeafRows(cuda_, tree_, task_.sampled_rows, leaf_of_row_); });
}

}  // namespace kauri::cuda
