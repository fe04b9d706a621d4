#include "cuda/hist/gpu_hist_builder.h"

#include <limits>
#include <utility>

#include "cuda/common/event.h"
#include "cuda/common/memory_plan.h"
#include "cuda/hist/bins/kept_bins.h"
#include "cuda/hist/bins/make_device_bins.h"
#include "cuda/hist/gpu_hist_grower.h"
#include "cuda/hist_vector/gpu_vector_grower.h"
#include "data/bins/bins_of_training.h"
#include "data/bins/derived_bins.h"
#include "data/bins/tree_bin_options.h"
#include "data/memory_param.h"
#include "data/sketch/cut_weights.h"
#include "kauri/error.h"

namespace kauri::cuda {
namespace {

/// Fewer values of the host are cut and coded there before the device would have begun.
constexpr std::int64_t kFewValues = 1 << 17;

class GpuHistState : public BuildState {
 public:
  GpuHistState(TreeParam const& param, MemoryBudget const& budget, int device)
      : options_(TreeBinOptions(param, budget)), stream_(device), last_tree_(device) {}
  /// Others may get what the last tree still reads on the stream that it grew on.
  ~GpuHistState() override { last_tree_.WaitQuietly(); }
  GpuHistState(GpuHistState const&) = delete;
  GpuHistState& operator=(GpuHistState const&) = delete;

  /// Codes of the data as their info is now.
  HistOnDevice* Update(Context const& ctx, DataMatrix const& data) {
    if (data_ == nullptr || IsStale(ctx, data)) {
      last_tree_.Wait();  // it may still read the codes
      vectors_.reset();
      data_.reset();  // before its successor takes as much memory
      data_ = std::make_unique<HistOnDevice>(stream_.Context(), MakeBins(ctx, data));
      stream_.Context().Synchronize();  // for the codes, which trees read on another stream
    }
    return data_.get();
  }
  /// What trees with vector leaves grow in: for the codes of the last Update.
  std::unique_ptr<VectorOnDevice>* Vectors() { return &vectors_; }
  Event const& LastTree() const { return last_tree_; }

 private:
  /// The cuts follow from weights and types of columns, which may be set anew between two trees.
  bool IsStale(Context const& ctx, DataMatrix const& data) {
    if (BinsOf(data) != nullptr || revision_ == data.InfoRevision()) return false;
    if (!(BinsKey(data.Info(), options_, CutWeights(ctx, data.Info())) == key_)) return true;
    revision_ = data.InfoRevision();
    return false;
  }

  std::shared_ptr<DeviceBins const> MakeBins(Context const& ctx, DataMatrix const& data) {
    auto const& cuda = stream_.Context();
    if (auto const store = BinsOf(data)) {
      if (auto kept = KeptBinsOn(cuda.device, store->OnDevice())) return kept;
      if (!store->IsInFile()) return UploadBins(cuda, store->InMemory());
      return UploadBins(cuda, LoadBins(ctx, *store, options_.budget.IsLimited() ? options_.budget : store->Budget()));
    }
    key_ = BinsKey(data.Info(), options_, CutWeights(ctx, data.Info()));
    revision_ = data.InfoRevision();
    auto const is_small = data.OnDevice() == nullptr && data.NumRows() * data.NumCols() < kFewValues;
    if (!is_small && CanMakeDeviceBins(ctx, data, options_.sketch.kind)) {
      DeviceBinsTask task;
      task.max_bin = options_.max_bin;
      task.weights = key_.weights;
      if (auto bins = MakeDeviceBins(cuda, ctx, DenseTable::Of(data), task).bins) return bins;
    }
    return UploadBins(cuda, DeriveBins(ctx, data, key_, options_));
  }

  BinOptions options_;
  StreamOwner stream_;          ///< before the codes, which are freed on it
  DerivedKey key_;              ///< of the codes
  std::uint64_t revision_ = 0;  ///< of the info that the key was found to fit
  std::unique_ptr<HistOnDevice> data_;
  std::unique_ptr<VectorOnDevice> vectors_;  ///< of the bins of data_; once a tree has vector leaves
  Event last_tree_;
};

/// The work that a tree gave its stream, the one that failed too.
class TreeScope {
 public:
  TreeScope(CudaContext const& cuda, Event const& tree) : cuda_(cuda), tree_(tree) {}
  ~TreeScope() { tree_.RecordQuietly(cuda_); }
  TreeScope(TreeScope const&) = delete;
  TreeScope& operator=(TreeScope const&) = delete;

 private:
  CudaContext cuda_;
  Event const& tree_;
};

}  // namespace

std::string GpuHistBuilder::StateKey() const {
  return "gpu_hist,max_bin=" + std::to_string(param_.max_bin) + ",sketch=" + SketchOptionsOf(param_).Key();
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
  auto* const own = static_cast<GpuHistState*>(state);
  auto* const hist = own->Update(ctx, data);
  GrowthRules const rules{param_, rules_, task.place};
  TreeScope const tree(cuda, own->LastTree());
  if (task.table.stride != 0) {
    return GrowVectors(ctx, rules, {cuda, task, leaf_of_row}, *hist->bins, own->Vectors());
  }
  return GpuHistGrower(ctx, rules, {cuda, task, leaf_of_row}, hist).Grow();
}

std::unique_ptr<TreeBuilder> MakeGpuHistBuilder(ParamMap const& map) {
  return std::make_unique<GpuHistBuilder>(ParseParameters<TreeParam>(map), ParseParameters<MemoryParam>(map).Budget());
}

}  // namespace kauri::cuda
