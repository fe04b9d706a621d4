/// \file tree_method=gpu_exact: the exact tree builder of Mitchell & Frank 2017, level by level on the device.
///
/// 1. Once per data set the columns are sorted (cuda/data/device_columns.h).
/// 2. Per tree every column's entries get their gradient pair. On the first levels they stay in the order of their
///    values (entries/interleaved.h). Then they are sorted by node, and stay so from level to level by a stable one-bit
///    partition of each segment (entries/partition.h).
/// 3. Per level a scan finds the best split of every node (split/find_split.h), and the device decides as the CPU's
///    exact method does (device_decisions.h). The host reads the splits when the tree is grown. If only the host can
///    decide, as with constraints, it reads the splits on every level and sends back the move of each node.
/// 4. Rows move first in the missing direction, then by value (entries/positions.h).
/// 5. Categorical columns are added up by node and category and searched as sets (categories/category_columns.h).
/// 6. If errors choose the splits, entries are sorted by node from the first level on, and each node has bins of its
///    residuals (label_bins/level_labels.h).
/// Sums are integers and every choice is by a total order, so the tree has the bytes of tree_method=exact.
#pragma once

#include <dmlc/parameter.h>

#include <memory>
#include <string>

#include "cuda/exact/entries/interleaved.h"
#include "cuda/tree/device_tree_builder.h"
#include "kauri/parameter.h"
#include "kauri/tree_param.h"
#include "tree/constraints/constraints.h"

namespace kauri::cuda {

/// Parameters of this method alone.
struct GpuExactParam : public dmlc::Parameter<GpuExactParam> {
  int interleaved_levels;

  DMLC_DECLARE_PARAMETER(GpuExactParam) {
    DMLC_DECLARE_FIELD(interleaved_levels)
        .set_default(0)
        .set_range(0, kMostInterleavedLevels)
        .describe("Levels on which entries are not sorted by node yet. The tree does not depend on it, only the time.");
  }
  void Validate() const {}
};

class GpuExactBuilder : public DeviceTreeBuilder {
 public:
  GpuExactBuilder(TreeParam const& param, GpuExactParam const& exact_param)
      : param_(param), rules_(ParseConstraints(param)), exact_param_(exact_param) {}
  TreeParam const& Param() const { return param_; }
  ConstraintRules const& Rules() const { return rules_; }
  GpuExactParam const& ExactParam() const { return exact_param_; }
  std::string StateKey() const override { return "gpu_exact"; }
  /// Makes the state. Device memory: 8 bytes per present value, and 16 bytes times (1 + 1 / number of chunks) while a
  /// tree grows; a categorical column takes 4 bytes per row instead of the latter.
  std::unique_ptr<BuildState> MakeState(Context const& ctx, DataMatrix const& data) const override;
  Tree BuildOnDevice(CudaContext const& cuda, Context const& ctx, DataMatrix const& data, DeviceTreeTask const& task,
                     BuildState* state, Span<std::int32_t> leaf_of_row) const override;

 private:
  TreeParam param_;
  ConstraintRules rules_;
  GpuExactParam exact_param_;
};

std::unique_ptr<TreeBuilder> MakeGpuExactBuilder(TrainingParams const& params);

}  // namespace kauri::cuda
