#include "cuda/hist_vector/vector_shard.h"

#include <string>

#include "cuda/common/memory_plan.h"
#include "cuda/common/peer.h"
#include "cuda/hist_vector/vector_histograms.h"

namespace kauri::cuda {

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

}  // namespace kauri::cuda
