#include "cuda/hist_vector/vector_on_device.h"

#include <algorithm>
#include <string>

#include "cuda/common/cuda_context.h"
#include "cuda/common/memory_plan.h"

namespace kauri::cuda {

void VectorHistograms::Resize(CudaContext const& cuda, std::size_t n_words) {
  n_pairs_ = PairsOf(n_words);
  pairs_ = DeviceHistograms(n_pairs_);
  n_lent_ = 0;
  most_lent_ = FreeBytes(cuda) / 4 / (std::max<std::size_t>(1, n_pairs_) * sizeof(FixedSum));
}

std::int64_t* VectorHistograms::Borrow(CudaContext const& cuda) {
  ++n_lent_;
  return AsWords(pairs_.Borrow(cuda));
}

void VectorHistograms::GiveBack(std::int64_t* histogram) {
  --n_lent_;
  pairs_.GiveBack(AsPairs(histogram));
}

void VectorHistograms::Reset(CudaContext const& cuda) {
  n_lent_ = 0;
  pairs_.Reset(cuda);
}

void VectorShard::BeginTree(CudaContext const& main, Event const& ready, TableOnDevice const& table,
                            Span<std::uint8_t const> sampled) {
  Post([this, main, &ready, table, sampled] {
    BeginRows(main, ready, sampled);
    CopyTable(main.device, table);
  });
}

void VectorShard::CopyTable(int main, TableOnDevice const& table) {
  auto const place = Shard().Place();
  auto const n_values = ToSize(place.count * table.stride);
  if (values_.size() < n_values) {
    values_ = Buffer<std::int32_t>();
    Cuda().Synchronize();  // for its release: memory counts as used until the stream has freed it
    RequireMemory(Cuda(), "the gradients of a share of " + std::to_string(place.count) + " rows",
                  {{"fixed-point gradients", n_values * sizeof(std::int32_t)}});
    values_ = Buffer<std::int32_t>(Cuda(), n_values);
  }
  CopyFromDevice(Cuda(), main, table.values + place.first * table.stride, n_values, values_.data());
  table_ = {values_.data(), table.stride, table.n_sums};
}

std::size_t VectorShard::SumsOfNode() const { return PairsOf(std::size_t{Shard().Bins().n_cells} * table_.n_sums); }

void VectorShard::AddNodes(std::vector<NodeSource> const& nodes, FixedSum* sums, Upload* request) {
  nodes_.clear();
  for (auto const& node : nodes) {
    nodes_.push_back({node, AsWords(sums)});
    sums += SumsOfNode();
  }
  nodes_place_ = request->Add(nodes_);
}

void VectorShard::AddRows(RowsToAdd const& rows) {
  plan_.Reserve(Cuda(), rows.n_nodes);
  SumTask sum{};
  sum.nodes = {rows.request.At<SummedNode>(nodes_place_), rows.n_nodes};
  sum.plan = {plan_.data(), rows.n_nodes};
  sum.n_left = rows.n_left;
  sum.lists = Rows().Pointers();
  sum.table = table_;
  sum.most_rows = rows.most_rows;
  AddTableRows(Cuda(), Shard().Bins(), sum);
}

VectorOnDevice::VectorOnDevice(CudaContext const& cuda, DeviceBins const& from, ShardDevices const& wanted)
    : bins(from),
      devices(wanted.devices),
      n_own_rows(ShardRows(cuda, from, wanted, &shards)),
      table_ready(cuda.device) {
  rows.TakeBins(cuda, from, n_own_rows);
}

void VectorOnDevice::Resize(CudaContext const& cuda, std::int64_t n_sums_of_row) {
  n_sums = n_sums_of_row;
  histograms.Resize(cuda, bins.n_cells * ToSize(n_sums_of_row));
}

}  // namespace kauri::cuda
