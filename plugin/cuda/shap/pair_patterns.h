/// \file The distinct patterns of a background at leaves with long paths (predictor/interventional/direct_leaf.h),
/// found on the device, with the host's bits.
#pragma once

#include <cstdint>

#include "cuda/shap/row_keys.h"
#include "predictor/lanes/lane_batch.h"

namespace kauri::cuda {

/// Some leaves of LeafForm::kPairs. Device memory, not owning.
struct PairTask {
  LaneLeaves leaves;
  LeafSource const* sources;     ///< by leaf
  std::uint32_t const* numbers;  ///< leaves to work on, [n_leaves]
  std::int64_t n_leaves;
  RowKeys background;  ///< at least one row, at most MostPairRows
  CategoryConditionsView categories;
  LaneLeaf* leaves_out;  ///< by leaf: begin and n_patterns are set
  /// (out) [n_leaves, rows of the background], the first n_patterns of each leaf are set, in order
  LanePattern* patterns;
  double* reached;  ///< (out) by leaf: total weight of the rows that reach it
};

/// Returns the largest number of background rows whose patterns a block can sort: 8,192 if it has more than 64 KiB of
/// shared memory, else 4,096.
std::int64_t MostPairRows(CudaContext const& cuda);

/// Finds the distinct patterns of each leaf. Asynchronous.
void FindPairPatterns(CudaContext const& cuda, PairTask const& task);

}  // namespace kauri::cuda
