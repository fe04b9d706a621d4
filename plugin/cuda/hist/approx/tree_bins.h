/// \file The bins of one tree after the other for tree_method=gpu_approx.
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
  /// most_bytes: of device memory that is asked for to keep the values in their order.
  explicit TreeBins(BinOptions const& options, std::size_t most_bytes = std::numeric_limits<std::size_t>::max())
      : options_(options), most_bytes_(most_bytes) {}

  /// Takes the hessians of the next tree's pairs, [n_rows], device. \returns whether bins have to be others than those
  /// made last: let go of those before Make, which takes as much memory. Waits for the answer.
  bool Update(CudaContext const& cuda, DataMatrix const& data, Span<FixedPair const> pairs);
  /// The bins of the tree. \throws Error(kMemory) with what is needed, and what MakeQuantileCuts throws.
  std::unique_ptr<DeviceBins const> Make(CudaContext const& cuda, Context const& ctx, DataMatrix const& data);

 private:
  enum class Order { kNotTried, kKept, kNoRoom };

  /// Sorts the columns when it is first asked, if there is room.
  bool KeepsOrder(CudaContext const& cuda, Context const& ctx, DataMatrix const& data);
  std::unique_ptr<DeviceBins const> MakeInOrder(CudaContext const& cuda, DataMatrix const& data);
  std::unique_ptr<DeviceBins const> MakeOnHost(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                                               std::vector<float> weights) const;
  std::vector<float> FetchWeights(CudaContext const& cuda) const;
  void SayOnce(char const* line);

  BinOptions options_;
  std::size_t most_bytes_;
  TreeWeights weights_;
  std::vector<std::uint32_t> categorical_;  ///< the columns that were when bins were made last
  Order order_ = Order::kNotTried;
  OrderedColumns columns_;  ///< kKept
  bool has_said_ = false;
};

}  // namespace kauri::cuda
