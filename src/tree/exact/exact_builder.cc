#include "tree/exact/exact_builder.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "common/threads/parallel_for.h"
#include "data/derived_data.h"
#include "data/memory_budget.h"
#include "tree/exact/exact_coded_columns.h"
#include "tree/exact/exact_columns.h"
#include "tree/exact/label_bin_scan.h"
#include "tree/growth/tree_common.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 12;
constexpr std::int64_t kRowsPerSweep = 1 << 18;

/// Returns the sorted columns, which are kept with the data because they depend on the rows only.
std::shared_ptr<SortedColumns const> DeriveSorted(Context const& ctx, DataMatrix const& data,
                                                  MemoryBudget const& budget) {
  return Derive<SortedColumns>(data, {"sorted"}, budget,
                               [&] { return std::make_shared<SortedColumns const>(ctx, data); });
}

class ExactState : public BuildState {
 public:
  ExactState(Context const& ctx, DataMatrix const& data, MemoryBudget const& budget)
      : sorted(DeriveSorted(ctx, data, budget)), columns(*sorted), budget_(budget) {
    FindCategories(ctx, data);
  }

  /// Finds the categories and what depends on them. Repeats this if other column types were set since the last call.
  void FindCategories(Context const& ctx, DataMatrix const& data) {
    DerivedKey key{"exact codes", {}, {}, CategoricalColumns(data.Info())};
    if (codes != nullptr && key == key_) return;
    coded.reset();
    codes = Derive<ExactCodes>(data, key, budget_, [&] {
      return std::make_shared<ExactCodes const>(ctx, data, *sorted, FillGaps(kauri::FindCategories(ctx, data)));
    });
    coded = std::make_unique<CodedColumns>(*codes);
    key_ = std::move(key);
  }
  /// Distributes the features of a tree between `columns` and `coded`. If the search needs single rows, all features
  /// use the sorted entries, because coded columns only have sums.
  void Start(Context const& ctx, TreeTask const& task, std::vector<std::uint32_t> const& features, bool takes_rows);
  CodedColumn const* CodedOf(std::uint32_t feature) const {
    auto const place = codes->Find(feature);
    return place < 0 || !is_coded_[place] ? nullptr : &codes->Columns()[place];
  }

  std::shared_ptr<SortedColumns const> sorted;
  ExactColumns columns;
  std::shared_ptr<ExactCodes const> codes;
  std::unique_ptr<CodedColumns> coded;
  RowOrder rows;

 private:
  MemoryBudget budget_;
  DerivedKey key_;              // of `codes`
  std::vector<bool> is_coded_;  // [codes->Columns()]: whether the column is used coded in this tree
};

/// Returns whether the hessians of all sampled rows are positive.
bool ArePositive(Context const& ctx, TreeTask const& task) {
  auto const& pairs = task.gradients.pairs;
  std::atomic<bool> found_other{false};
  ParallelForBlocks(ctx, static_cast<std::int64_t>(pairs.size()), kRowsPerSweep, [&](auto begin, auto end, auto) {
    bool is_other = false;
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
      is_other |= pairs[row].hessian <= 0 && (task.sampled_rows.empty() || task.sampled_rows[row] != 0);
    }
    if (is_other) found_other.store(true, std::memory_order_relaxed);
  });
  return !found_other.load();
}

void ExactState::Start(Context const& ctx, TreeTask const& task, std::vector<std::uint32_t> const& features,
                       bool takes_rows) {
  auto const codes_numbers = codes->HasNumbers() && ArePositive(ctx, task);
  is_coded_.assign(codes->Columns().size(), false);
  std::vector<std::uint32_t> with_codes;
  std::vector<std::uint32_t> others;
  for (auto const feature : features) {
    auto const place = codes->Find(feature);
    auto const index = static_cast<std::size_t>(place);
    if (place >= 0 && !takes_rows && (codes_numbers || codes->Columns()[index].IsCategorical())) {
      is_coded_[index] = true;
      with_codes.push_back(static_cast<std::uint32_t>(place));
    } else {
      others.push_back(feature);
    }
  }
  columns.Start(others);
  coded->Start(std::move(with_codes));
}

/// Grows one tree.
class ExactGrower : public ScalarGrowth {
 public:
  ExactGrower(Context const& ctx, GrowthRules const& rules, TreeTask const& task, ExactState* state,
              Span<std::int32_t> leaf_of_row)
      : ScalarGrowth(ctx, rules, task.gradients.unit, state->sorted->NumCols()),
        task_(task),
        state_(state),
        leaf_of_row_(leaf_of_row),
        categories_{state->codes->Categories(), CategoryRulesOf(rules.param)} {
    if (ChoosesByErrors()) errors_ = std::make_unique<LabelBinScan>(ctx, task);
  }

