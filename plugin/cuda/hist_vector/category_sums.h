/// \file Sums of categorical features, whose splits the host finds: copies from the nodes' histograms.
///
/// Without categorical features nothing here does anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/hist_vector/vector_on_device.h"
#include "kauri/context.h"
#include "tree/growth/hist_growth.h"
#include "tree/hist_vector/vector_categories.h"
#include "tree/hist_vector/vector_growth.h"

namespace kauri::cuda {

class CategorySums {
 public:
  using Node = GrowingNode<VectorGrowth>;

  CategorySums(CudaContext const& cuda, VectorOnDevice* data);

  /// Queues the copies of these nodes' sums, which are valid once the stream has been synchronised.
  void Fetch(std::vector<Node*> const& nodes);
  /// Replaces the best splits of the nodes for which a categorical split is better. nodes: in the order of Fetch.
  void Search(Context const& ctx, VectorGainParam const& gain, CategoryRules const& rules,
              std::vector<Node*> const& nodes) const;

 private:
  void SearchNode(VectorGainParam const& gain, CategoryRules const& rules, std::size_t index, Node* node) const;
  VectorCells CellsOf(std::size_t index, std::uint32_t feature) const;

  CudaContext cuda_;
  VectorOnDevice* data_;
  std::vector<std::size_t> begin_;  ///< [n_categorical + 1]: first sum of each categorical feature among a node's sums
};

}  // namespace kauri::cuda
