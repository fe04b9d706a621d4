#include "cuda/hist/gpu_hist_grower.h"

#include <algorithm>

#include "cuda/tree/leaf_rows.h"

namespace kauri::cuda {
namespace {

constexpr std::uint32_t kWordBits = 32;

/// Appends the bits of the codes that go right; returns where they begin.
std::uint32_t AppendBits(std::vector<std::uint8_t> const& right_codes, std::vector<std::uint32_t>* words) {
  auto const begin = words->size();
  words->resize(begin + right_codes.size() / kWordBits + 1);
  for (std::size_t code = 0; code < right_codes.size(); ++code) {
    (*words)[begin + code / kWordBits] |= std::uint32_t{right_codes[code]} << (code % kWordBits);
  }
  return static_cast<std::uint32_t>(begin);
}

}  // namespace

GpuHistGrower::GpuHistGrower(Context const& ctx, GrowthRules const& rules, HistTask const& task, HistOnDevice* data)
    : HistGrowth(ctx, rules, task.tree.unit, *data->bins->cuts),
      cuda_(task.cuda),
      task_(task.tree),
      data_(data),
      leaf_of_row_(task.leaf_of_row),
      categories_(task.cuda, data) {
  memory_ = &data_->growth;
  data_->BeginTree(cuda_, param_.min_data_in_leaf > 1);
}

NodeTotal GpuHistGrower::MakeRoot() {
  SendTree();
  return SetRoot(task_.sum);
}

void GpuHistGrower::SendTree() {
  auto& upload = data_->of_tree;
  upload.Clear();
  tree_features_ = upload.Add(columns_.TreeSet());
  signs_ = upload.Add(std::vector<std::int8_t>(constraints_.Signs().begin(), constraints_.Signs().end()));
  upload.SendChanges(cuda_);
}

void GpuHistGrower::ResetRows() {
  data_->rows.Reset(cuda_, leaf_of_row_);
  stretches_.assign(1, {0, static_cast<std::uint32_t>(data_->bins->n_rows), -1});
  walk_.assign(1, {});
  if (!task_.sampled_rows.empty()) SampleRoot();
}

/// The marks of sampled rows are codes of a feature that splits the root: those that are sampled go right.
void GpuHistGrower::SampleRoot() {
  auto& upload = data_->of_level;
  upload.Clear();
  NodeSplit split{};
  split.rows = stretches_[0];
  split.place = {0, 1, 0, 2, kNoUsual};
  split.n_bins = 2;
  split.first_right = 1;
  split.categories = kNoCategories;
  auto const splits = upload.Add(std::vector<NodeSplit>{split});
  auto const n_left = upload.Add(std::vector<std::uint32_t>(2));
  upload.Send(cuda_);
  CodeView marks{};
  marks.form = CodeForm::kBytes;
  marks.bytes = task_.sampled_rows.data();
  SplitNodes(cuda_, {marks,
                     {upload.At<NodeSplit>(splits), 1},
                     nullptr,
                     RowTiles(split.rows.count),
                     data_->rows.Pointers(),
                     upload.At<std::uint32_t>(n_left)});
  auto const n_unused = ToHost(cuda_, upload.At<std::uint32_t>(n_left), 1)[0];
  stretches_[0] = {n_unused, split.rows.count - n_unused, 0};
}

std::vector<std::int32_t> GpuHistGrower::RightCategories(Node const& node) const {
  return BinSplitFinder(gain_, cuts_)
      .RightCategories(node.best, categories_.Of(node.histogram, node.best.feature), node.total.categories);
}

void GpuHistGrower::GiveBack(FixedSum* histogram) {
  data_->histograms.GiveBack(histogram);
  categories_.Forget(histogram);
}

std::uint32_t GpuHistGrower::MakeSplits(LevelRequest* request) const {
  std::uint32_t n_tiles = 0;
  for (auto const& split : pending_) {
    NodeSplit made{};
    made.rows = stretches_[split.node];
    made.first_tile = n_tiles;
    made.place = PlaceOf(*data_->bins, split.feature);
    made.n_bins = data_->bins->features[split.feature].n_bins;
    made.first_right = split.first_right;
    made.categories =
        split.right_codes.empty() ? kNoCategories : AppendBits(split.right_codes, &request->category_bits);
    made.default_left = split.default_left ? 1 : 0;
    request->splits.push_back(made);
    n_tiles += RowTiles(made.rows.count);
  }
  return n_tiles;
}

HistogramNode GpuHistGrower::HistogramOf(Node const& node) const {
  if (pending_.empty()) return {stretches_[node.id], -1, 0, node.histogram};
  auto const is_before = [](std::int32_t id, CodeSplit const& split) { return id < split.left; };
  auto const split = std::upper_bound(pending_.begin(), pending_.end(), node.id, is_before) - 1;
  return {stretches_[split->node], static_cast<std::int32_t>(split - pending_.begin()),
          node.id == split->left ? 1U : 0U, node.histogram};
}

SearchedNode GpuHistGrower::Searched(Node const& node, std::vector<std::uint8_t>* allowed) const {
  SearchedNode searched{node.total.sum, node.total.gain, node.total.bounds, -1, node.total.draw.key};
  auto const& of_tree = columns_.TreeSet();
  if (node.features.get() == &of_tree) return searched;
  searched.allowed = static_cast<std::int32_t>(allowed->size() / std::max<std::size_t>(1, of_tree.size()));
  for (auto const feature : of_tree) {
    allowed->push_back(std::binary_search(node.features->begin(), node.features->end(), feature) ? 1 : 0);
  }
  return searched;
}

GpuHistGrower::Request GpuHistGrower::SendLevel(Pairs const& pairs) {
  Request sent{};
  auto& request = data_->request;
  request.Clear();
  auto const add = [&](Node* node) {
    if (node == nullptr || !node->IsOpen()) return std::int32_t{-1};
    request.nodes.push_back(node);
    request.searched.push_back(Searched(*node, &request.allowed));
    return static_cast<std::int32_t>(request.searched.size()) - 1;
  };
  for (auto const& pair : pairs) {
    pair.small->histogram = data_->histograms.Borrow(cuda_);
    if (pair.large != nullptr) pair.large->histogram = pair.parent;
    request.histogram_nodes.push_back(HistogramOf(*pair.small));
    sent.most_rows += request.histogram_nodes.back().rows.count / (pair.large == nullptr ? 1 : 2);
    auto const small = add(pair.small);
    request.pairs.push_back({pair.small->histogram, pair.parent, pair.small->total.sum, small, add(pair.large)});
  }
  sent.n_tiles = MakeSplits(&request);
  auto& upload = data_->of_level;
  upload.Clear();
  sent.splits = upload.Add(request.splits);
  sent.category_bits = upload.Add(request.category_bits);
  sent.n_left = upload.AddZeros<std::uint32_t>(2 * pending_.size());
  sent.histogram_nodes = upload.Add(request.histogram_nodes);
  sent.pairs = upload.Add(request.pairs);
  sent.nodes = upload.Add(request.searched);
  sent.allowed = upload.Add(request.allowed);
  sent.costs = upload.Add(costs_);
  upload.Send(cuda_);
  return sent;
}

void GpuHistGrower::MoveRows(Request const& request) {
  auto const& level = data_->of_level;
  SplitNodes(cuda_, {ViewOf(*data_->bins),
                     {level.At<NodeSplit>(request.splits), pending_.size()},
                     level.At<std::uint32_t>(request.category_bits),
                     request.n_tiles,
                     data_->rows.Pointers(),
                     level.At<std::uint32_t>(request.n_left)});
}

void GpuHistGrower::AddUp(Request const& request, std::size_t n_nodes) {
  auto const& level = data_->of_level;
  auto const& bins = *data_->bins;
  AddTask add{};
  add.nodes = {level.At<HistogramNode>(request.histogram_nodes), n_nodes};
  add.n_left = level.At<std::uint32_t>(request.n_left);
  add.rows = data_->rows.Pointers();
  add.pairs = task_.pairs.data();
  add.most_rows = request.most_rows;
  AddRows(cuda_, bins, add, &data_->plan);
  if (!data_->CountsRows()) return;
  add.pairs = data_->ones.data();
  add.first_sum = bins.n_sums;
  AddRows(cuda_, bins, add, &data_->plan);
}

void GpuHistGrower::Find(Request const& request, std::size_t n_pairs) {
  auto const& bins = *data_->bins;
  auto const& level = data_->of_level;
  auto const& of_tree = columns_.TreeSet();
  FindTask find{};
  find.gain = gain_;
  find.features = bins.device_features.data();
  find.cut_values = bins.cut_values.data();
  find.min_values = data_->min_values.data();
  find.is_categorical = data_->is_categorical.data();
  find.signs = constraints_.Signs().empty() ? nullptr : data_->of_tree.At<std::int8_t>(signs_);
  find.costs = costs_.empty() ? nullptr : level.At<float>(request.costs);
  find.tree_features = {data_->of_tree.At<std::uint32_t>(tree_features_), of_tree.size()};
  find.allowed = level.At<std::uint8_t>(request.allowed);
  find.pairs = {level.At<SearchedPair>(request.pairs), n_pairs};
  find.nodes = level.At<SearchedNode>(request.nodes);
  find.best = data_->best.data();
  find.n_left = {level.At<std::uint32_t>(request.n_left), 2 * pending_.size()};
  find.n_left_out = data_->n_left.data();
  find.limits = {param_.extra_trees, param_.min_data_in_leaf, data_->CountsRows() ? bins.n_sums : 0,
                 level.At<HistogramNode>(request.histogram_nodes)};
  kauri::cuda::FindSplits(cuda_, find);
}

void GpuHistGrower::FindSplits(Pairs const& pairs) {
  auto const others = foreseen_child_.empty() ? pairs : TakeForeseen(pairs);
  if (!others.empty()) FindOnDevice(others);
  TakeStretches();
}

void GpuHistGrower::FindOnDevice(Pairs const& pairs) {
  auto const request = SendLevel(pairs);
  auto const& nodes = data_->request.nodes;
  auto const n_blocks = NumFeatureBlocks(columns_.TreeSet().size(), pairs.size());
  ReserveMore(nodes.size() * n_blocks, &data_->best);
  ReserveMore(2 * pending_.size(), &data_->n_left);
  MoveRows(request);
  AddUp(request, pairs.size());
  Find(request, pairs.size());
  categories_.Fetch(nodes);
  cuda_.Synchronize();  // for the best splits, how many rows went left and the sums of categories
  if (data_->CountsRows()) {
    for (auto* node : nodes) node->total.rows.of_node = NumRowsOf(HistogramOf(*node), data_->n_left.data());
  }
  ReadAnswers(nodes, n_blocks);
}

void GpuHistGrower::ReadAnswers(std::vector<Node*> const& nodes, std::uint32_t n_blocks) {
  auto const* found = data_->best.data();
  for (auto* node : nodes) {
    for (std::uint32_t block = 0; block < n_blocks; ++block, ++found) {
      if (IsBetter(*found, node->best)) node->best = *found;
    }
  }
  categories_.Search(ctx_, BinSplitFinder(gain_, cuts_), nodes);
}

void GpuHistGrower::TakeStretches() {
  stretches_.resize(ToSize(tree_.NumNodes()));
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    auto const& split = pending_[i];
    auto const rows = stretches_[split.node];
    auto const n_left = data_->n_left.data()[2 * i];
    auto const buffer = rows.buffer == 0 ? 1 : 0;
    stretches_[split.left] = {rows.begin, n_left, buffer};
    stretches_[split.right] = {rows.begin + n_left, rows.count - n_left, buffer};
  }
  pending_.clear();
}