  Tree Grow() {
    StartAtRoot();
    for (depth_ = 0; !nodes_.empty(); ++depth_) {
      LevelTask const task{gain_,
                           nodes_,
                           &state_->rows,
                           &columns_,
                           &constraints_,
                           depth_,
                           &categories_,
                           param_.min_data_in_leaf,
                           param_.extra_trees,
                           costs_,
                           noise_deviation_,
                           errors_.get()};
      if (errors_ != nullptr) errors_->Prepare(ctx_, nodes_, state_->rows);
      ExactLevel const level(task);
      std::vector<SplitCandidate> splits(nodes_.size());
      state_->coded->FindSplits(ctx_, level, task_.gradients.pairs, moves_, &splits);
      state_->columns.FindSplits(ctx_, level, moves_, &splits);
      ApplySplits(splits);
    }
    return std::move(tree_);
  }

 private:
  bool ChoosesByErrors() const { return param_.split_criterion == TreeParam::kAbsoluteError; }
  void StartAtRoot();
  void ApplySplits(std::vector<SplitCandidate> const& splits);
  /// Turns an active node into a split and describes how its rows move.
  RowSplit Expand(std::size_t node, SplitCandidate const& split);
  std::vector<std::int32_t> RightOf(std::size_t node, SplitCandidate const& split,
                                    Span<ColumnEntry const> segment) const;
  void RouteCodes(SplitCandidate const& split, std::vector<std::int32_t> const& right, RowSplit* rows) const;
  RowSplit MakeSplit(std::size_t node, SplitCandidate const& split);
  /// Returns the child's index among the next active nodes, or -1 with *leaf set if it stays a leaf.
  std::int32_t AddChild(std::int32_t id, FixedSum sum, std::int32_t* leaf);

  TreeTask const& task_;
  ExactState* state_;
  Span<std::int32_t> leaf_of_row_;
  CategoryTask categories_;
  std::unique_ptr<LabelBinScan> errors_;
  std::int32_t depth_ = 0;
  std::vector<ExactNode> nodes_;
  std::vector<ExactNode> children_;
  std::vector<RowMove> moves_;
};

void ExactGrower::StartAtRoot() {
  auto const sum = SetRoot(task_).sum;
  state_->rows.Start(ctx_, task_.gradients.pairs, task_.sampled_rows);
  state_->Start(ctx_, task_, columns_.TreeSet(), param_.min_data_in_leaf > 1 || ChoosesByErrors());
  PlaceRange const all{0, state_->rows.NumUsed()};
  if (MaySplit(sum, 0)) {
    nodes_.push_back({{0, sum}, all});
  } else {
    FinishedRows const root{all, 0};
    state_->rows.Finish(ctx_, {&root, 1}, leaf_of_row_);
  }
  // Rows left out are dropped from the columns like the rows of a finished right child.
  if (!task_.sampled_rows.empty()) moves_.push_back({all.end, 0, -1});
}

std::int32_t ExactGrower::AddChild(std::int32_t id, FixedSum sum, std::int32_t* leaf) {
  if (!MaySplit(sum, depth_ + 1)) {
    *leaf = id;
    return -1;
  }
  children_.push_back({{id, sum}, {}});
  return static_cast<std::int32_t>(children_.size()) - 1;
}

/// Returns the categories that go right at a split.
std::vector<std::int32_t> ExactGrower::RightOf(std::size_t node, SplitCandidate const& split,
                                               Span<ColumnEntry const> segment) const {
  auto const* coded = state_->CodedOf(split.feature);
  if (coded == nullptr) return RightCategoriesOf(gain_, categories_, split, segment, state_->rows.Pairs());
  auto sums = state_->coded->SumsOf(*coded, state_->rows, nodes_[node].range);
  return RightCategories(gain_, categories_.rules, categories_.lists[split.feature], split, &sums);
}

void ExactGrower::RouteCodes(SplitCandidate const& split, std::vector<std::int32_t> const& right,
                             RowSplit* rows) const {
  auto const& column = *rows->coded;
  // Missing rows follow the default side.
  rows->off_default.assign(column.NumCodes(), 0);
  auto next_right = right.begin();
  for (std::size_t code = 0; code < column.n_values; ++code) {
    auto goes_left = true;
    if (!column.IsCategorical()) {
      goes_left = column.values[code] < split.threshold;
    } else if (next_right != right.end() && *next_right == categories_.lists[split.feature][code]) {
      goes_left = false;
      ++next_right;
    }
    rows->off_default[code] = goes_left == split.default_left ? 0 : 1;
  }
}

RowSplit ExactGrower::Expand(std::size_t node, SplitCandidate const& split) {
  RowSplit rows;
  rows.range = nodes_[node].range;
  rows.default_left = split.default_left;
  rows.coded = state_->CodedOf(split.feature);
  if (rows.coded == nullptr) rows.entries = state_->columns.Segment(split.feature, static_cast<std::int64_t>(node));
  auto const is_categorical = categories_.Has(split.feature);
  std::vector<std::int32_t> right;
  if (is_categorical) right = RightOf(node, split, rows.entries);
  Split(nodes_[node].id, split, right);
  if (rows.coded != nullptr) {
    RouteCodes(split, right, &rows);
  } else if (is_categorical) {
    rows.reordered = LeftFirst(rows.entries, right, &rows.n_left);
    rows.entries = rows.reordered;
  } else {
    auto const first_right =
        std::partition_point(rows.entries.begin(), rows.entries.end(),
                             [&](ColumnEntry const& entry) { return entry.value < split.threshold; });
    rows.n_left = first_right - rows.entries.begin();
  }
  return rows;
}

