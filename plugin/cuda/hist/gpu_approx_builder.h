/// \file tree_method=gpu_approx, which device=cuda selects for approx.
///
/// Like gpu_hist, with new bins for every tree whose hessians differ from the previous tree's
/// (tree/hist/hist_builder.h). Dense numbers are sorted once and kept in that order (approx/ordered_columns.h). For
/// each tree the bin edges follow from the hessians (approx/ordered_cuts.h), and the rows are coded
/// (bins/write_codes.h). If there is no room for the sorted order, columns are sorted for every tree. Other data, and
/// sketches, are cut and binned in host memory. Bin edges and codes equal the host's, so the tree has the bytes of
/// tree_method=approx.
///
/// Several devices share the rows as in gpu_hist. Bin edges need the hessians of all rows, so the main device holds the
/// gradients. If the data are dense numbers, every device has some columns in order, makes their bin edges, and codes
/// its own rows (approx/column_share.h): 4 bytes a row of weights go to each, besides the 12 bytes a row of gradients
/// and leaves. Otherwise the main device makes all codes, and the others copy those of their rows, usually one byte a
/// value.
#pragma once

#include <memory>
#include <string>

#include "cuda/hist/gpu_hist_builder.h"
#include "cuda/tree/device_tree_builder.h"
#include "kauri/parameter.h"
#include "kauri/tree_param.h"
#include "tree/constraints/constraints.h"

namespace kauri::cuda {

class GpuApproxBuilder : public DeviceTreeBuilder {
 public:
  /// \throws Error(kParameter): constraints that cannot be read.
  GpuApproxBuilder(TreeParam const& param, HistMemory const& memory)
      : param_(param), rules_(ParseConstraints(param)), memory_(memory), hist_(param, memory) {}
  std::string StateKey() const override;
  /// Device memory: as for gpu_hist. Dense numbers take 8 bytes each besides, and 4 more if the rows are in host
  /// memory. Several devices share the 8 bytes; each except the first takes the 4 bytes for its rows.
  std::unique_ptr<BuildState> MakeState(Context const& ctx, DataMatrix const& data) const override;
  Tree BuildOnDevice(CudaContext const& cuda, Context const& ctx, DataMatrix const& data, DeviceTreeTask const& task,
                     BuildState* state, Span<std::int32_t> leaf_of_row) const override;

 private:
  TreeParam param_;
  ConstraintRules rules_;
  HistMemory memory_;
  GpuHistBuilder hist_;  ///< for data in external memory
};

/// \throws Error(kParameter).
std::unique_ptr<TreeBuilder> MakeGpuApproxBuilder(TrainingParams const& params);

}  // namespace kauri::cuda
