#include "cuda/hist/shards/sum_shard.h"

#include <string>

#include "cuda/common/cuda_context.h"
#include "cuda/common/memory_plan.h"

namespace kauri::cuda {

RowShard::RowShard(int device, int main, ShardRange rows) : stream_(device), main_(main), place_(rows), done_(device) {
  DeviceScope const scope(device);
  ReachEachOther(device, main);
}

RowShard::~RowShard() { done_.WaitQuietly(); }

void RowShard::TakeBins(DeviceBins const& from) {
  DeviceScope const scope(Cuda().device);
  bins_ = DeviceBins();  // first: their successors take as much memory
  Cuda().Synchronize();  // for the last tree's end: memory counts as used until the stream has freed it
  bins_ = CopyBins(Cuda(), main_, from, place_);
  rows_.TakeBins(Cuda(), bins_, bins_.n_rows);
}

void RowShard::CodeRows(DeviceBins const& layout, RowPart const& rows) {
  DeviceScope const scope(Cuda().device);
  bins_ = DeviceBins();  // first: their successors take as much memory
  Cuda().Synchronize();  // for the last tree's end: memory counts as used until the stream has freed it
  bins_ = CodeBins(Cuda(), layout, rows);
  rows_.TakeBins(Cuda(), bins_, bins_.n_rows);
}

void RowShard::ReadBins(DeviceBins const& from) {
  DeviceScope const scope(Cuda().device);
  bins_ = BorrowBins(Cuda(), from, place_);
  rows_.TakeBins(Cuda(), bins_, bins_.n_rows);
}

void RowShard::BeginTree(CudaContext const& main, Event const& ready, Span<std::uint8_t const> sampled) {
  DeviceScope const scope(Cuda().device);
  done_.Wait();  // for the last tree, which read the buffers that are overwritten now
  ready.HoldBack(Cuda());
  Span<std::uint8_t const> own;
  if (!sampled.empty()) {
    sampled_.Reserve(Cuda(), ToSize(place_.count));
    CopyFromDevice(Cuda(), main.device, sampled.data() + place_.first, ToSize(place_.count), sampled_.data());
    own = {sampled_.data(), ToSize(place_.count)};
  }
  leaf_of_row_.Reserve(Cuda(), ToSize(place_.count));
  rows_.Reset(Cuda(), {leaf_of_row_.data(), ToSize(place_.count)}, own);
}

void RowShard::BeginTree(ShardInput const& input) {
  DeviceScope const scope(Cuda().device);
  done_.Wait();  // for the last tree
  input.ready->HoldBack(Cuda());
  rows_.Reset(Cuda(), input.leaf_of_row, input.sampled);
}

void RowShard::WriteLeavesHere(std::int32_t* leaf_of_row) {
  DeviceScope const scope(Cuda().device);
  rows_.WriteLeaves(Cuda(), leaf_of_row);
  Finish();
}

void RowShard::WriteLeaves(ShardInput const& input) {
  WriteLeavesHere(input.leaf_of_row.data());
  done_.HoldBack(input.cuda);
}

void RowShard::WriteLeaves(CudaContext const& main, Span<std::int32_t> leaf_of_row) {
  WriteLeavesHere(leaf_of_row_.data());
  done_.HoldBack(main);
  CopyFromDevice(main, Cuda().device, leaf_of_row_.data(), ToSize(place_.count), leaf_of_row.data() + place_.first);
}

void SumShard::TakeBins(DeviceBins const& from) {
  answered_ = worker_.Post([this, &from] {
    shard_.TakeBins(from);
    TakeCodes();
  });
}

void SumShard::CodeRows(DeviceBins const& layout, RowPart const& rows) {
  answered_ = worker_.Post([this, &layout, rows] {
    shard_.CodeRows(layout, rows);
    TakeCodes();
  });
}

void SumShard::ReadBins(DeviceBins const& from) {
  answered_ = worker_.Post([this, &from] {
    shard_.ReadBins(from);
    TakeCodes();
  });
}

void SumShard::BeginRows(CudaContext const& main, Event const& ready, Span<std::uint8_t const> sampled) {
  has_moved_ = false;
  shard_.BeginTree(main, ready, sampled);
}

void SumShard::BeginRows(ShardInput const& input) {
  has_moved_ = false;
  shard_.BeginTree(input);
}

void SumShard::Split(Splits const& splits) {
  worker_.Post([this, splits] { Rows().Split(*splits); });
}

void SumShard::Foresee(CodeSplit const& split) {
  worker_.Post([this, split] { Rows().Foresee(split); });
}

void SumShard::TakeStretches() {
  worker_.Post([this] {
    Rows().TakeStretches();
    has_moved_ = false;  // the rows were moved by splits after which no sums were requested
  });
}

void SumShard::TakeForeseen() {
  worker_.Post([this] { Rows().TakeForeseen(); });
}

void SumShard::Move() {
  worker_.Post([this] {
    moves_.Clear();
    Rows().AddTo(&moves_);
    moves_.Send(Cuda());
    Rows().Move(Cuda(), moves_);
    has_moved_ = true;
  });
}

void SumShard::AddUp(std::vector<WantedNode> const& nodes) {
  added_ = worker_.Post([this, nodes] { AddUpRows(nodes); });
  answered_ = worker_.Post([this] { shard_.Done().Wait(); });
}

FixedSum* SumShard::ReserveSums(std::size_t n_nodes) {
  GiveSums(0, n_nodes);
  if (sums_.size() < n_sums_) {
    RequireMemory(Cuda(), "histograms of " + std::to_string(n_nodes) + " nodes of a share",
                  {{"histograms", n_sums_ * sizeof(FixedSum)}});
    sums_.Reserve(Cuda(), n_sums_);
  }
  FillZero(Cuda(), sums_.data(), n_sums_);
  return sums_.data();
}

void SumShard::GiveSums(std::size_t first_node, std::size_t n_nodes) {
  first_sum_ = first_node * SumsOfNode();
  n_sums_ = n_nodes * SumsOfNode();
}

void SumShard::AddUpRows(std::vector<WantedNode> const& nodes) {
  auto& rows = Rows();
  auto& request = shard_.Request();
  auto* const sums = ReserveSums(nodes.size());
  sources_.clear();
  std::int64_t most_rows = 0;
  for (auto const& node : nodes) {
    sources_.push_back(rows.SourceOf(node.id));
    most_rows += sources_.back().rows.count / (node.has_sibling ? 2 : 1);
  }
  request.Clear();
  if (!has_moved_) rows.AddTo(&request);
  AddNodes(sources_, sums, &request);
  request.Send(Cuda());
  if (!has_moved_) rows.Move(Cuda(), request);
  auto const& moves = has_moved_ ? moves_ : request;
  AddRows({request, nodes.size(), rows.NumLeft(moves).data(), most_rows});
  rows.FetchAnswer(Cuda(), moves);
  shard_.Finish();
  has_moved_ = false;
}

FixedSum const* SumShard::Collect(CudaContext const& main) {
  WaitUntilAsked();
  shard_.Done().HoldBack(main);
  return SumsFor(main);
}

FixedSum const* SumShard::SumsFor(CudaContext const& main) {
  auto const device = Cuda().device;
  auto const* const sums = sums_.data() + first_sum_;
  if (CanRead(main.device, device)) return sums;
  sums_on_main_.Reserve(main, n_sums_);
  CopyFromDevice(main, device, sums, n_sums_, sums_on_main_.data());
  return sums_on_main_.data();
}

void SumShard::TakeTree(Span<WalkNode const> tree, Event const& ready, int main) {
  worker_.Post([this, tree, &ready, main] {
    ready.HoldBack(Cuda());
    tree_.Reserve(Cuda(), tree.size());
    CopyFromDevice(Cuda(), main, tree.data(), tree.size(), tree_.data());
    Rows().TakeTree({tree_.data(), tree.size()});
  });
}

void SumShard::WriteLeaves(CudaContext const& main, Span<std::int32_t> leaf_of_row) {
  answered_ = worker_.Post([this, main, leaf_of_row] {
    DeviceScope const scope(main.device);
    shard_.WriteLeaves(main, leaf_of_row);
  });
}

void SumShard::WriteLeaves(ShardInput const& input) {
  answered_ = worker_.Post([this, input] { shard_.WriteLeaves(input); });
}

}  // namespace kauri::cuda
