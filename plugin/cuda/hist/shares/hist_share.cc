#include "cuda/hist/shares/hist_share.h"

#include <string>

#include "cuda/common/memory_plan.h"
#include "cuda/common/peer.h"
#include "cuda/hist/histogram/row_ones.h"
#include "cuda/hist/shares/node_histograms.h"

namespace kauri::cuda {

void HistShare::BeginTree(CudaContext const& main, Event const& ready, DeviceTreeTask const& task, bool counts_rows) {
  auto const& cuda = rows_.Cuda();
  auto const place = rows_.Place();
  DeviceScope const scope(cuda.device);
  rows_.BeginTree(main, ready, task.sampled_rows);
  copied_.Reserve(cuda, ToSize(place.count));
  CopyFromDevice(cuda, main.device, task.pairs.data() + place.first, ToSize(place.count), copied_.data());
  pairs_ = copied_.data();
  CountRows(counts_rows);
}

void HistShare::BeginTree(ShareInput const& input, bool counts_rows) {
  DeviceScope const scope(rows_.Cuda().device);
  rows_.BeginTree(input);
  pairs_ = input.pairs.data();
  CountRows(counts_rows);
}

void HistShare::CountRows(bool counts_rows) {
  if (counts_rows == (ones_.size() != 0)) return;
  ones_ = counts_rows ? MakeOnes(rows_.Cuda(), ToSize(rows_.Place().count)) : Buffer<FixedPair>();
}

void HistShare::AddUp(std::vector<WantedNode> const& nodes) {
  auto const& cuda = rows_.Cuda();
  auto const& bins = rows_.Bins();
  auto& request = rows_.Request();
  DeviceScope const scope(cuda.device);
  auto const n_sums = nodes.size() * SumsOfNode();
  if (sums_.size() < n_sums) {
    RequireMemory(cuda, "histograms of " + std::to_string(nodes.size()) + " nodes of a share",
                  {{"histograms", n_sums * sizeof(FixedSum)}});
    sums_.Reserve(cuda, n_sums);
  }
  FillZero(cuda, sums_.data(), n_sums);
  AddTask add{};
  nodes_.clear();
  for (auto const& node : nodes) {
    auto const source = rows_.Rows().SourceOf(node.id);
    auto* const sums = sums_.data() + nodes_.size() * SumsOfNode();
    nodes_.push_back({source.rows, source.split, source.is_left, sums});
    add.most_rows += source.rows.count / (node.has_sibling ? 2 : 1);
  }
  request.Clear();
  rows_.Rows().AddTo(&request);
  auto const nodes_place = request.Add(nodes_);
  request.Send(cuda);
  rows_.Rows().Move(cuda, request);
  add.nodes = {request.At<HistogramNode>(nodes_place), nodes_.size()};
  add.n_left = rows_.Rows().NumLeft(request).data();
  add.rows = rows_.Rows().Pointers();
  add.pairs = pairs_;
  AddRows(cuda, bins, add, &plan_);
  if (ones_.size() != 0) {
    add.pairs = ones_.data();
    add.first_sum = bins.n_sums;
    AddRows(cuda, bins, add, &plan_);
  }
  rows_.Rows().FetchAnswer(cuda, request);
  rows_.Finish();
}

void HistShare::Collect(SumCollection const& to) {
  auto const n_sums = to.nodes.size() * SumsOfNode();
  rows_.Done().HoldBack(to.main);
  to.scratch->Reserve(to.main, n_sums);
  CopyFromDevice(to.main, rows_.Cuda().device, sums_.data(), n_sums, to.scratch->data());
  AddToHistograms(to.main, to.scratch->data(), {to.nodes, static_cast<std::uint32_t>(SumsOfNode())});
}

}  // namespace kauri::cuda