void GpuHistGrower::AddToWalk(CodeSplit const& split) {
  walk_.resize(ToSize(tree_.NumNodes()));
  auto& node = walk_[split.node];
  node.left = split.left;
  node.feature = split.feature;
  node.missing = 2 * data_->bins->features[split.feature].n_bins + (split.default_left ? 1 : 0);
  node.first_right = split.first_right;
  if (split.right_codes.empty()) return;
  node.feature |= WalkNode::kCategorical;
  node.first_right = AppendBits(split.right_codes, &walk_bits_);
}

void GpuHistGrower::WriteLeaves() {
  auto const& bins = *data_->bins;
  auto& upload = data_->of_walk;
  upload.Clear();
  auto const nodes = upload.Add(walk_);
  auto const bits = upload.Add(walk_bits_);
  upload.Send(cuda_);
  auto const is_plain = bins.groups.size() == 1 && bins.columns.size() == bins.features.size();
  WalkCodes(cuda_, {ViewOf(bins), data_->places.data(), is_plain ? bins.groups[0].width : 0, upload.At<WalkNode>(nodes),
                    static_cast<std::uint32_t>(walk_.size()), upload.At<std::uint32_t>(bits), bins.n_rows,
                    leaf_of_row_.data()});
  SmoothBy([&] { return CountLeafRows(cuda_, tree_, task_.sampled_rows, leaf_of_row_); });
}

}  // namespace kauri::cuda
