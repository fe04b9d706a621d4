#include "cuda/hist/tree_rows.h"

#include <memory>

#include "collective/reduce.h"
#include "cuda/tree/row_sums.h"
#include "kauri/error.h"

namespace kauri::cuda {
namespace {

std::int64_t NumRowsIn(GrowingRowsOnDevice const& rows, std::int32_t node) {
  auto const source = rows.SourceOf(node);
  return kauri::cuda::NumRowsOf({source.rows, source.split, source.is_left, nullptr}, rows.Answer());
}

}  // namespace

void RowState::TakeBins(CudaContext const& cuda, DeviceBins const& bins) {
  is_sharded = false;
  n_own = bins.n_rows;
  own.TakeBins(cuda, bins, n_own);
  records.TakeBins(cuda, bins);
}

void RowState::Shard(CudaContext const& cuda, DeviceBins const& bins, ShardDevices const& among) {
  if (is_sharded) return;
  n_own = ShardRows(cuda, bins, among, &shards);
  own.TakeFirst(n_own);
  is_sharded = true;
}

void RowState::AddHostRows(CudaContext const& cuda, DeviceBins const& bins, DeviceBins const& whole) {
  ShardRange const on_host{bins.n_rows, whole.n_rows - bins.n_rows};
  shards.push_back(std::make_unique<HistShard>(cuda.device, cuda.device, on_host));
  shards.back()->ReadBins(whole);
  shards.back()->Wait();
}

TreeRows::~TreeRows() {
  for (auto const& shard : state_.shards) shard->Settle();
}

void TreeRows::Reset(ShardTree const& tree) {
  BeginShards(tree);
  auto const& sampled = task_.sampled_rows;
  auto const n_own = ToSize(state_.n_own);
  state_.records.BeginTree(tree.max_depth);
  state_.own.Reset(cuda_, {leaf_of_row_.data(), n_own}, {sampled.data(), sampled.empty() ? 0 : n_own});
}

void TreeRows::BeginShards(ShardTree const& tree) {
  auto const& shards = state_.shards;
  if (!task_.shards.empty()) {
    if (shards.size() != task_.shards.size())
      Fail(ErrorKind::kInternal, "expected as many shards of rows in the task as in the data, got another number");
    for (std::size_t i = 0; i < shards.size(); ++i) shards[i]->BeginTree(task_.shards[i], tree);
    return;
  }
  if (!shards.empty()) state_.gradients_ready.Record(cuda_);
  for (auto const& shard : shards) shard->BeginTree(cuda_, state_.gradients_ready, task_, tree);
}

void TreeRows::Split(std::vector<CodeSplit> const& splits) {
  state_.own.Split(splits);
  if (state_.shards.empty()) return;
  auto const copied = std::make_shared<std::vector<CodeSplit> const>(splits);
  for (auto const& shard : state_.shards) shard->Split(copied);
}

void TreeRows::Foresee(CodeSplit const& split) {
  state_.own.Foresee(split);
  for (auto const& shard : state_.shards) shard->Foresee(split);
}

void TreeRows::MoveNow(Upload* moves) {
  for (auto const& shard : state_.shards) shard->Move();
  moves->Clear();
  state_.own.AddTo(moves);
  moves->Send(cuda_);
  state_.own.Move(cuda_, *moves);
}

void TreeRows::TakeStretches() {
  state_.own.TakeStretches();
  for (auto const& shard : state_.shards) shard->TakeStretches();
}

void TreeRows::TakeForeseen() {
  state_.own.TakeForeseen();
  for (auto const& shard : state_.shards) shard->TakeForeseen();
}

std::vector<FixedSum const*> TreeRows::CollectSums() const {
  std::vector<FixedSum const*> sums;
  for (auto const& shard : state_.shards) sums.push_back(shard->Collect(cuda_));
  return sums;
}

std::int64_t TreeRows::NumRowsOf(std::int32_t node) const {
  auto n_rows = NumRowsIn(state_.own, node);
  for (auto const& shard : state_.shards) n_rows += NumRowsIn(shard->Rows(), node);
  return n_rows;
}

void TreeRows::WriteLeavesOfShards() {
  for (std::size_t i = 0; i < state_.shards.size(); ++i) {
    if (task_.shards.empty()) {
      state_.shards[i]->WriteLeaves(cuda_, leaf_of_row_);
    } else {
      state_.shards[i]->WriteLeaves(task_.shards[i]);
    }
  }
}

void TreeRows::WriteLeaves() {
  WriteLeavesOfShards();
  state_.own.WriteLeaves(cuda_, leaf_of_row_.data());
}

void TreeRows::Wait() {
  for (auto const& shard : state_.shards) shard->Wait();
}

std::vector<std::int64_t> TreeRows::CountLeaves(Context const& ctx, Tree const& tree) const {
  auto n_rows = CountLeafRows(cuda_, tree, task_.sampled_rows, leaf_of_row_);
  for (std::size_t i = 0; i < task_.shards.size(); ++i) {
    auto const& cuda = state_.shards[i]->Cuda();
    DeviceScope const scope(cuda.device);
    auto const& input = task_.shards[i];
    auto const there = CountLeafRows(cuda, tree, input.sampled, input.leaf_of_row);
    for (std::size_t node = 0; node < n_rows.size(); ++node) n_rows[node] += there[node];
  }
  SumOverRanks(ctx, n_rows);
  return n_rows;
}

}  // namespace kauri::cuda
