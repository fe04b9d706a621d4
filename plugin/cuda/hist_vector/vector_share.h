/// \file What a device other than the main one adds up for trees with vector leaves (hist/shares/sum_share.h): rows of
/// the tree's table of gradients.
///
/// The main device makes the table; a share copies its rows of it, 4 bytes for each sum and row of a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/hist/shares/sum_share.h"
#include "cuda/hist_vector/add_table_rows.h"
#include "cuda/hist_vector/device_table.h"

namespace kauri::cuda {

class VectorShare final : public SumShare {
 public:
  using SumShare::SumShare;
  ~VectorShare() override { Settle(); }

  /// Takes its rows of the table from the main device once `ready` is reached. table, sampled: of all rows, there;
  /// sampled may be empty.
  void BeginTree(CudaContext const& main, Event const& ready, TableOnDevice const& table,
                 Span<std::uint8_t const> sampled);

 private:
  std::size_t SumsOfNode() const override;
  void AddNodes(std::vector<NodeSource> const& nodes, FixedSum* sums, Upload* request) override;
  void AddRows(SharedRows const& rows) override;

  void CopyTable(int main, TableOnDevice const& table);

  Buffer<std::int32_t> values_;  ///< [count, stride]
  TableOnDevice table_{};        ///< of the tree's, these rows
  Buffer<LaidRows> plan_;
  std::vector<SummedNode> nodes_;
  std::size_t nodes_place_ = 0;  ///< in the request
};

}  // namespace kauri::cuda
