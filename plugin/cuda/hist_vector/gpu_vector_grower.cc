#include "cuda/hist_vector/gpu_vector_grower.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "cuda/hist/shards/node_histograms.h"
#include "cuda/hist/split/find_task.h"
#include "cuda/hist_vector/device_table.h"
#include "cuda/hist_vector/level_answers.h"
#include "cuda/tree/row_sums.h"
#include "tree/gain_noise.h"

namespace kauri::cuda {
namespace {

/// Maximum number of found splits in a request; each of its nodes has one for each feature of the tree.
constexpr std::size_t kMostFound = std::size_t{1} << 23U;

}  // namespace

GpuVectorGrower::GpuVectorGrower(Context const& ctx, GrowthRules const& rules, VectorTask const& task,
                                 VectorOnDevice* data)
    : SymmetricGrowth(ctx, rules, task.tree.table, *data->bins.cuts),
      cuda_(task.cuda),
      table_(task.table),
      data_(data),
      task_(task.tree),
      leaf_of_row_(task.leaf_of_row),
      categories_(task.cuda, data) {
  data_->histograms.Reset(cuda_);
  if (param_.grow_policy != TreeParam::kSymmetric) return;
  DrawnLevelSearch::Rules const search{cuts_, gain_, static_cast<double>(param_.gamma), constraints_.Signs(), costs_};
  search_.emplace(search, PlainColumnsOnDevice(data->bins));
}

GpuVectorGrower::~GpuVectorGrower() {
  for (auto const& shard : data_->shards) shard->Settle();
}

void GpuVectorGrower::ResetRows() {
  auto const& sampled = task_.sampled_rows;
  if (!data_->shards.empty()) data_->table_ready.Record(cuda_);
  for (auto const& shard : data_->shards) shard->BeginTree(cuda_, data_->table_ready, table_, sampled);
  auto const n_own = ToSize(data_->n_own_rows);
  data_->rows.Reset(cuda_, {leaf_of_row_.data(), n_own}, {sampled.data(), sampled.empty() ? 0 : n_own});
}

void GpuVectorGrower::SplitRows(std::vector<CodeSplit> const& splits) {
  data_->rows.Split(splits);
  if (data_->shards.empty()) return;
  auto const copied = std::make_shared<std::vector<CodeSplit> const>(splits);
  for (auto const& shard : data_->shards) shard->Split(copied);
}

VectorTotal GpuVectorGrower::MakeRoot() {
  SendTree();
  auto sums = SumTableRows(cuda_, table_, data_->bins.n_rows);
  if (HasNoise()) {
    SetNoise(task_.place, SumSquares(ctx_, SquareTableRows(cuda_, table_, data_->bins.n_rows)), sums);
  }
  return SetRoot(std::move(sums));
}

void GpuVectorGrower::WriteLeaves() {
  for (auto const& shard : data_->shards) shard->WriteLeaves(cuda_, leaf_of_row_);
  data_->rows.WriteLeaves(cuda_, leaf_of_row_.data());
  for (auto const& shard : data_->shards) shard->Wait();
  SmoothBy([&] { return CountLeafRows(cuda_, tree_, task_.sampled_rows, leaf_of_row_); });
}

void GpuVectorGrower::SendTree() {
  auto& upload = data_->of_tree;
  upload.Clear();
  tree_features_ = upload.Add(columns_.TreeSet());
  signs_ = upload.Add(std::vector<std::int8_t>(constraints_.Signs().begin(), constraints_.Signs().end()));
  units_ = upload.Add(std::vector<GradientUnit>(task_.table.units.begin(), task_.table.units.end()));
  auto const& free = task_.place.free_outputs;
  free_outputs_ = upload.Add(std::vector<std::uint8_t>(free.begin(), free.end()));
  upload.Send(cuda_);
}

std::size_t GpuVectorGrower::NumAtOnce(std::size_t n_pairs) const {
  auto const& pool = data_->histograms;
  auto const left = pool.MostLent() > pool.NumLent() ? pool.MostLent() - pool.NumLent() : 1;
  // Other devices' sums may be copied to the same memory.
  auto const room = std::max<std::size_t>(1, left / (1 + data_->shards.size()));
  auto const scanned = std::max<std::size_t>(1, kMostFound / 2 / std::max<std::size_t>(1, columns_.TreeSet().size()));
  return std::min({n_pairs, room, scanned});
}

/// Finds the splits of all pairs, some pairs at a time. If memory is short, histograms are not kept, and both children
/// of such a node are added up.
void GpuVectorGrower::FindSplits(Pairs const& pairs) {
  if (search_.has_value()) return MoveRows();
  for (std::size_t first = 0; first < pairs.size();) {
    SomePairs const some(pairs.data() + first, NumAtOnce(pairs.size() - first));
    FindSome(some);
    first += some.size();
    if (data_->histograms.NumLent() < data_->histograms.MostLent()) continue;
    for (auto const& pair : some) {
      Release(pair.small);
      if (pair.large != nullptr) Release(pair.large);
    }
  }
}

void GpuVectorGrower::FindSome(SomePairs pairs) {
  auto request = MakeRequest(pairs);
  Send(&request);
  for (auto const& shard : data_->shards) shard->AddUp(request.wanted);
  data_->rows.Move(cuda_, data_->of_level);
  data_->rows.FetchAnswer(cuda_, data_->of_level);
  AddRows(request);
  Collect(request);
  Scan(request);
  categories_.Fetch(request.nodes);
  cuda_.Synchronize();  // for the best splits, what goes left there, how many rows did and the sums of categories
  ReadAnswers(request);
  data_->rows.TakeStretches();
  for (auto const& shard : data_->shards) shard->TakeStretches();
}

GpuVectorGrower::Request GpuVectorGrower::MakeRequest(SomePairs pairs) {
  Request request;
  for (auto const& pair : pairs) {
    pair.small->histogram = data_->histograms.Borrow(cuda_);
    if (pair.large != nullptr) pair.large->histogram = pair.parent;
    auto const source = data_->rows.SourceOf(pair.small->id);
    request.summed.push_back({source, pair.small->histogram});
    request.most_rows += source.rows.count / (pair.large == nullptr ? 1 : 2);
    if (!data_->shards.empty()) {
      request.wanted.push_back({pair.small->id, pair.large != nullptr});
      request.shared.push_back({source.rows, source.split, source.is_left, AsPairs(pair.small->histogram)});
    }
    auto const small = AddNode(pair.small, &request);
    request.pairs.push_back({small, pair.large == nullptr ? -1 : AddNode(pair.large, &request)});
  }
  return request;
}

std::int32_t GpuVectorGrower::AddNode(Node* node, Request* request) const {
  auto const& total = node->total;
  auto const list = node->IsOpen() ? AddAllowed(*node->features, columns_.TreeSet(), &request->allowed) : -1;
  request->scanned.push_back(
      {node->histogram, total.gain, list, node->IsOpen() ? 1U : 0U, total.draw.key, total.noise.key});
  request->sums.insert(request->sums.end(), total.sums.begin(), total.sums.end());
  request->bounds.insert(request->bounds.end(), total.bounds.begin(), total.bounds.end());
  request->nodes.push_back(node);
  return static_cast<std::int32_t>(request->nodes.size()) - 1;
}

void GpuVectorGrower::Send(Request* request) {
  auto& upload = data_->of_level;
  upload.Clear();
  data_->rows.AddTo(&upload);
  request->nodes_place = upload.Add(request->scanned);
  request->pairs_place = upload.Add(request->pairs);
  request->summed_place = upload.Add(request->summed);
  request->shared_place = upload.Add(request->shared);
  request->sums_place = upload.Add(request->sums);
  request->bounds_place = upload.Add(request->bounds);
  request->allowed_place = upload.Add(request->allowed);
  request->costs_place = upload.Add(costs_);
  upload.Send(cuda_);
}

void GpuVectorGrower::AddRows(Request const& request) {
  auto const n_pairs = request.pairs.size();
  data_->plan.Reserve(cuda_, n_pairs);
  SumTask sum{};
  sum.nodes = {data_->of_level.At<SummedNode>(request.summed_place), n_pairs};
  sum.plan = {data_->plan.data(), n_pairs};
  sum.n_left = data_->rows.NumLeft(data_->of_level).data();
  sum.lists = data_->rows.Pointers();
  sum.table = table_;
  sum.most_rows = request.most_rows;
  AddTableRows(cuda_, data_->bins, sum);
}

void GpuVectorGrower::Collect(Request const& request) {
  if (data_->shards.empty()) return;
  std::vector<FixedSum const*> sums;
  for (auto const& shard : data_->shards) sums.push_back(shard->Collect(cuda_));
  AddToHistograms(
      cuda_, sums,
      {{data_->of_level.At<HistogramNode>(request.shared_place), request.shared.size()}, data_->histograms.NumPairs()});
}

void GpuVectorGrower::Scan(Request const& request) {
  auto const& of_tree = columns_.TreeSet();
  auto const& level = data_->of_level;
  auto const n_nodes = request.nodes.size();
  data_->found.Reserve(cuda_, n_nodes * of_tree.size());
  data_->best.Reserve(n_nodes);
  data_->left.Reserve(n_nodes * ToSize(data_->n_sums));
  ScanTask scan{};
  scan.gain = gain_.Of(0);
  scan.gain.monotone = !constraints_.Signs().empty();
  scan.units = data_->of_tree.At<GradientUnit>(units_);
  scan.n_outputs = static_cast<std::uint32_t>(gain_.NumOutputs());
  scan.n_hessians = static_cast<std::uint32_t>(gain_.n_hessians);
  scan.n_sums = table_.n_sums;
  scan.noise = {noise_deviation_, 0, param_.gamma};
  scan.least_rows = gain_.least_rows;
  scan.draws = param_.extra_trees;
  scan.min_child_weight = gain_.min_child_weight;
  scan.features = data_->bins.device_features.data();
  scan.cut_values = data_->bins.cut_values.data();
  scan.min_values = data_->bins.min_values.data();
  scan.is_categorical = data_->bins.device_is_categorical.data();
  scan.signs = constraints_.Signs().empty() ? nullptr : data_->of_tree.At<std::int8_t>(signs_);
  scan.costs = costs_.empty() ? nullptr : level.At<float>(request.costs_place);
  scan.tree_features = {data_->of_tree.At<std::uint32_t>(tree_features_), of_tree.size()};
  scan.allowed = level.At<std::uint8_t>(request.allowed_place);
  scan.pairs = {level.At<ScannedPair>(request.pairs_place), request.pairs.size()};
  scan.nodes = {level.At<ScannedNode>(request.nodes_place), n_nodes};
  scan.node_sums = level.At<std::int64_t>(request.sums_place);
  scan.bounds = request.bounds.empty() ? nullptr : level.At<WeightBounds>(request.bounds_place);
  scan.free_outputs = task_.place.free_outputs.empty() ? nullptr : data_->of_tree.At<std::uint8_t>(free_outputs_);
  scan.found = data_->found.data();
  scan.best = data_->best.data();
  scan.left = data_->left.data();
  ScanSplits(cuda_, scan);
}

void GpuVectorGrower::ReadAnswers(Request const& request) {
  auto const n_sums = ToSize(data_->n_sums);
  for (std::size_t i = 0; i < request.nodes.size(); ++i) {
    auto& node = *request.nodes[i];
    if (!node.IsOpen()) continue;
    node.best = data_->best.data()[i];
    auto const* const left = data_->left.data() + i * n_sums;
    if (node.best.IsValid()) node.total.left.assign(left, left + n_sums);
  }
  categories_.Search(ctx_, gain_, CategoryRulesOf(param_), request.nodes);
}

void GpuVectorGrower::MoveRows() {
  auto& rows = data_->rows;
  if (!rows.HasWaiting()) return;
  auto& request = data_->of_level;
  request.Clear();
  rows.AddTo(&request);
  request.Send(cuda_);
  rows.Move(cuda_, request);
  rows.FetchAnswer(cuda_, request);
  cuda_.Synchronize();  // for how many rows the nodes have
  rows.TakeStretches();
}

LevelSplit GpuVectorGrower::FindLevel(Nodes const& open) {
  if (open.empty()) return {};
  auto const sum = [&](LevelConditions const& conditions, Span<Node const> nodes) {
    return SumNodes(conditions, nodes);
  };
  return search_->Find(ctx_, open, DrawOf(open.front().depth), columns_.TreeSet(), sum);
}

std::int64_t const* GpuVectorGrower::SumNodes(LevelConditions const& conditions, Span<Node const> nodes) {
  auto const size = ToSize(search_->NumSums() * conditions.Width());
  auto& sums = data_->answers;
  auto& request = data_->of_level;
  sums.Reserve(cuda_, nodes.size() * size);
  std::vector<SummedNode> summed;
  AnswerTask task{};
  for (auto const& node : nodes) {
    summed.push_back({data_->rows.SourceOf(node.id), sums.data() + summed.size() * size});
    task.rows.most_rows += summed.back().source.rows.count;
  }
  auto const asked = AskedOf(data_->bins, conditions);
  request.Clear();
  auto const summed_place = request.Add(summed);
  auto const asked_place = request.Add(asked);
  request.Send(cuda_);
  data_->plan.Reserve(cuda_, summed.size());
  task.rows.nodes = {request.At<SummedNode>(summed_place), summed.size()};
  task.rows.plan = {data_->plan.data(), summed.size()};
  task.rows.lists = data_->rows.Pointers();
  task.rows.table = table_;
  task.asked = {request.At<AskedOnDevice>(asked_place), asked.size()};
  task.width = static_cast<std::uint32_t>(conditions.Width());
  task.misses = !conditions.Others().empty();
  FillZero(cuda_, sums.data(), nodes.size() * size);
  AddAnswers(cuda_, data_->bins, task);
  ReserveMore(nodes.size() * size, &data_->answers_on_host);
  CopyToHost(cuda_, sums.data(), nodes.size() * size, data_->answers_on_host.data());
  cuda_.Synchronize();  // for the sums
  return data_->answers_on_host.data();
}

}  // namespace kauri::cuda
