#include "cuda/hist/gpu_hist_builder.h"

#include <limits>
#include <utility>

#include "collective/reduce.h"
#include "cuda/common/event.h"
#include "cuda/common/kept.h"
#include "cuda/common/memory_plan.h"
#include "cuda/hist/bins/make_device_bins.h"
#include "cuda/hist/grow_hist_tree.h"
#include "cuda/hist/shards/shard_bins.h"
#include "cuda/hist_vector/grow_vectors.h"
#include "data/bins/derived_bins.h"
#include "data/sketch/cut_weights.h"
#include "kauri/error.h"

namespace kauri::cuda {
namespace {

/// Maximum number of rows summed over trees that grow together. Above that, one tree keeps the device busy by itself,
/// and lists of rows take much memory.
constexpr std::size_t kMostRowsTogether = std::size_t{1} << 24U;

/// Minimum number of host values that are binned on the device. The host bins fewer values before the device would have
/// begun.
constexpr std::int64_t kFewValues = 1 << 17;

class GpuHistState : public BuildState {
 public:
  GpuHistState(TreeParam const& param, HistMemory const& memory, int device)
      : options_(TreeBinOptions(param, memory.budget)),
        memory_(memory),
        of_group_(options_),
        stream_(device),
        last_tree_(device) {}
  /// Waits, because others may receive memory that the last tree still reads on its stream.
  ~GpuHistState() override { last_tree_.WaitQuietly(); }
  GpuHistState(GpuHistState const&) = delete;
  GpuHistState& operator=(GpuHistState const&) = delete;

  /// Returns the codes and the workspace of trees, made anew if the data's info (weights, column types) has changed. If
  /// one rank needs new codes, all ranks make them. MakeBins sets `whole_` if the rows stay in host memory.
  HistOnDevice* Update(Context const& ctx, DataMatrix const& data) {
    auto const is_new = MaxOverRanks(ctx, data_ == nullptr ? 1 : 0) != 0;
    if (is_new || IsStale(ctx, data)) {
      last_tree_.Wait();  // it may still read the codes
      vectors_.reset();
      data_.reset();  // first: its successor takes as much memory
      whole_.reset();
      auto made = std::make_unique<HistOnDevice>(stream_.Context(), MakeBins(ctx, data));
      if (whole_ != nullptr) made->rows.AddHostRows(stream_.Context(), *made->bins, *whole_);
      stream_.Context().Synchronize();  // for the codes, which trees read on another stream
      data_ = std::move(made);          // with all its rows, or not at all
    }
    return data_.get();
  }
  /// Returns the same object as Update, after dividing its rows among all devices of the context.
  HistOnDevice* Shard(Context const& ctx) {
    data_->rows.Shard(stream_.Context(), *data_->bins, {ctx.device.ordinals, memory_.fewest_rows});
    return data_.get();
  }
  void WakeShards() {
    if (data_ == nullptr) return;
    for (auto const& shard : data_->rows.shards) shard->Wake();
  }
  /// Returns the codes of all rows.
  DeviceBins const& Whole() const { return whole_ != nullptr ? *whole_ : *data_->bins; }
  /// Returns the workspace of trees with vector leaves, for the codes of the last Update.
  std::unique_ptr<VectorOnDevice>* Vectors() { return &vectors_; }
  Event const& LastTree() const { return last_tree_; }

 private:
  /// Returns whether the bin edges no longer fit. They depend on weights and types of columns, which may change between
  /// two trees.
  bool IsStale(Context const& ctx, DataMatrix const& data) {
    if (IsDistributed(ctx)) return of_group_.IsStale(ctx, data);
    if (BinsOf(data) != nullptr || revision_ == data.InfoRevision()) return false;
    if (!(BinsKey(data.Info(), options_, CutWeights(ctx, data.Info())) == key_)) return true;
    revision_ = data.InfoRevision();
    return false;
  }

  using Place = std::shared_ptr<Kept<DeviceBins> const>;

  /// Returns the place where bins stay with the data for the next training; null if they do not stay: in a group, under
  /// a memory budget, or with a share of the rows in host memory.
  Place PlaceOf(Context const& ctx, DataMatrix const& data, DerivedKey key) const {
    if (IsDistributed(ctx) || options_.budget.IsLimited() || memory_.host_ratio >= 0.0F) return nullptr;
    key.kind = "cuda bins";
    return KeptWith<DeviceBins>(data, std::move(key), stream_.Context().device);
  }

