#include "cuda/hist/gpu_hist_grower.h"

#include <algorithm>

#include "cuda/hist/histogram/split_and_add.h"

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
  data_->histograms.Reset(cuda_);
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
  upload.Send(cuda_);
}

void GpuHistGrower::ResetRows() {
  data_->rows.Reserve(cuda_, data_->bins->n_rows);
  stretches_.assign(1, {0, static_cast<std::uint32_t>(data_->bins->n_rows), -1});
}

std::vector<std::int32_t> GpuHistGrower::RightCategories(Node const& node) const {
  return BinSplitFinder(gain_, cuts_)
      .RightCategories(node.best, categories_.Of(node.histogram, node.best.feature), node.total.categories);
}

void GpuHistGrower::GiveBack(FixedSum* histogram) {
  data_->histograms.GiveBack(histogram);
  categories_.Forget(histogram);
}

std::vector<NodeSplit> GpuHistGrower::MakeSplits(std::vector<std::uint32_t>* category_bits, Request* request) const {
  std::vector<NodeSplit> splits;
  for (auto const& split : pending_) {
    NodeSplit made{};
    made.rows = stretches_[split.node];
    made.first_tile = request->n_tiles;
    made.first_row = request->n_rows;
    made.place = PlaceOf(*data_->bins, split.feature);
    made.n_bins = data_->bins->features[split.feature].n_bins;
    made.first_right = split.first_right;
    made.left = split.left;
    made.right = split.right;
    made.categories = split.right_codes.empty() ? kNoCategories : AppendBits(split.right_codes, category_bits);
    made.default_left = split.default_left ? 1 : 0;
    made.is_last = split.is_last ? 1 : 0;
    splits.push_back(made);
    request->n_tiles += RowTiles(made.rows.count);
    request->n_rows += made.rows.count;
  }
  return splits;
}

HistogramNode GpuHistGrower::HistogramOf(Node const& node) const {
  if (pending_.empty()) return {stretches_[node.id], -1, 0, node.histogram};
  auto const child = node.id - pending_.front().left;  // children have consecutive numbers
  auto const& split = pending_[child / 2];
  return {stretches_[split.node], child / 2, child % 2 == 0 ? 1U : 0U, node.histogram};
}

SearchedNode GpuHistGrower::Searched(Node const& node, std::vector<std::uint8_t>* allowed) const {
  SearchedNode searched{node.total.sum, node.total.gain, node.total.bounds, -1};
  auto const& of_tree = columns_.TreeSet();
  if (node.features.get() == &of_tree) return searched;
  searched.allowed = static_cast<std::int32_t>(allowed->size() / std::max<std::size_t>(1, of_tree.size()));
  for (auto const feature : of_tree) {
    allowed->push_back(std::binary_search(node.features->begin(), node.features->end(), feature) ? 1 : 0);
  }
  return searched;
}

GpuHistGrower::Request GpuHistGrower::SendLevel(Pairs const& pairs, std::vector<Node*>* nodes) {
  Request request{};
  std::vector<std::uint32_t> category_bits;
  std::vector<HistogramNode> histogram_nodes;
  std::vector<SearchedPair> searched_pairs;
  std::vector<SearchedNode> searched;
  std::vector<std::uint8_t> allowed;
  auto const add = [&](Node* node) {
    if (node == nullptr || !node->IsOpen()) return std::int32_t{-1};
    nodes->push_back(node);
    searched.push_back(Searched(*node, &allowed));
    return static_cast<std::int32_t>(searched.size()) - 1;
  };
  for (auto const& pair : pairs) {
    pair.small->histogram = data_->histograms.Borrow(cuda_);
    if (pair.large != nullptr) pair.large->histogram = pair.parent;
    histogram_nodes.push_back(HistogramOf(*pair.small));
    request.most_rows += histogram_nodes.back().rows.count / (pair.large == nullptr ? 1 : 2);
    auto const small = add(pair.small);
    searched_pairs.push_back({pair.small->histogram, pair.parent, pair.small->total.sum, small, add(pair.large)});
  }
  auto& upload = data_->of_level;
  upload.Clear();
  auto splits = MakeSplits(&category_bits, &request);
  request.adds_while_splitting = !splits.empty() && data_->can_split_and_add;
  for (auto& node : histogram_nodes) {
    if (!request.adds_while_splitting) break;
    auto& split = splits[node.split];
    split.histogram = node.histogram;
    split.adds_left = node.is_left;
  }
  request.splits = upload.Add(splits);
  request.category_bits = upload.Add(category_bits);
  request.n_left = upload.Add(std::vector<std::uint32_t>(2 * pending_.size()));
  request.histogram_nodes = upload.Add(histogram_nodes);
  request.pairs = upload.Add(searched_pairs);
  request.nodes = upload.Add(searched);
  request.allowed = upload.Add(allowed);
  upload.Send(cuda_);
  return request;
}

