#include "cuda/hist/gpu_approx_builder.h"

#include <cstddef>
#include <cstdint>
#include <limits>

#include "cuda/hist/approx/tree_bins.h"
#include "cuda/hist/grow_hist_tree.h"
#include "data/bins/bin_store.h"
#include "data/bins/derived_bins.h"
#include "data/memory_budget.h"
#include "kauri/error.h"
#include "tree/growth/tree_common.h"

namespace kauri::cuda {
namespace {

class GpuApproxState : public BuildState {
 public:
  GpuApproxState(BinOptions const& options, std::int64_t fewest_rows)
      : bins_(options, std::numeric_limits<std::size_t>::max(), fewest_rows),
        budget_(options.budget),
        fewest_rows_(fewest_rows) {}

  /// Makes codes from the hessians of the tree, on the device of `cuda`. Every other device of the context makes or
  /// gets the codes of its rows.
  HistOnDevice* Update(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                       Span<FixedPair const> pairs) {
    auto const is_stale = bins_.Update(cuda, data, pairs);
    auto const is_new = data_ == nullptr || is_stale || data_->bins == nullptr;
    if (data_ == nullptr) {
      data_ = std::make_unique<HistOnDevice>(cuda, bins_.Make(cuda, ctx, data));
    } else if (is_new) {
      data_->bins.reset();  // first: its successor takes as much memory
      data_->TakeBins(cuda, bins_.Make(cuda, ctx, data));
    }
    if (is_new) RememberTreeCuts(data, *data_->bins->cuts, budget_);
    data_->rows.Shard(cuda, *data_->bins, {ctx.device.ordinals, fewest_rows_, bins_.OtherRows()});
    return data_.get();
  }

 private:
  TreeBins bins_;
  MemoryBudget budget_;
  std::int64_t fewest_rows_;  ///< minimum number of rows per device, if there are several
  std::unique_ptr<HistOnDevice> data_;
};

}  // namespace

std::string GpuApproxBuilder::StateKey() const {
  return "gpu_approx,max_bin=" + std::to_string(param_.max_bin) + ",sketch=" + KeyOf(SketchOf(param_));
}

std::unique_ptr<BuildState> GpuApproxBuilder::MakeState(Context const& ctx, DataMatrix const& data) const {
  if (auto const bins = BinsOf(data); bins != nullptr && bins->IsForApprox()) return hist_.MakeState(ctx, data);
  if (data.NumRows() > std::numeric_limits<std::uint32_t>::max()) {
    Fail(ErrorKind::kData, "tree_method=approx takes at most 4294967295 rows; the data have ", data.NumRows(),
         ". Train on a sample of them.");
  }
  return std::make_unique<GpuApproxState>(TreeBinOptions(param_, memory_.budget), memory_.fewest_rows);
}

Tree GpuApproxBuilder::BuildOnDevice(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                                     DeviceTreeTask const& task, BuildState* state,
                                     Span<std::int32_t> leaf_of_row) const {
  if (BinsOf(data) != nullptr) return hist_.BuildOnDevice(cuda, ctx, data, task, state, leaf_of_row);
  DeviceScope const scope(cuda.device);
  auto* const hist = static_cast<GpuApproxState*>(state)->Update(cuda, ctx, data, task.pairs);
  return GrowHistTree(ctx, {param_, rules_, task.place}, {cuda, task, leaf_of_row}, hist);
}

std::unique_ptr<TreeBuilder> MakeGpuApproxBuilder(TrainingParams const& params) {
  return std::make_unique<GpuApproxBuilder>(params.tree, HistMemory::Of(ParseParameters<MemoryParam>(params.all)));
}

}  // namespace kauri::cuda