  std::shared_ptr<DeviceBins const> MakeBins(Context const& ctx, DataMatrix const& data) {
    if (IsDistributed(ctx)) return Upload(ctx, of_group_.Make(ctx, data), nullptr);
    if (auto const store = BinsOf(data)) return OfStore(ctx, data, *store);
    key_ = BinsKey(data.Info(), options_, CutWeights(ctx, data.Info()));
    revision_ = data.InfoRevision();
    auto const place = PlaceOf(ctx, data, key_);
    auto bins = place != nullptr ? place->Hold() : nullptr;
    if (bins == nullptr) bins = MakeOfValues(ctx, data, place);
    if (bins == nullptr) return Upload(ctx, DeriveBins(ctx, data, key_, options_), place);
    RememberTreeCuts(data, *bins->cuts, options_.budget);
    return bins;
  }

  std::shared_ptr<DeviceBins const> OfStore(Context const& ctx, DataMatrix const& data, BinStore const& store) {
    if (store.IsInFile()) {
      auto const& budget = options_.budget.IsLimited() ? options_.budget : store.Budget();
      return Upload(ctx, LoadBins(ctx, store, budget), nullptr);
    }
    auto kept = memory_.host_ratio > 0.0F ? nullptr : KeptBinsOn(stream_.Context().device, store.OnDevice());
    if (kept != nullptr) return kept;
    auto const place = PlaceOf(ctx, data, {"", "of the store"});
    if (place != nullptr) kept = place->Hold();
    return kept != nullptr ? kept : Upload(ctx, store.InMemory(), place);
  }

  /// Makes bins on the device from the values. Returns null if the host makes them.
  std::shared_ptr<DeviceBins const> MakeOfValues(Context const& ctx, DataMatrix const& data, Place const& place) {
    auto const is_small = data.OnDevice() == nullptr && data.NumRows() * data.NumCols() < kFewValues;
    if (is_small || memory_.host_ratio > 0.0F || !CanMakeDeviceBins(ctx, data, options_.sketch)) return nullptr;
    DeviceBinsTask task;
    task.max_bin = options_.max_bin;
    task.weights = key_.weights;
    auto const make = [&](CudaContext const& cuda) {
      return MakeDeviceBins(cuda, ctx, DenseTable::Of(data), task).bins;
    };
    return place != nullptr ? place->Get(make) : make(stream_.Context());
  }

  /// Uploads codes of the rows that fit on the device. If not all fit, whole_ holds the codes of all rows.
  std::shared_ptr<DeviceBins const> Upload(Context const& ctx, std::shared_ptr<BinMatrix const> const& bins,
                                           Place const& place) {
    auto const& cuda = stream_.Context();
    HostCodesTask const task{bins->NumRows(), BytesOfCodes(*bins, LayOut(bins)), memory_.host_ratio};
    auto const is_alone = ctx.device.ordinals.empty();
    auto const n_host = is_alone ? NumHostRows(task, RoomFor(task)) : 0;
    if (n_host == 0 && place == nullptr) return UploadBins(cuda, bins);
    if (n_host == 0) return place->Get([&](CudaContext const& own) { return UploadBins(own, bins); });
    whole_ = UploadBins(cuda, bins, CodePlace::kHost);
    ShardRange const here{0, bins->NumRows() - n_host};
    return std::make_shared<DeviceBins const>(CopyBins(cuda, cuda.device, *whole_, here));
  }

  /// Returns the free bytes. If they may be too few for codes and trees, idle memory is given up first.
  std::size_t RoomFor(HostCodesTask const& task) const {
    constexpr std::size_t kPlenty = 4;  // codes, and rows, lists and sums of about the same size
    return MakeRoom(stream_.Context(), kPlenty * task.code_bytes);
  }

