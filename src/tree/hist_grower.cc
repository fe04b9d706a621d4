#include "tree/hist_grower.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tree/tree_common.h"

namespace kauri {
namespace {

constexpr double kBelowTwice = 2.0 * (1.0 - 1e-9);  // less than any rounding of the sums can turn into enough

}  // namespace

HistData::HistData(Context const& ctx, DataMatrix const& data, int max_bin, CutOptions const& options)
    : bins(ctx, data, MakeQuantileCuts(ctx, data, max_bin, options)), workspace(bins) {}

HistGrower::HistGrower(Context const& ctx, TreeParam const& param, ConstraintRules const& rules, TreeTask const& task,
                       HistData* data, Span<std::int32_t> leaf_of_row)
    : ctx_(ctx),
      param_(param),
      task_(task),
      data_(data),
      leaf_of_row_(leaf_of_row),
      gain_(MakeGainParam(param, task.gradients.unit, rules.HasMonotone())),
      columns_(param, ctx.seed, task, data->bins.NumCols()),
      constraints_(rules, data->bins.NumCols()) {}

Tree HistGrower::Grow() {
  data_->workspace.Pool()->GiveBackAll();
  ResetRows();
  auto root = MakeRoot();
  if (param_.grow_policy == TreeParam::kLossGuide) {
    GrowByLoss(std::move(root));
  } else {
    GrowByLevel(std::move(root));
  }
  data_->rows.WriteLeaves(ctx_, leaf_of_row_);
  if (!task_.sampled_rows.empty()) data_->other_rows.WriteLeaves(ctx_, leaf_of_row_);
  return std::move(tree_);
}

void HistGrower::ResetRows() {
  if (task_.sampled_rows.empty()) {
    data_->rows.Reset(data_->bins.NumRows());
  } else {
    data_->rows.Reset(task_.sampled_rows, 1);
    data_->other_rows.Reset(task_.sampled_rows, 0);
  }
}

HistGrower::Nodes HistGrower::MakeRoot() {
  auto const sum = SumGradients(ctx_, task_);
  SetNode(sum, gain_, LeafRate(param_, task_), 0, &tree_);
  Nodes root{MakeNode(0, 0, sum)};
  if (!root[0].IsOpen()) return {};
  std::vector<HistPair> pairs{{&root[0], nullptr, nullptr}};
  data_->workspace.FindSplits(ctx_, task_, gain_, data_->rows, columns_.TreeSet(), pairs);
  return root;
}

bool HistGrower::IsWorthSplitting(HistNode const& node) const {
  return ReducesLoss(node.best) && static_cast<float>(node.best.loss_change) >= param_.gamma;
}

void HistGrower::GrowByLevel(Nodes level) {
  while (!level.empty()) {
    Nodes chosen;
    for (auto& node : level) {
      auto const is_full =
          param_.max_leaves > 0 && n_leaves_ + static_cast<std::int64_t>(chosen.size()) >= param_.max_leaves;
      if (!is_full && IsWorthSplitting(node)) {
        chosen.push_back(std::move(node));
      } else {
        Release(&node);
      }
    }
    level = Expand(chosen);
  }
}

void HistGrower::GrowByLoss(Nodes leaves) {
  auto const is_less = [](HistNode const& a, HistNode const& b) {
    return a.best.loss_change != b.best.loss_change ? a.best.loss_change < b.best.loss_change : a.id > b.id;
  };
  auto const is_full = [&] { return param_.max_leaves > 0 && n_leaves_ >= param_.max_leaves; };
  while (!leaves.empty() && !is_full()) {  // a heap
    std::pop_heap(leaves.begin(), leaves.end(), is_less);
    auto node = std::move(leaves.back());
    leaves.pop_back();
    if (!IsWorthSplitting(node)) {
      Release(&node);
      continue;
    }
    for (auto& child : Expand({&node, 1})) {
      leaves.push_back(std::move(child));
      std::push_heap(leaves.begin(), leaves.end(), is_less);
    }
  }
}

bool HistGrower::MayBeSplit(HistNode const& node) const {
  if (param_.max_depth > 0 && node.depth >= param_.max_depth) return false;
  if (param_.max_leaves > 0 && n_leaves_ >= param_.max_leaves) return false;
  return HessianOf(node.total.sum, gain_) >= kBelowTwice * gain_.min_child_weight && node.total.sum.hessian > 1;
}

std::shared_ptr<std::vector<std::uint32_t> const> HistGrower::ColumnsOf(std::int32_t id, std::int32_t depth) const {
  auto const samples = columns_.SamplesLevels() || columns_.SamplesNodes();
  if (!samples && !constraints_.LimitsFeatures()) return {std::shared_ptr<void>(), &columns_.TreeSet()};
  auto const drawn = samples ? columns_.NodeSet(depth, id) : columns_.TreeSet();
  return std::make_shared<std::vector<std::uint32_t> const>(constraints_.AllowedOf(id, drawn));
}

HistNode HistGrower::MakeNode(std::int32_t id, std::int32_t depth, FixedSum sum) const {
  HistNode node;
  node.id = id;
  node.depth = depth;
  auto const bounds = constraints_.BoundsOf(id);
  node.total = {sum, NodeGain(sum, gain_, bounds), bounds, constraints_.Signs()};
  if (MayBeSplit(node)) node.features = ColumnsOf(id, depth);
  return node;
}

void HistGrower::SplitRows(std::vector<CodeSplit> const& splits) {
  data_->rows.Split(ctx_, data_->bins, splits, leaf_of_row_);
  if (!task_.sampled_rows.empty()) data_->other_rows.Split(ctx_, data_->bins, splits, leaf_of_row_);
}

void HistGrower::Release(HistNode* node) {
  if (node->histogram != nullptr) data_->workspace.Pool()->GiveBack(node->histogram);
  node->histogram = nullptr;
}

void HistGrower::AddChildren(HistNode const& node, Nodes* children, std::vector<CodeSplit>* splits) {
  auto const& best = node.best;
  auto const left = tree_.NumNodes();
  auto const leaf_rate = LeafRate(param_, task_);
  tree_.ExpandNode(node.id, {best.feature, best.threshold, best.default_left, static_cast<float>(best.loss_change)});
  SetNode(best.left, gain_, leaf_rate, left, &tree_, node.total.bounds);
  SetNode(best.right, gain_, leaf_rate, left + 1, &tree_, node.total.bounds);
  constraints_.AddSplit(tree_, node.id);
  children->push_back(MakeNode(left, node.depth + 1, best.left));
  children->push_back(MakeNode(left + 1, node.depth + 1, best.right));
  auto const is_last = !children->back().IsOpen() && !(*children)[children->size() - 2].IsOpen();
  splits->push_back({node.id, left, left + 1, best.feature, FirstRight(data_->bins, best.feature, best.threshold),
                     best.default_left, is_last});
}

void HistGrower::FindSplits(Span<HistNode> parents, Nodes* children) {
  std::vector<HistPair> pairs;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    auto* small = &(*children)[2 * i];
    auto* large = small + 1;
    if (data_->rows.NumRows(small->id) > data_->rows.NumRows(large->id)) std::swap(small, large);
    if (large->IsOpen()) {
      pairs.push_back({small, large, parents[i].histogram});
      continue;
    }
    Release(&parents[i]);
    if (small->IsOpen()) pairs.push_back({small, nullptr, nullptr});
  }
  data_->workspace.FindSplits(ctx_, task_, gain_, data_->rows, columns_.TreeSet(), pairs);
}

HistGrower::Nodes HistGrower::Expand(Span<HistNode> nodes) {
  if (nodes.empty()) return {};
  n_leaves_ += static_cast<std::int64_t>(nodes.size());
  Nodes children;
  children.reserve(2 * nodes.size());
  std::vector<CodeSplit> splits;
  for (auto const& node : nodes) AddChildren(node, &children, &splits);
  SplitRows(splits);
  FindSplits(nodes, &children);
  Nodes open;
  for (auto& child : children) {
    if (child.IsOpen()) {
      open.push_back(std::move(child));
    } else {
      Release(&child);
    }
  }
  return open;
}

}  // namespace kauri