void GpuHistGrower::MoveRows(Request const& request) {
  auto const& level = data_->of_level;
  SplitTask const split{ViewOf(*data_->bins),
                        {level.At<NodeSplit>(request.splits), pending_.size()},
                        level.At<std::uint32_t>(request.category_bits),
                        request.n_tiles,
                        request.n_rows,
                        data_->rows.Pointers(),
                        level.At<std::uint32_t>(request.n_left),
                        leaf_of_row_.data()};
  if (request.adds_while_splitting) {
    SplitAndAdd(cuda_, *data_->bins, split, task_.pairs.data());
  } else {
    SplitNodes(cuda_, split);
  }
}

void GpuHistGrower::AddUp(Request const& request, std::size_t n_nodes) {
  auto const& level = data_->of_level;
  auto const& bins = *data_->bins;
  if (request.adds_while_splitting && bins.groups.size() == 1) return;
  data_->plan.Reserve(cuda_, n_nodes);
  AddTask add{};
  add.nodes = {level.At<HistogramNode>(request.histogram_nodes), n_nodes};
  add.plan = {data_->plan.data(), n_nodes};
  add.n_left = level.At<std::uint32_t>(request.n_left);
  add.rows = data_->rows.Pointers();
  add.pairs = task_.pairs.data();
  add.most_rows = request.most_rows;
  add.first_group = request.adds_while_splitting ? 1 : 0;
  AddRows(cuda_, bins, add);
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
  find.tree_features = {data_->of_tree.At<std::uint32_t>(tree_features_), of_tree.size()};
  find.allowed = level.At<std::uint8_t>(request.allowed);
  find.pairs = {level.At<SearchedPair>(request.pairs), n_pairs};
  find.nodes = level.At<SearchedNode>(request.nodes);
  find.best = data_->best.data();
  find.n_left = {level.At<std::uint32_t>(request.n_left), 2 * pending_.size()};
  find.n_left_out = data_->n_left.data();
  kauri::cuda::FindSplits(cuda_, find);
}

void GpuHistGrower::FindSplits(Pairs const& pairs) {
  auto const others = foreseen_child_.empty() ? pairs : TakeForeseen(pairs);
  if (others.empty() && pending_.empty()) return;
  FindOnDevice(others);
  TakeStretches();
}

void GpuHistGrower::FindOnDevice(Pairs const& pairs) {
  std::vector<Node*> nodes;
  auto const request = SendLevel(pairs, &nodes);
  data_->best.Reserve(nodes.size() * NumFeatureBlocks(columns_.TreeSet().size()));
  data_->n_left.Reserve(2 * pending_.size());
  MoveRows(request);
  if (pairs.empty()) return;  // all rows have their leaves
  AddUp(request, pairs.size());
  Find(request, pairs.size());
  categories_.Fetch(nodes);
  cuda_.Synchronize();  // for the best splits, how many rows went left and the sums of categories
  ReadAnswers(nodes);
}

void GpuHistGrower::ReadAnswers(std::vector<Node*> const& nodes) {
  auto const n_blocks = NumFeatureBlocks(columns_.TreeSet().size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::uint32_t block = 0; block < n_blocks; ++block) {
      auto const& found = data_->best.data()[i * n_blocks + block];
      if (IsBetter(found, nodes[i]->best)) nodes[i]->best = found;
    }
  }
  categories_.Search(ctx_, BinSplitFinder(gain_, cuts_), nodes);
}

void GpuHistGrower::TakeStretches() {
  stretches_.resize(tree_.NumNodes());
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    auto const& split = pending_[i];
    auto const rows = stretches_[split.node];
    stretches_[split.node] = {};
    if (split.is_last) continue;
    auto const n_left = data_->n_left.data()[2 * i];
    auto const buffer = rows.buffer == 0 ? 1 : 0;
    stretches_[split.left] = {rows.begin, n_left, buffer};
    stretches_[split.right] = {rows.begin + n_left, rows.count - n_left, buffer};
  }
  pending_.clear();
}

void GpuHistGrower::WriteLeaves() {
  std::vector<LeafRows> leaves;
  std::uint32_t n_tiles = 0;
  for (std::int32_t node = 0; node < static_cast<std::int32_t>(stretches_.size()); ++node) {
    if (stretches_[node].count == 0) continue;
    leaves.push_back({stretches_[node], n_tiles, node});
    n_tiles += RowTiles(stretches_[node].count);
  }
  auto& upload = data_->of_leaves;
  upload.Clear();
  auto const place = upload.Add(leaves);
  upload.Send(cuda_);
  kauri::cuda::WriteLeaves(cuda_, {upload.At<LeafRows>(place), leaves.size()}, n_tiles, data_->rows.Pointers(),
                           leaf_of_row_.data());
}

}  // namespace kauri::cuda
