#include "cuda/hist/gpu_hist_builder.h"

#include <limits>
#include <utility>

#include "cuda/common/memory_plan.h"
#include "cuda/hist/gpu_hist_grower.h"
#include "cuda/hist/histogram/split_and_add.h"
#include "data/bins/bins_of_training.h"
#include "data/memory_param.h"
#include "kauri/error.h"

namespace kauri::cuda {
namespace {

class GpuHistState : public BuildState {
 public:
  GpuHistState(TreeParam const& param, MemoryBudget const& budget, int device)
      : options_({param.max_bin, static_cast<SketchKind>(param.sketch), budget}), stream_(device), bins_(options_) {}

  /// Codes of the data as their info is now. cuda: where trees are built.
  HistOnDevice* Update(CudaContext const& cuda, Context const& ctx, DataMatrix const& data) {
    if (data_ == nullptr || bins_.IsStale(ctx, data)) {
      cuda.Synchronize();  // for the last tree, which may still read the codes
      data_.reset();       // before its successor takes as much memory
      data_ = std::make_unique<HistOnDevice>(stream_.Context(), UploadBins(stream_.Context(), BinsFor(ctx, data)));
      stream_.Context().Synchronize();  // for the codes, which trees read on another stream
    }
    return data_.get();
  }

 private:
  std::shared_ptr<BinMatrix const> BinsFor(Context const& ctx, DataMatrix const& data) {
    auto const store = BinsOf(data);
    if (store != nullptr && store->IsInFile()) {
      return LoadBins(ctx, *store, options_.budget.IsLimited() ? options_.budget : store->Budget());
    }
    return bins_.Make(ctx, data);
  }

  BinOptions options_;
  StreamOwner stream_;  ///< before the codes, which are freed on it
  BinsOfTraining bins_;
  std::unique_ptr<HistOnDevice> data_;
};

}  // namespace

HistOnDevice::HistOnDevice(CudaContext const& cuda, std::unique_ptr<DeviceBins const> made)
    : bins(std::move(made)),
      min_values(ToDevice(cuda, bins->cuts->min_values)),
      can_split_and_add(CanSplitAndAdd(cuda, *bins)),
      histograms(bins->n_cells) {
  for (std::int64_t feature = 0; feature < bins->NumCols(); ++feature) {
    if (bins->cuts->IsCategorical(feature)) categorical.push_back(static_cast<std::uint32_t>(feature));
  }
  if (categorical.empty()) return;
  std::vector<std::uint8_t> marks(bins->features.size(), 0);
  for (auto const feature : categorical) marks[feature] = 1;
  is_categorical = ToDevice(cuda, marks);
}

std::string GpuHistBuilder::StateKey() const {
  return "gpu_hist,max_bin=" + std::to_string(param_.max_bin) + ",sketch=" + std::to_string(param_.sketch);
}

std::unique_ptr<BuildState> GpuHistBuilder::MakeState(Context const& ctx, DataMatrix const& data) const {
  if (data.NumRows() > std::numeric_limits<std::uint32_t>::max()) {
    Fail(ErrorKind::kData, "tree_method=hist takes at most 4294967295 rows; the data have ", data.NumRows(),
         ". Train on a sample of them.");
  }
  if (auto const bins = BinsOf(data)) CheckBins(*bins, data.Info(), param_.max_bin);
  DeviceScope const scope(ctx.device.ordinal);
  return std::make_unique<GpuHistState>(param_, budget_, ctx.device.ordinal);
}

Tree GpuHistBuilder::BuildOnDevice(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                                   DeviceTreeTask const& task, BuildState* state,
                                   Span<std::int32_t> leaf_of_row) const {
  RefuseMonotoneCategories(rules_, data.Info());
  DeviceScope const scope(cuda.device);
  auto* const hist = static_cast<GpuHistState*>(state)->Update(cuda, ctx, data);
  return GpuHistGrower(ctx, {param_, rules_, task.place}, {cuda, task, leaf_of_row}, hist).Grow();
}

std::unique_ptr<TreeBuilder> MakeGpuHistBuilder(ParamMap const& map) {
  return std::make_unique<GpuHistBuilder>(ParseParameters<TreeParam>(map), ParseParameters<MemoryParam>(map).Budget());
}

}  // namespace kauri::cuda
