/// \file The tables of leaves against a background: kernels that count the background's patterns and turn the counts
/// into tables, with the host's bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/shap/row_keys.h"
#include "predictor/interventional/interventional_kernel.h"
#include "predictor/lanes/lane_batch.h"

namespace kauri::cuda {

/// LeafRule in device memory.
struct TableRule {
  static constexpr std::uint32_t kMostPoints = 8;
  double node[kMostPoints];
  double coefficients[(kMostPartFeatures + 1) * kMostPoints];       ///< [n_features + 1, n_points]
  double pair_coefficients[(kMostPartFeatures + 1) * kMostPoints];  ///< [n_features + 1, n_points]
  std::uint32_t n_points;
  bool is_alone;
};

/// Returns the rules by number of features, [kMostPartFeatures + 1]. Waits for the copy.
Buffer<TableRule> MakeTableRules(CudaContext const& cuda, Semivalue semivalue);

/// Returns the largest number of features of a leaf whose table fits into a block's shared memory: 12, or fewer if
/// blocks have less than 144 KiB of it.
std::uint32_t MostTableFeatures(CudaContext const& cuda);

/// Tables of a piece in device memory, not owning.
struct PieceTables {
  std::int64_t* values;  ///< [TableSize()]
  std::int64_t* pairs;   ///< [PairTableSize()]
};

/// All leaves of a piece; those of LeafForm::kPairs are left out.
struct CountTask {
  LaneLeaves leaves;
  LeafSource const* sources;
  RowKeys background;
  CategoryConditionsView categories;
  std::int64_t* tables;
  double* reached;  ///< by leaf: total weight of the rows that reach it
};
/// Counts the patterns of the background at each of the first `n_leaves` leaves, of at most `most_features` features.
/// The counts are the first numbers of the leaf's table. Asynchronous.
void CountPatterns(CudaContext const& cuda, CountTask const& task, std::size_t n_leaves, std::uint32_t most_features);

struct TableTask {
  LaneLeaf const* leaves;
  LeafSource const* sources;
  std::uint32_t const* numbers;  ///< leaves of the launch
  TableRule const* rules;
  std::int64_t n_rows;
  PieceTables tables;
  double scale;
  bool with_pairs;
};
/// Replaces counts by tables, for `n_leaves` leaves of at most `most_features` features. Asynchronous.
void MakeTables(CudaContext const& cuda, TableTask const& task, std::int64_t n_leaves, std::uint32_t most_features);

}  // namespace kauri::cuda
