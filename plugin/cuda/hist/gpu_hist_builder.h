/// \file tree_method=gpu_hist: the histogram method on the device, which device=cuda selects for hist.
///
/// 1. Once per data set the values become codes in device memory (bins/device_bins.h).
/// 2. For each level of a tree the rows of split nodes move to their children (rows/node_rows.h).
/// 3. The rows of the lighter of two siblings are added up (histogram/add_rows.h). The other sibling's histogram is the
///    parent's minus that one.
/// 4. The best split of each node is found (split/find_splits.h); the host decides as the CPU's method does
///    (gpu_hist_grower.h).
///
/// Trees with vector leaves grow likewise, with sums of all outputs in each bin (hist_vector/gpu_vector_grower.h).
/// Several devices share the rows for both kinds of leaves (shards/sum_shard.h). Sums are integers and every choice
/// uses a total order, so the tree has the bytes of tree_method=hist.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cuda/tree/cut_rows.h"
#include "cuda/tree/device_tree_builder.h"
#include "data/memory_budget.h"
#include "kauri/parameter.h"
#include "kauri/tree_param.h"
#include "tree/constraints/constraints.h"

namespace kauri::cuda {

/// Memory in which rows are kept.
struct HistMemory {
  MemoryBudget budget = {};                       ///< budget of bins that data keep in host memory
  float host_ratio = -1.0F;                       ///< MemoryParam::cache_host_ratio
  std::int64_t fewest_rows = kFewestRowsOfShard;  ///< minimum number of rows per device, if there are several

  static HistMemory Of(MemoryParam const& param);
};

class GpuHistBuilder : public DeviceTreeBuilder {
 public:
  /// \throws Error(kParameter): constraints that cannot be read.
  GpuHistBuilder(TreeParam const& param, HistMemory const& memory)
      : param_(param), rules_(ParseConstraints(param)), memory_(memory) {}
  bool TakesShards(bool vector_leaves) const override { return !vector_leaves; }
  std::string StateKey() const override;
  /// Device memory: per row one byte for each column, padded to groups of 4, 8, 16 or 32 bytes, plus 8 bytes; 16 bytes
  /// for each bin of every node of a level.
  std::unique_ptr<BuildState> MakeState(Context const& ctx, DataMatrix const& data) const override;
  void ExpectTree(BuildState* state) const override;
  bool GrowsTogether(CudaContext const& cuda, Context const& ctx, DataMatrix const& data, TreePlace const& place,
                     std::size_t n_trees, BuildState* state) const override;
  std::vector<Tree> BuildTogether(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                                  Span<DeviceTreeTask const> tasks, BuildState* state,
                                  Span<std::int32_t> leaf_of_row) const override;
  Tree BuildOnDevice(CudaContext const& cuda, Context const& ctx, DataMatrix const& data, DeviceTreeTask const& task,
                     BuildState* state, Span<std::int32_t> leaf_of_row) const override;

 private:
  TreeParam param_;
  ConstraintRules rules_;
  HistMemory memory_;
};

/// \throws Error(kParameter).
std::unique_ptr<TreeBuilder> MakeGpuHistBuilder(TrainingParams const& params);

}  // namespace kauri::cuda