  BinOptions options_;
  HistMemory memory_;
  BinsOfTraining of_group_;                  ///< bins in host memory, which ranks make together
  StreamOwner stream_;                       ///< declared before the codes, which are freed on it
  DerivedKey key_;                           ///< key of the codes
  std::uint64_t revision_ = 0;               ///< revision of the info that the key is known to fit
  std::unique_ptr<DeviceBins const> whole_;  ///< all codes in host memory, if the device has room for only some rows
  std::unique_ptr<HistOnDevice> data_;
  std::unique_ptr<VectorOnDevice> vectors_;  ///< for the bins of data_; null until a tree has vector leaves
  Event last_tree_;
};

/// Records the end of a tree's work on its stream, also if the tree fails.
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

HistMemory HistMemory::Of(MemoryParam const& param) { return {param.Budget(), param.cache_host_ratio}; }

std::string GpuHistBuilder::StateKey() const {
  return "gpu_hist,max_bin=" + std::to_string(param_.max_bin) + ",sketch=" + KeyOf(SketchOf(param_)) +
         (memory_.host_ratio >= 0.0F ? ",cache_host_ratio=" + std::to_string(memory_.host_ratio) : std::string());
}

std::unique_ptr<BuildState> GpuHistBuilder::MakeState(Context const& ctx, DataMatrix const& data) const {
  if (data.NumRows() > std::numeric_limits<std::uint32_t>::max()) {
    Fail(ErrorKind::kData, "tree_method=hist takes at most 4294967295 rows; the data have ", data.NumRows(),
         ". Train on a sample of them.");
  }
  if (auto const bins = BinsOf(data)) {
    CheckBins(*bins, data.Info(), param_.max_bin);
    CheckSketchOfBins(SketchOf(param_));
  }
  DeviceScope const scope(ctx.device.ordinal);
  return std::make_unique<GpuHistState>(param_, memory_, ctx.device.ordinal);
}

void GpuHistBuilder::ExpectTree(BuildState* state) const { static_cast<GpuHistState*>(state)->WakeShards(); }

Tree GpuHistBuilder::BuildOnDevice(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                                   DeviceTreeTask const& task, BuildState* state,
                                   Span<std::int32_t> leaf_of_row) const {
  DeviceScope const scope(cuda.device);
  auto* const own = static_cast<GpuHistState*>(state);
  own->Update(ctx, data);
  own->LastTree().Wait();  // the buffers that it read are overwritten before the next wait for the device
  GrowthRules const rules{param_, rules_, task.place};
  TreeScope const tree(cuda, own->LastTree());
  if (task.table.stride != 0) {
    VectorTask const grown{cuda, task, leaf_of_row, memory_.fewest_rows};
    return GrowVectors(ctx, rules, grown, own->Whole(), own->Vectors());
  }
  return GrowHistTree(ctx, rules, {cuda, task, leaf_of_row}, own->Shard(ctx));
}

bool GpuHistBuilder::GrowsTogether(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                                   TreePlace const& place, std::size_t n_trees, BuildState* state) const {
  if (n_trees * ToSize(data.NumRows()) > kMostRowsTogether) return false;
  if (rules_.HasMonotone()) return false;  // they may bind only some of the trees (TreePlace::free_outputs)
  DeviceScope const scope(cuda.device);
  auto* const own = static_cast<GpuHistState*>(state);
  own->Update(ctx, data);
  DeviceTreeTask task;
  task.place = place;
  return MayGrowTogether(ctx, {param_, rules_, place}, {cuda, task, {}}, own->Shard(ctx));
}

std::vector<Tree> GpuHistBuilder::BuildTogether(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                                                Span<DeviceTreeTask const> tasks, BuildState* state,
                                                Span<std::int32_t> leaf_of_row) const {
  DeviceScope const scope(cuda.device);
  auto* const own = static_cast<GpuHistState*>(state);
  own->Update(ctx, data);
  own->LastTree().Wait();  // the buffers that it read are overwritten before the next wait for the device
  TreeScope const tree(cuda, own->LastTree());
  std::vector<GrowthRules> rules;
  for (auto const& task : tasks) rules.push_back({param_, rules_, task.place});
  return GrowTogether(ctx, rules, cuda, tasks, leaf_of_row, own->Shard(ctx));
}

std::unique_ptr<TreeBuilder> MakeGpuHistBuilder(TrainingParams const& params) {
  return std::make_unique<GpuHistBuilder>(params.tree, HistMemory::Of(ParseParameters<MemoryParam>(params.all)));
}

}  // namespace kauri::cuda