RowSplit ExactGrower::MakeSplit(std::size_t node, SplitCandidate const& split) {
  auto const id = nodes_[node].id;
  auto rows = Expand(node, split);
  auto const left = tree_.left[id];
  RowMove move;
  move.left = AddChild(left, split.left, &rows.left_leaf);
  move.right = AddChild(left + 1, split.right, &rows.right_leaf);
  moves_.push_back(move);
  return rows;
}

void ExactGrower::ApplySplits(std::vector<SplitCandidate> const& splits) {
  std::vector<RowSplit> row_splits;
  std::vector<FinishedRows> finished;
  std::vector<std::size_t> parent_of;  // by index in row_splits
  moves_.clear();
  children_.clear();
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (ReducesLoss(splits[node])) {
      parent_of.push_back(node);
      row_splits.push_back(MakeSplit(node, splits[node]));
    } else {
      moves_.emplace_back();
      finished.push_back({nodes_[node].range, nodes_[node].id});
    }
  }
  state_->rows.Finish(ctx_, finished, leaf_of_row_);
  state_->rows.Split(ctx_, *state_->codes, row_splits, leaf_of_row_);
  for (std::size_t i = 0; i < row_splits.size(); ++i) {
    auto& move = moves_[parent_of[i]];
    auto const& range = row_splits[i].range;
    move.middle = row_splits[i].middle;
    if (move.left >= 0) children_[move.left].range = {range.begin, move.middle};
    if (move.right >= 0) children_[move.right].range = {move.middle, range.end};
  }
  nodes_.swap(children_);
}

/// Sends rows that were not sampled through the finished splits.
void RouteUnsampledRows(Context const& ctx, DataMatrix const& data, Tree const& tree, Span<std::uint8_t const> sampled,
                        Span<std::int32_t> leaf_of_row) {
  ParallelForBlocks(ctx, static_cast<std::int64_t>(sampled.size()), kRowsPerBlock, [&](auto begin, auto end, auto) {
    for (auto row = begin; row < end; ++row) {
      auto const index = static_cast<std::size_t>(row);
      if (sampled[index] == 0) leaf_of_row[index] = FindLeaf(tree, data, row);
    }
  });
}

/// Prunes the tree and updates the leaves of the rows.
void Prune(Context const& ctx, float gamma, float leaf_rate, Tree* tree, Span<std::int32_t> leaf_of_row) {
  auto const new_id = PruneTree(gamma, leaf_rate, tree);
  ParallelForBlocks(ctx, static_cast<std::int64_t>(leaf_of_row.size()), kRowsPerBlock, [&](auto begin, auto end, auto) {
    for (auto row = begin; row < end; ++row) {
      auto& leaf = leaf_of_row[row];
      leaf = new_id[leaf];
    }
  });
}

}  // namespace

std::unique_ptr<BuildState> ExactBuilder::MakeState(Context const& ctx, DataMatrix const& data) const {
  return std::make_unique<ExactState>(ctx, data, budget_);
}

Tree ExactBuilder::Build(Context const& ctx, DataMatrix const& data, TreeTask const& task, BuildState* state,
                         Span<std::int32_t> leaf_of_row) const {
  CheckTask(task, data, leaf_of_row);
  auto* const exact = static_cast<ExactState*>(state);
  exact->FindCategories(ctx, data);
  auto tree = ExactGrower(ctx, {param_, rules_, task.place}, task, exact, leaf_of_row).Grow();
  RouteUnsampledRows(ctx, data, tree, task.sampled_rows, leaf_of_row);
  auto const leaf_rate = LeafRate(param_, task.place);
  if (param_.gamma > 0.0F) Prune(ctx, param_.gamma, leaf_rate, &tree, leaf_of_row);
  if (param_.path_smooth > 0.0F) {
    SmoothPaths(ctx, param_.path_smooth, leaf_rate, task.sampled_rows, leaf_of_row, &tree);
  }
  return tree;
}

std::unique_ptr<TreeBuilder> MakeExactBuilder(TrainingParams const& params) {
  return std::make_unique<ExactBuilder>(params.tree, ParseParameters<MemoryParam>(params.all).Budget());
}

Capabilities ExactSupports() {
  return {{Feature::kHostMemory, Feature::kPathSmoothing, Feature::kMonotone, Feature::kInteractions,
           Feature::kFeatureCosts, Feature::kGainNoise, Feature::kAbsoluteError, Feature::kRandomThresholds,
           Feature::kMinDataInLeaf, Feature::kMinDataPerGroup, Feature::kCategories}};
}

}  // namespace kauri
