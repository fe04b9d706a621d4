#include "cuda/hist/gpu_hist_grower.h"

#include <algorithm>

#include "collective/reduce.h"
#include "cuda/hist/shards/node_histograms.h"
#include "cuda/tree/row_sums.h"
#include "tree/gain_noise.h"

namespace kauri::cuda {

GpuHistGrower::GpuHistGrower(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data)
    : SymmetricGrowth(ctx, rules, task.tree.totals.OnHost().unit, *data->bins->cuts),
      cuda_(task.cuda),
      bins_(*data->bins),
      buffers_(data->level),
      task_(task.tree),
      histograms_(data->histograms),
      rows_(task, &data->rows),
      categories_(task.cuda, bins_, histograms_, &buffers_.categories) {
  memory_ = &data->growth;
  histograms_.BeginTree(cuda_, bins_, param_.min_data_in_leaf > 1);
}

NodeTotal GpuHistGrower::MakeRoot() {
  SendTree();
  auto const sum = task_.totals.OnHost().sum;
  if (HasNoise() && sum.hessian > 0) {
    SetNoise(task_.place, sum, SumSquares(ctx_, std::vector<SquareSum>{SquareRowsHere()}).front());
  }
  return SetRoot(sum);
}

SquareSum GpuHistGrower::SquareRowsHere() const {
  auto sum = SquareRows(cuda_, task_.pairs);
  for (auto const& shard : task_.shards) {
    DeviceScope const scope(shard.cuda.device);
    sum += SquareRows(shard.cuda, shard.pairs);
  }
  return sum;
}

/// Sends what all nodes of the tree use to the device: the tree's columns and the signs of monotone constraints.
/// Nothing is copied if the last tree had the same. TaskOfTree hands them to the kernels.
void GpuHistGrower::SendTree() {
  auto& upload = buffers_.of_tree;
  upload.Clear();
  tree_features_.AddTo(&upload, bins_, columns_.TreeSet());
  signs_ = upload.Add(std::vector<std::int8_t>(constraints_.Signs().begin(), constraints_.Signs().end()));
  upload.SendChanges(cuda_);
}

void GpuHistGrower::ResetRows() { rows_.Reset({histograms_.counts_rows, param_.max_depth}); }

bool GpuHistGrower::IsLast(Node const& node) const {
  auto const depth = node.depth + 1;
  return IsFull(0) || (!MaySplit(node.best.left, depth) && !MaySplit(node.best.right, depth));
}

void GpuHistGrower::BeginSplits(Nodes const& nodes, std::vector<CodeSplit>* splits) {
  constexpr std::size_t kManySplits = 64;  // with fewer splits, one more copy costs as much as it hides
  if (splits->size() < kManySplits) return;
  auto are_all_last = memory_->open.empty();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    (*splits)[i].is_last = IsLast(nodes[i]);
    are_all_last = are_all_last && (*splits)[i].is_last;
  }
  rows_.Split(*splits);
  has_begun_ = true;
  has_leaves_ = are_all_last;
  if (has_leaves_) return rows_.WriteLeaves();
  rows_.MoveNow(&buffers_.of_moves);
}

void GpuHistGrower::SplitRows(std::vector<CodeSplit> const& splits) {
  TakeForeseenOf(splits);
  if (!has_begun_) rows_.Split(splits);
}

std::vector<std::int32_t> GpuHistGrower::RightCategories(Node const& node) const {
  if (IsSymmetric()) return SymmetricGrowth::RightCategories(node);
  return BinSplitFinder(gain_, cuts_)
      .RightCategories(node.best, categories_.Of(node.histogram, node.best.feature), node.total.categories);
}

void GpuHistGrower::GiveBack(FixedSum* histogram) {
  histograms_.pool.GiveBack(histogram);
  categories_.Forget(histogram);
}

SearchedNode GpuHistGrower::Searched(Node const& node, std::vector<std::uint8_t>* allowed) const {
  auto const list = AddAllowed(*node.features, columns_.TreeSet(), allowed);
  return {node.total.sum, node.total.gain, node.total.bounds, list, node.total.draw.key};
}

void GpuHistGrower::Want(Node const& node, bool has_sibling, Request* sent) {
  auto const source = rows_.Own().SourceOf(node.id);
  buffers_.request.histogram_nodes.push_back({source.rows, source.split, source.is_left, node.histogram});
  buffers_.request.wanted.push_back({node.id, has_sibling});
  sent->most_rows += source.rows.count / (has_sibling ? 2 : 1);
}

