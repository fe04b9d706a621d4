/// \file A shard of rows that adds up rows of the tree's gradient table, for trees with vector leaves
/// (hist/shards/sum_shard.h).
///
/// The main device makes the table; a shard copies its rows of it, 4 bytes for each sum and row of a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/hist/shards/sum_shard.h"
#include "cuda/hist_vector/add_table_rows.h"
#include "cuda/hist_vector/device_table.h"

namespace kauri::cuda {

class VectorShard final : public SumShard {
 public:
  using SumShard::SumShard;
  ~VectorShard() override { Settle(); }

  /// Begins a tree; copies its rows of the table from the main device once `ready` is reached. table, sampled: for all
  /// rows, on the main device; sampled may be empty.
  void BeginTree(CudaContext const& main, Event const& ready, TableOnDevice const& table,
                 Span<std::uint8_t const> sampled);

 private:
  std::size_t SumsOfNode() const override;
  void AddNodes(std::vector<NodeSource> const& nodes, FixedSum* sums, Upload* request) override;
  void AddRows(RowsToAdd const& rows) override;

  void CopyTable(int main, TableOnDevice const& table);

  Buffer<std::int32_t> values_;  ///< [count, stride]
  TableOnDevice table_{};        ///< this shard's rows of the tree's table
  Buffer<LaidRows> plan_;
  std::vector<SummedNode> nodes_;
  std::size_t nodes_place_ = 0;  ///< place in the request
};

}  // namespace kauri::cuda
