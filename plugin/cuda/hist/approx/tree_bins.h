/// \file Makes the bins of one tree after the other for tree_method=gpu_approx.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/approx/ordered_columns.h"
#include "cuda/hist/approx/tree_weights.h"
#include "cuda/hist/bins/device_bins.h"
#include "data/bins/derived_bins.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri::cuda {

class TreeBins {
 public:
  /// most_bytes: maximum device memory to use for keeping the sorted order of the values.
  explicit TreeBins(BinOptions const& options, std::size_t most_bytes = std::numeric_limits<std::size_t>::max())
      : options_(options), most_bytes_(most_bytes) {}

  /// Takes the hessians of the next tree's pairs, [n_rows], device. \returns whether the bins made last are out of
  /// date. If so, release them before Make, which takes as much memory. Waits for the answer.
  bool Update(CudaContext const& cuda, DataMatrix const& data, Span<FixedPair const> pairs);
  /// Makes the bins of the tree. \throws Error(kMemory) with the amount that is needed, and the errors of
  /// MakeQuantileCuts.
  std::unique_ptr<DeviceBins const> Make(CudaContext const& cuda, Context const& ctx, DataMatrix const& data);

 private:
  enum class Order { kNotTried, kKept, kNoRoom };

  /// Returns whether the sorted order is kept. The first call sorts the columns if there is room.
  bool KeepsOrder(CudaContext const& cuda, Context const& ctx, DataMatrix const& data);
  std::unique_ptr<DeviceBins const> MakeInOrder(CudaContext const& cuda, DataMatrix const& data);
  std::unique_ptr<DeviceBins const> MakeOnHost(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                                               std::vector<float> weights) const;
  std::vector<float> FetchWeights(CudaContext const& cuda) const;
  void SayOnce(char const* line);

  BinOptions options_;
  std::size_t most_bytes_;
  TreeWeights weights_;
  std::vector<std::uint32_t> categorical_;  ///< categorical columns at the time when bins were made last
  Order order_ = Order::kNotTried;
  OrderedColumns columns_;  ///< valid if order_ is kKept
  bool has_said_ = false;
};

}  // namespace kauri::cuda