GpuHistGrower::Request GpuHistGrower::SendLevel(Pairs const& pairs) {
  Request sent{};
  auto& request = buffers_.request;
  request.Clear();
  auto const add = [&](Node* node) {
    if (node == nullptr || !node->IsOpen() || IsSymmetric()) return std::int32_t{-1};
    request.nodes.push_back(node);
    request.searched.push_back(Searched(*node, &request.allowed));
    if (node->total.noise.IsOn()) request.noise_keys.push_back(node->total.noise.key);
    return static_cast<std::int32_t>(request.searched.size()) - 1;
  };
  for (auto const& pair : pairs) {
    pair.small->histogram = histograms_.pool.Borrow(cuda_);
    if (pair.large != nullptr) pair.large->histogram = pair.parent;
    Want(*pair.small, pair.large != nullptr, &sent);
    auto const small = add(pair.small);
    request.pairs.push_back({pair.small->histogram, pair.parent, pair.small->total.sum, small, add(pair.large)});
  }
  auto& upload = buffers_.of_level;
  upload.Clear();
  if (!has_begun_) rows_.Own().AddTo(&upload);
  sent.histogram_nodes = upload.Add(request.histogram_nodes);
  sent.pairs = upload.Add(request.pairs);
  sent.nodes = upload.Add(request.searched);
  sent.allowed = upload.Add(request.allowed);
  sent.costs = upload.Add(costs_);
  sent.noise_keys = upload.Add(request.noise_keys);
  upload.Send(cuda_);
  return sent;
}

AddTask GpuHistGrower::AddedBy(Request const& request, std::size_t n_nodes) const {
  AddTask add{};
  add.nodes = {buffers_.of_level.At<HistogramNode>(request.histogram_nodes), n_nodes};
  add.n_left = rows_.Own().NumLeft(Moves()).data();
  add.rows = rows_.Own().Pointers();
  rows_.AddPairsTo(&add);
  add.most_rows = request.most_rows;
  return add;
}

AddTask GpuHistGrower::CountedBy(AddTask add) const {
  add.pairs = histograms_.ones.data();
  add.small = nullptr;
  add.records = nullptr;
  add.first_sum = bins_.n_sums;
  return add;
}

void GpuHistGrower::Collect(Request const& request, Pairs const& pairs) {
  if (IsAlone()) return;
  Span<HistogramNode const> const nodes{buffers_.of_level.At<HistogramNode>(request.histogram_nodes), pairs.size()};
  rows_.Own().FetchAnswer(cuda_, Moves());
  auto const n_sums = histograms_.SumsOfNode(bins_);
  AddToHistograms(cuda_, rows_.CollectSums(), {nodes, n_sums});
  if (IsDistributed(ctx_)) buffers_.rank_sums.Sum(ctx_, cuda_, {nodes, n_sums});
  if (histograms_.counts_rows) CountRows(pairs);
}

void GpuHistGrower::CountRows(Pairs const& pairs) {
  cuda_.Synchronize();  // for how many rows went left
  rows_.Wait();
  n_rows_.clear();
  for (auto const& pair : pairs) {
    auto const small = rows_.NumRowsOf(pair.small->id);
    n_rows_.push_back(small);
    n_rows_.push_back(pair.large == nullptr ? small : small + rows_.NumRowsOf(pair.large->id));
  }
  SumOverRanks(ctx_, n_rows_);
  std::vector<HistogramNode> nodes;
  std::vector<std::uint32_t> n_small;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    RowStretch const both{0, static_cast<std::uint32_t>(n_rows_[2 * i + 1]), 0};
    nodes.push_back({both, static_cast<std::int32_t>(i), 1, nullptr});
    n_small.push_back(static_cast<std::uint32_t>(n_rows_[2 * i]));
    n_small.push_back(0);
  }
  auto& upload = buffers_.of_counts;
  upload.Clear();
  counted_nodes_ = upload.Add(nodes);
  n_small_ = upload.Add(n_small);
  upload.Send(cuda_);
}

FindTask GpuHistGrower::TaskOfTree() const {
  auto const& of_tree = buffers_.of_tree;
  auto find = FindTaskOf(bins_, gain_);
  find.signs = constraints_.Signs().empty() ? nullptr : of_tree.At<std::int8_t>(signs_);
  tree_features_.PutInto(of_tree, &find);
  find.limits.draws = param_.extra_trees;
  find.limits.least_rows = param_.min_data_in_leaf;
  find.limits.counts_at = histograms_.counts_rows ? bins_.n_sums : 0;
  find.noise = {noise_deviation_, param_.gamma, nullptr};
  return find;
}

