/// \file tree_method=gpu_exact: the exact tree builder of Mitchell & Frank 2017, level by level on the device.
///
/// 1. Once per data set the columns are sorted (cuda/data/device_columns.h).
/// 2. Per tree every column's entries get their gradient pair, and stay sorted by (node, value) from level to level: a
/// stable
///    one-bit partition of each segment is the paper's radix sort by node (partition.h).
/// 3. Per level a segmented scan finds the best split of every node (find_split_sorted.h); the host reads those,
/// decides as the
///    CPU's exact method does, and sends back what becomes of each node.
/// 4. Rows move first in the missing direction, then by value (positions.h).
/// Sums are integers and every choice is by a total order, so the tree has the bytes of tree_method=exact.
#pragma once

#include <memory>
#include <string>

#include "cuda/exact/device_tree_builder.h"
#include "kauri/parameter.h"
#include "kauri/tree_param.h"

namespace kauri::cuda {

class GpuExactBuilder : public DeviceTreeBuilder {
 public:
  explicit GpuExactBuilder(TreeParam const& param) : param_(param) {}
  std::string StateKey() const override { return "gpu_exact"; }
  /// Device memory: per present value 8 bytes, and 16 bytes times (1 + 1 / number of chunks) while a tree grows.
  std::unique_ptr<BuildState> MakeState(Context const& ctx, DataMatrix const& data) const override;
  Tree Build(Context const& ctx, DataMatrix const& data, TreeTask const& task, BuildState* state,
             Span<std::int32_t> leaf_of_row) const override;
  Tree BuildOnDevice(CudaContext const& cuda, Context const& ctx, DeviceTreeTask const& task, BuildState* state,
                     Span<std::int32_t> leaf_of_row) const override;

 private:
  TreeParam param_;
};

std::unique_ptr<TreeBuilder> MakeGpuExactBuilder(ParamMap const& map);

}  // namespace kauri::cuda
