#include "cuda/hist/shards/hist_shard.h"

#include "cuda/common/cuda_context.h"
#include "cuda/common/event.h"
#include "cuda/hist/histogram/device_histograms.h"

namespace kauri::cuda {

void HistShard::BeginTree(CudaContext const& main, Event const& ready, DeviceTreeTask const& task,
                          ShardTree const& tree) {
  Post([this, main, &ready, pairs = task.pairs, sampled = task.sampled_rows, tree] {
    auto const place = Shard().Place();
    BeginRows(main, ready, sampled);
    copied_.Reserve(Cuda(), ToSize(place.count));
    CopyFromDevice(Cuda(), main.device, pairs.data() + place.first, ToSize(place.count), copied_.data());
    TakePairs(copied_.data(), nullptr, tree);
  });
}

void HistShard::BeginTree(ShardInput const& input, ShardTree const& tree) {
  Post([this, input, tree] {
    BeginRows(input);
    TakePairs(input.pairs.data(), input.small.data(), tree);
  });
}

void HistShard::TakePairs(FixedPair const* pairs, SmallPair const* small, ShardTree const& tree) {
  pairs_ = pairs;
  small_ = small;
  records_.BeginTree(tree.max_depth);
  if (tree.counts_rows == (ones_.size() != 0)) return;
  ones_ = tree.counts_rows ? MakeOnes(Cuda(), ToSize(Shard().Place().count)) : Buffer<FixedPair>();
}

void HistShard::AddNodes(std::vector<NodeSource> const& nodes, FixedSum* sums, Upload* request) {
  nodes_.clear();
  for (auto const& node : nodes) {
    nodes_.push_back({node.rows, node.split, node.is_left, sums});
    sums += SumsOfNode();
  }
  nodes_place_ = request->Add(nodes_);
}

void HistShard::AddRows(RowsToAdd const& rows) {
  auto const& bins = Shard().Bins();
  AddTask add{};
  add.nodes = {rows.request.At<HistogramNode>(nodes_place_), rows.n_nodes};
  add.n_left = rows.n_left;
  add.rows = Rows().Pointers();
  add.most_rows = rows.most_rows;
  add.Take(pairs_, small_, &records_);
  cuda::AddRows(Cuda(), bins, add, &plan_);
  if (ones_.size() == 0) return;
  add.pairs = ones_.data();
  add.small = nullptr;
  add.records = nullptr;
  add.first_sum = bins.n_sums;
  cuda::AddRows(Cuda(), bins, add, &plan_);
}

void HistShard::AddUpLevel(ShardLevel const& level) {
  PostAddUp([this, level] {
    LevelPlace const place{level.depth};
    if (level.depth == 0) {
      levels_.Begin(Cuda(), LevelPlace{level.n_levels}, Shard().Bins(), Rows(), small_);
      level_sums_ = ReserveSums(LevelPlace{level.n_levels}.FirstPair());
      BeginLevels(Cuda(), levels_.Arrays(), Rows().Root(), level_sums_);
    } else {
      AwaitDecision(level);
      Follow(level, level_sums_ + place.FirstPair() * SumsOfNode());
    }
    GiveSums(place.FirstPair(), place.NumPairs());
    auto add = levels_.Added(level.depth);
    add.Take(pairs_, small_, &records_);
    levels_.AddUp(Cuda(), add, level.depth, &plan_);
    if (level.signals.added != nullptr) SendSignal(Cuda(), level.signals.added, level.signals.turn);
    FinishSums();
  });
}

void HistShard::AwaitDecision(ShardLevel const& level) {
  if (level.signals.decided == nullptr) return level.decided->HoldBack(Cuda());
  AwaitSignals(Cuda(), {level.signals.decided}, level.signals.turn - 1, level.signals.gave_up);
}

void HistShard::Follow(ShardLevel const& level, FixedSum* sums) {
  LevelPlace const before{level.depth - 1};
  FollowLevel(Cuda(), {levels_.Arrays(), DecisionsOf(level, before), sums, SumsOfNode()}, before.depth);
  levels_.Move(Cuda(), before.depth);
}

NodeDecision const* HistShard::DecisionsOf(ShardLevel const& level, LevelPlace const& before) {
  auto const* const decisions = level.decisions + before.FirstNode();
  if (CanRead(Cuda().device, level.main)) return decisions;
  decisions_.Reserve(Cuda(), before.NumNodes());
  CopyFromDevice(Cuda(), level.main, decisions, before.NumNodes(), decisions_.data());
  return decisions_.data();
}

}  // namespace kauri::cuda