void GpuHistGrower::Find(Request const& request, std::size_t n_pairs) {
  auto const& level = buffers_.of_level;
  auto find = TaskOfTree();
  find.costs = costs_.empty() ? nullptr : level.At<float>(request.costs);
  find.allowed = level.At<std::uint8_t>(request.allowed);
  find.pairs = {level.At<SearchedPair>(request.pairs), n_pairs};
  find.nodes = level.At<SearchedNode>(request.nodes);
  find.best = buffers_.best.data();
  find.noise.keys = level.At<std::uint64_t>(request.noise_keys);
  if (IsAlone()) {
    find.n_left = rows_.Own().NumLeft(Moves());
    find.n_left_out = rows_.Own().Answer();
    find.limits.rows = level.At<HistogramNode>(request.histogram_nodes);
    find.limits.n_left = find.n_left.data();
  } else if (histograms_.counts_rows) {
    find.limits.rows = buffers_.of_counts.At<HistogramNode>(counted_nodes_);
    find.limits.n_left = buffers_.of_counts.At<std::uint32_t>(n_small_);
  }
  kauri::cuda::FindSplits(cuda_, find);
}

void GpuHistGrower::FindSplits(Pairs const& pairs) {
  auto const others = foreseen_child_.empty() ? pairs : TakeForeseen(pairs);
  if (!others.empty()) FindOnDevice(others);
  rows_.TakeStretches();
  has_begun_ = false;
}

void GpuHistGrower::FindOnDevice(Pairs const& pairs) {
  auto const request = SendLevel(pairs);
  auto const& nodes = buffers_.request.nodes;
  auto const n_blocks = NumFeatureBlocks(TaskOfTree(), pairs.size()).All();
  ReserveMore(nodes.size() * n_blocks, &buffers_.best);
  for (auto const& shard : rows_.Shards()) shard->AddUp(buffers_.request.wanted);
  if (!has_begun_) rows_.Own().Move(cuda_, buffers_.of_level);
  auto const added = AddedBy(request, pairs.size());
  AddRows(cuda_, bins_, added, &histograms_.plan);
  if (histograms_.counts_rows) AddRows(cuda_, bins_, CountedBy(added), &histograms_.plan);
  Collect(request, pairs);
  Find(request, pairs.size());
  categories_.Fetch(nodes);
  cuda_.Synchronize();  // for the best splits, how many rows went left and the sums of categories
  if (histograms_.counts_rows) TellRows(pairs);
  ReadAnswers(nodes, n_blocks);
}

void GpuHistGrower::TellRows(Pairs const& pairs) const {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto const& [small, large, parent] = pairs[i];
    if (IsAlone()) {
      small->total.rows.of_node = rows_.NumRowsOf(small->id);
      if (large != nullptr) large->total.rows.of_node = rows_.NumRowsOf(large->id);
    } else {
      small->total.rows.of_node = n_rows_[2 * i];
      if (large != nullptr) large->total.rows.of_node = n_rows_[2 * i + 1] - n_rows_[2 * i];
    }
  }
}

void GpuHistGrower::ReadAnswers(std::vector<Node*> const& nodes, std::uint32_t n_blocks) {
  auto const* found = buffers_.best.data();
  for (auto* node : nodes) {
    for (std::uint32_t block = 0; block < n_blocks; ++block, ++found) {
      if (node->total.noise.IsBetter(*found, node->best)) node->best = *found;
    }
  }
  categories_.Search(ctx_, BinSplitFinder(gain_, cuts_), nodes);
}

void GpuHistGrower::WriteLeaves() {
  if (!has_leaves_) rows_.WriteLeaves();
  rows_.Wait();
  SmoothBy([&] { return rows_.CountLeaves(ctx_, tree_); });
}

LevelSplit GpuHistGrower::FindLevel(Nodes const& open) {
  if (open.empty()) return {};
  auto& request = buffers_.request;
  request.Clear();
  for (auto const& node : open) {
    request.scored.push_back({Searched(node, &request.allowed), node.histogram, node.total.rows.of_node});
    if (node.total.noise.IsOn()) request.noise_keys.push_back(node.total.noise.key);
  }
  auto& upload = buffers_.shared_split.request;
  upload.Clear();
  auto const nodes = upload.Add(request.scored);
  auto const allowed = upload.Add(request.allowed);
  auto const costs = upload.Add(costs_);
  auto const noise_keys = upload.Add(request.noise_keys);
  upload.Send(cuda_);
  LevelSplitTask task{};
  task.find = TaskOfTree();
  task.find.allowed = upload.At<std::uint8_t>(allowed);
  task.find.costs = costs_.empty() ? nullptr : upload.At<float>(costs);
  task.find.noise.keys = upload.At<std::uint64_t>(noise_keys);
  task.nodes = {upload.At<ScoredNode>(nodes), request.scored.size()};
  task.gamma = static_cast<double>(param_.gamma);
  task.n_cuts = static_cast<std::uint32_t>(cuts_.values.size());
  FindLevelSplit(cuda_, task, &buffers_.shared_split);
  cuda_.Synchronize();  // for the split, and what goes left in each node
  return *buffers_.shared_split.found.data();
}

bool GpuHistGrower::MakesSplit(LevelSplit const& split, std::size_t place, Node* node) const {
  return SetBest(gain_, split, buffers_.shared_split.lefts.data()[place], node);
}

}  // namespace kauri::cuda
