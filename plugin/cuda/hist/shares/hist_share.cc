#include "cuda/hist/shares/hist_share.h"

#include <string>

#include "cuda/common/memory_plan.h"
#include "cuda/common/peer.h"
#include "cuda/hist/histogram/row_ones.h"

namespace kauri::cuda {

void HistShare::TakeBins(DeviceBins const& from) {
  answered_ = worker_.Post([this, &from] {
    rows_.TakeBins(from);
    records_.TakeBins(rows_.Cuda(), rows_.Bins());
  });
}

void HistShare::ReadBins(DeviceBins const& from) {
  answered_ = worker_.Post([this, &from] { rows_.ReadBins(from); });
}

void HistShare::BeginTree(CudaContext const& main, Event const& ready, DeviceTreeTask const& task,
                          SharedTree const& tree) {
  worker_.Post([this, main, &ready, pairs = task.pairs, sampled = task.sampled_rows, tree] {
    auto const& cuda = rows_.Cuda();
    auto const place = rows_.Place();
    rows_.BeginTree(main, ready, sampled);
    copied_.Reserve(cuda, ToSize(place.count));
    CopyFromDevice(cuda, main.device, pairs.data() + place.first, ToSize(place.count), copied_.data());
    TakePairs(copied_.data(), tree);
  });
}

void HistShare::BeginTree(ShareInput const& input, SharedTree const& tree) {
  worker_.Post([this, input, tree] {
    rows_.BeginTree(input);
    TakePairs(input.pairs.data(), tree);
  });
}

void HistShare::TakePairs(FixedPair const* pairs, SharedTree const& tree) {
  has_moved_ = false;
  pairs_ = pairs;
  records_.BeginTree(tree.max_depth);
  if (tree.counts_rows == (ones_.size() != 0)) return;
  ones_ = tree.counts_rows ? MakeOnes(rows_.Cuda(), ToSize(rows_.Place().count)) : Buffer<FixedPair>();
}

void HistShare::Split(Splits const& splits) {
  worker_.Post([this, splits] { rows_.Rows().Split(*splits); });
}

void HistShare::Foresee(CodeSplit const& split) {
  worker_.Post([this, split] { rows_.Rows().Foresee(split); });
}

void HistShare::TakeStretches() {
  worker_.Post([this] {
    rows_.Rows().TakeStretches();
    has_moved_ = false;  // by splits that nobody was added up after
  });
}

void HistShare::TakeForeseen() {
  worker_.Post([this] { rows_.Rows().TakeForeseen(); });
}

void HistShare::Move() {
  worker_.Post([this] {
    moves_.Clear();
    rows_.Rows().AddTo(&moves_);
    moves_.Send(rows_.Cuda());
    rows_.Rows().Move(rows_.Cuda(), moves_);
    has_moved_ = true;
  });
}

void HistShare::AddUp(std::vector<WantedNode> const& nodes) {
  added_ = worker_.Post([this, nodes] { AddUpRows(nodes); });
  answered_ = worker_.Post([this] { rows_.Done().Wait(); });
}

void HistShare::ReserveSums(std::size_t n_nodes) {
  auto const n_sums = n_nodes * SumsOfNode();
  if (sums_.size() < n_sums) {
    RequireMemory(rows_.Cuda(), "histograms of " + std::to_string(n_nodes) + " nodes of a share",
                  {{"histograms", n_sums * sizeof(FixedSum)}});
    sums_.Reserve(rows_.Cuda(), n_sums);
  }
  FillZero(rows_.Cuda(), sums_.data(), n_sums);
}

void HistShare::AddUpRows(std::vector<WantedNode> const& nodes) {
  auto const& cuda = rows_.Cuda();
  auto const& bins = rows_.Bins();
  auto& rows = rows_.Rows();
  auto& request = rows_.Request();
  ReserveSums(nodes.size());
  AddTask add{};
  nodes_.clear();
  for (auto const& node : nodes) {
    auto const source = rows.SourceOf(node.id);
    auto* const sums = sums_.data() + nodes_.size() * SumsOfNode();
    nodes_.push_back({source.rows, source.split, source.is_left, sums});
    add.most_rows += source.rows.count / (node.has_sibling ? 2 : 1);
  }
  request.Clear();
  if (!has_moved_) rows.AddTo(&request);
  auto const nodes_place = request.Add(nodes_);
  request.Send(cuda);
  if (!has_moved_) rows.Move(cuda, request);
  auto const& moves = has_moved_ ? moves_ : request;
  add.nodes = {request.At<HistogramNode>(nodes_place), nodes_.size()};
  add.n_left = rows.NumLeft(moves).data();
  add.rows = rows.Pointers();
  add.pairs = pairs_;
  add.records = records_.Data();
  add.writes_records = records_.TakeTurn();
  AddRows(cuda, bins, add, &plan_);
  if (ones_.size() != 0) {
    add.pairs = ones_.data();
    add.records = nullptr;
    add.first_sum = bins.n_sums;
    AddRows(cuda, bins, add, &plan_);
  }
  rows.FetchAnswer(cuda, moves);
  rows_.Finish();
  has_moved_ = false;
}

FixedSum const* HistShare::Collect(CudaContext const& main) {
  worker_.Wait(added_);
  rows_.Done().HoldBack(main);
  auto const device = rows_.Cuda().device;
  if (CanRead(main.device, device)) return sums_.data();
  auto const n_sums = nodes_.size() * SumsOfNode();
  sums_on_main_.Reserve(main, n_sums);
  CopyFromDevice(main, device, sums_.data(), n_sums, sums_on_main_.data());
  return sums_on_main_.data();
}

void HistShare::WriteLeaves(CudaContext const& main, Span<std::int32_t> leaf_of_row) {
  answered_ = worker_.Post([this, main, leaf_of_row] {
    DeviceScope const scope(main.device);
    rows_.WriteLeaves(main, leaf_of_row);
  });
}

void HistShare::WriteLeaves(ShareInput const& input) {
  answered_ = worker_.Post([this, input] { rows_.WriteLeaves(input); });
}

}  // namespace kauri::cuda
