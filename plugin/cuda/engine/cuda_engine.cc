/// A round: gradients from margins, labels and weights; per tree the largest gradient (8 bytes to the host, for the
/// unit), quantisation and row sampling, the tree itself, and its leaf values added by the leaf of every row. Only
/// trees, units and sums of metrics cross to the host.
#include "cuda/engine/cuda_engine.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/fixed_point.h"
#include "common/log.h"
#include "cuda/data/convert.h"
#include "cuda/data/cuda_memory.h"
#include "cuda/data/device_floats.h"
#include "cuda/engine/engine_data.h"
#include "cuda/forest/device_forest.h"
#include "cuda/metric/device_metric.h"
#include "cuda/objective/device_objective.h"
#include "cuda/tree/device_tree_builder.h"
#include "data/arrays/value_rules.h"
#include "engine/leaf_quantiles.h"
#include "kauri/error.h"
#include "tree/sampling/gradient_sampling.h"
#include "tree/sampling/sampling.h"

namespace kauri::cuda {
namespace {

/// A call of the engine: its device is current, its copies are added to `total`.
class CallScope {
 public:
  CallScope(int device, CopyCounts* total) : device_(device), total_(total), before_(ThreadCopyCounts()) {}
  ~CallScope() { *total_ += ThreadCopyCounts() - before_; }
  CallScope(CallScope const&) = delete;
  CallScope& operator=(CallScope const&) = delete;

 private:
  DeviceScope device_;
  CopyCounts* total_;
  CopyCounts before_;
};

/// Of several devices the first trains.
Context OnFirstDevice(Context ctx) {
  ctx.device.ordinals.clear();
  return ctx;
}

class CudaEngine : public Engine {
 public:
  void UpdateMargins(Context const& ctx, std::shared_ptr<DataMatrix const> const& data, Model const& model,
                     Predictor const& predictor, Span<float const> start, Span<std::int64_t const> dropped) override {
    CallScope const scope = Enter(ctx);
    DropDeadData();
    auto& own = data_[data->Id()];
    auto const fresh = own.data.expired() || own.info_revision != data->InfoRevision();
    auto const plan = own.held.PlanFor(model, start, dropped, fresh);
    if (plan.IsNothing()) return;
    own.data.reset();  // margins are of no use until they are complete
    if (plan.restart) own.Restart(Cuda(), *data, model.NumOutputs(), start);
    auto const hull = plan.Hull();
    if (hull.begin < hull.end) AddTrees(ctx, *data, model, predictor, plan, !fresh, &own);
    own.held.Hold(model, start, dropped);
    own.data = data;
    own.info_revision = data->InfoRevision();
  }

  void ComputeGradients(Context const& ctx, DataMatrix const& train, Objective const& objective,
                        std::int64_t iteration) override {
    CallScope const scope = Enter(ctx);
    auto& own = DataOf(train);
    own.PrepareTraining(Cuda(), train);
    own.training.largest.clear();
    own.training.watch.Expect(false);
    KeepLeafQuantiles(objective, &own);
    if (auto const on_device = MakeDeviceObjective(objective)) {
      on_device->ComputeGradients(Cuda(), ctx, own.margins.span(), own.Info(Cuda(), train), iteration,
                                  own.training.gradients.span());
      return;
    }
    SayHostCopy("objective", objective.Name());
    auto const margins = ToHost(Cuda(), own.margins.data(), own.margins.size());
    std::vector<GradientPair> gradients(margins.size());
    objective.ComputeGradients(ctx, margins, train.Info(), iteration, gradients);
    CopyToDevice(Cuda(), gradients.data(), gradients.size(), own.training.gradients.data());
  }

  void SetGradients(Context const& ctx, DataMatrix const& train, Span<GradientPair const> gradients) override {
    CallScope const scope = Enter(ctx);
    auto& own = DataOf(train);
    auto const n_pairs = static_cast<std::int64_t>(gradients.size());
    own.CheckGradients(n_pairs, n_pairs);
    own.PrepareTraining(Cuda(), train);
    own.training.largest.clear();
    own.training.leaf_quantiles.clear();
    own.training.watch.Expect(true);
    CopyToDevice(Cuda(), gradients.data(), gradients.size(), own.training.gradients.data());
  }

  void SetDeviceGradients(Context const& ctx, DataMatrix const& train, DeviceArray const& gradients,
                          DeviceArray const& hessians) override {
    CallScope const scope = Enter(ctx);
    auto& own = DataOf(train);
    own.CheckGradients(gradients.view.Size(), hessians.view.Size());
    own.PrepareTraining(Cuda(), train);
    own.training.largest.clear();
    own.training.leaf_quantiles.clear();
    own.training.watch.Expect(true);
    WaitForArray(Cuda(), gradients, "the gradients");
    WaitForArray(Cuda(), hessians, "the hessians");
    static_assert(sizeof(GradientPair) == 2 * sizeof(float), "a pair is two floats");
    auto* const pairs = reinterpret_cast<float*>(own.training.gradients.data());
    ConvertToFloat(Cuda(), {gradients.view, kMissingValue, pairs, 2 * own.n_outputs, 2});
    ConvertToFloat(Cuda(), {hessians.view, kMissingValue, pairs + 1, 2 * own.n_outputs, 2});
  }

  Tree BuildTree(Context const& ctx, DataMatrix const& train, TreeBuilder const& builder,
                 RoundTree const& tree) override {
    CallScope const scope = Enter(ctx);
    auto& own = DataOf(train);
    auto& training = own.training;
    if (training.build_state == nullptr || training.build_state_key != builder.StateKey()) {
      training.build_state.reset();  // its memory may be what the new one needs
      training.build_state = builder.MakeState(ctx, train);
      training.build_state_key = builder.StateKey();
    }
    auto const task = MakeTask(ctx, train, tree, &own);
    auto const* on_device = dynamic_cast<DeviceTreeBuilder const*>(&builder);
    auto built = on_device == nullptr ? BuildOnHost(ctx, train, builder, task, &training)
                                      : on_device->BuildOnDevice(Cuda(), ctx, train, task, training.build_state.get(),
                                                                 training.leaf_of_row.span());
    RefreshLeaves(ctx, train.Info(), tree, task, own, &built);
    auto const leaf_values = ToDevice(Cuda(), built.split_value);
    AddLeaves(Cuda(), leaf_values.span(), training.leaf_of_row.span(), own.n_outputs, tree.output, own.margins.span());
    return built;
  }

  void FinishRound(DataMatrix const& train, Model const& model) override {
    DataOf(train).held.HoldNewTrees(model);
    Log(LogLevel::kDebug, "copies of round ", model.NumIterations() - 1, " (", train.NumRows(),
        " rows): host to device ", copies_.to_device_bytes, " bytes in ", copies_.to_device_copies,
        " copies, device to host ", copies_.to_host_bytes, " bytes in ", copies_.to_host_copies, " copies");
    copies_ = CopyCounts();
  }

  std::vector<double> Evaluate(Context const& ctx, DataMatrix const& data, Objective const& objective,
                               MetricList const& metrics) override {
    CallScope const scope = Enter(ctx);
    auto& own = DataOf(data);
    if (data.NumRows() > 0) own.Validate(metrics, data);
    Span<float const> const predictions =
        objective.EvaluatesMargins() ? own.margins.span() : Predictions(ctx, objective, &own);
    std::vector<float> on_host;
    std::vector<double> values;
    for (auto const& metric : metrics) {
      if (auto const on_device = DeviceVersion(*metric, data.Info())) {
        values.push_back(on_device->Evaluate(Cuda(), predictions, own.Info(Cuda(), data)));
      } else {
        if (on_host.empty()) on_host = ToHost(Cuda(), predictions.data(), predictions.size());
        values.push_back(metric->Evaluate(ctx, on_host, data.Info()));
      }
    }
    return values;
  }

  std::vector<float> Margins(DataMatrix const& data) const override {
    auto const& margins = data_.at(data.Id()).margins;
    DeviceScope const scope(Cuda().device);
    return ToHost(Cuda(), margins.data(), margins.size());
  }

  std::unique_ptr<DeviceFloats> DevicePredictions(Context const& ctx, DataMatrix const& data,
                                                  Objective const* objective) override {
    CallScope const scope = Enter(ctx);
    auto& own = DataOf(data);
    Span<float const> const values = objective == nullptr ? own.margins.span() : Predictions(ctx, *objective, &own);
    auto result = std::make_unique<OwnedFloats>(Cuda().device, static_cast<std::int64_t>(values.size()));
    WaitFor(result->Cuda(), Cuda().stream);
    CopyOnDevice(result->Cuda(), values.data(), values.size(), result->Values().data());
    result->Cuda().Synchronize();  // for the values, which any stream may read now
    return result;
  }

  void Clear() override { data_.clear(); }

 private:
  CudaContext const& Cuda() const { return stream_->Context(); }

  /// Makes the device of `ctx` current; another device than the last call's starts a new session.
  CallScope Enter(Context const& ctx) {
    if (stream_ == nullptr || Cuda().device != ctx.device.ordinal) {
      data_.clear();
      stream_ = std::make_unique<StreamOwner>(ctx.device.ordinal);
    }
    return CallScope(ctx.device.ordinal, &copies_);
  }

  EngineData& DataOf(DataMatrix const& data) {
    auto const found = data_.find(data.Id());
    if (found == data_.end()) Fail(ErrorKind::kInternal, "margins of data set ", data.Id(), " were never computed");
    return found->second;
  }

  void DropDeadData() {
    for (auto it = data_.begin(); it != data_.end();) it = it->second.data.expired() ? data_.erase(it) : std::next(it);
  }

  void SayOnce(std::string const& line) {
    if (said_.insert(line).second) Log(LogLevel::kWarning, line);
  }
  void SayHostCopy(std::string const& role, std::string const& name) {
    SayOnce(role + " '" + name + "' has no device version: its input and output are copied every round");
  }

  /// Trees that the margins lack. A training set that drops none needs them once at most, so a new data set does not
  /// keep its features on the device.
  void AddTrees(Context const& ctx, DataMatrix const& data, Model const& model, Predictor const& predictor,
                MarginPlan const& plan, bool keeps_features, EngineData* own) {
    auto const compiled = predictor.Compile(OnFirstDevice(ctx), model, plan.Hull());
    auto const* forest = dynamic_cast<DeviceForest const*>(compiled.get());
    auto const rows = forest == nullptr ? std::nullopt : own->Features(Cuda(), data, keeps_features);
    if (rows.has_value()) {
      for (auto const trees : plan.runs) {
        WalkForest(Cuda(), *forest, *rows, PredictKind::kMargin, forest->OwnTrees(trees), own->margins.data());
      }
      Cuda().Synchronize();  // for nothing but the forest, which goes now
      return;
    }
    if (keeps_features) {
      SayOnce("the features of an evaluation set of " + std::to_string(data.NumRows()) +
              " rows do not fit into device memory: they are copied every round");
    }
    auto margins = ToHost(Cuda(), own->margins.data(), own->margins.size());
    MarginStart from;
    from.of_row = margins;
    for (auto const trees : plan.runs) {
      predictor.Predict(ctx, *compiled, *data.View(), PredictKind::kMargin, trees, from, margins);
    }
    CopyToDevice(Cuda(), margins.data(), margins.size(), own->margins.data());
  }

  /// The input of a tree: fixed-point pairs and sampled rows. \throws Error(kData) for a pair that is not finite.
  DeviceTreeTask MakeTask(Context const& ctx, DataMatrix const& train, RoundTree const& tree, EngineData* own) {
    auto& training = own->training;
    DeviceTreeTask task;
    if (tree.subsample < 1.0F) {
      training.sampled.Reserve(Cuda(), training.pairs.size());
      task.sampled_rows = training.sampled.span();
    }
    task.pairs = training.pairs.span();
    task.unit = tree.SamplesByGradient() ? SampleOnHost(ctx, tree, own) : QuantiseFor(ctx, train.Info(), tree, own);
    task.place = tree.place;
    return task;
  }

  GradientUnit QuantiseFor(Context const& ctx, MetaInfo const& info, RoundTree const& tree, EngineData* own) {
    auto& training = own->training;
    auto const gradients = own->Gradients();
    if (training.largest.empty()) training.largest = LargestMagnitudes(Cuda(), gradients);
    auto const largest = training.largest.at(static_cast<std::size_t>(tree.output));
    if (!largest.IsFinite()) {
      auto const row = FirstNotFinite(Cuda(), gradients, tree.output);
      auto const* pair = gradients.pairs.data() + row * own->n_outputs + tree.output;
      FailGradient(ToHost(Cuda(), pair, 1)[0], row);
    }
    RowSample const sample{RowSamplingKey(ctx.seed, tree.place.iteration, tree.place.tree_in_iteration),
                           tree.subsample};
    auto const sampled = tree.subsample < 1.0F ? training.sampled.span() : Span<std::uint8_t>();
    Quantise(Cuda(), gradients, tree.output, largest.Unit(), sample, training.pairs.span(), sampled);
    if (training.watch.IsDue(tree.place.iteration)) own->WatchResolution(Cuda(), info, tree.output, largest.Unit());
    return largest.Unit();
  }

  GradientUnit SampleOnHost(Context const& ctx, RoundTree const& tree, EngineData* own) {
    SayOnce("sampling_method=gradient_based draws rows in host memory: gradients are copied for every tree");
    auto& training = own->training;
    auto const gradients = ToHost(Cuda(), training.gradients.data(), training.gradients.size());
    auto const sample = SampleByGradient(ctx, gradients, own->n_outputs, tree.output, tree.subsample,
                                         RowSamplingKey(ctx.seed, tree.place.iteration, tree.place.tree_in_iteration));
    FixedGradients fixed;
    QuantiseGradients(ctx, sample.pairs, 1, 0, sample.used, &fixed);
    CopyToDevice(Cuda(), fixed.pairs.data(), fixed.pairs.size(), training.pairs.data());
    CopyToDevice(Cuda(), sample.used.data(), sample.used.size(), training.sampled.data());
    return fixed.unit;
  }

  void KeepLeafQuantiles(Objective const& objective, EngineData* own) {
    auto& training = own->training;
    training.leaf_quantiles.clear();
    for (std::int64_t output = 0; output < own->n_outputs; ++output) {
      training.leaf_quantiles.push_back(objective.LeafQuantile(output));
    }
    auto const any = std::any_of(training.leaf_quantiles.begin(), training.leaf_quantiles.end(),
                                 [](auto const& quantile) { return quantile.has_value(); });
    if (!any) return;
    SayOnce("objective '" + objective.Name() +
            "' sets leaves to quantiles in host memory: predictions and leaves of rows are copied every round");
    training.round_margins = ToHost(Cuda(), own->margins.data(), own->margins.size());
  }

  /// In host memory.
  void RefreshLeaves(Context const& ctx, MetaInfo const& info, RoundTree const& tree, DeviceTreeTask const& built_from,
                     EngineData const& own, Tree* built) {
    auto const& training = own.training;
    auto const output = static_cast<std::size_t>(tree.output);
    if (output >= training.leaf_quantiles.size() || !training.leaf_quantiles[output].has_value()) return;
    if (tree.param == nullptr) Fail(ErrorKind::kInternal, "the booster gave no parameters for the leaves of a tree");
    auto const leaf_of_row = ToHost(Cuda(), training.leaf_of_row.data(), training.leaf_of_row.size());
    // Rows drawn by gradients do not stand for all alike.
    auto const sampled = tree.SamplesByGradient()
                             ? std::vector<std::uint8_t>()
                             : ToHost(Cuda(), built_from.sampled_rows.data(), built_from.sampled_rows.size());
    LeafQuantileTask task;
    task.quantile = *training.leaf_quantiles[output];
    task.leaf_scale = tree.place.leaf_scale;
    task.output = tree.output;
    task.n_outputs = own.n_outputs;
    task.margins = training.round_margins;
    task.leaf_of_row = leaf_of_row;
    task.sampled_rows = sampled;
    SetLeafQuantiles(ctx, info, *tree.param, task, built);
  }

  Tree BuildOnHost(Context const& ctx, DataMatrix const& train, TreeBuilder const& builder,
                   DeviceTreeTask const& on_device, TrainingData* training) {
    SayHostCopy("tree method", builder.StateKey());
    auto const pairs = ToHost(Cuda(), on_device.pairs.data(), on_device.pairs.size());
    auto const sampled = ToHost(Cuda(), on_device.sampled_rows.data(), on_device.sampled_rows.size());
    std::vector<std::int32_t> leaf_of_row(pairs.size());
    TreeTask task;
    task.gradients = {pairs, on_device.unit};
    task.sampled_rows = sampled;
    task.place = on_device.place;
    auto built = builder.Build(ctx, train, task, training->build_state.get(), leaf_of_row);
    CopyToDevice(Cuda(), leaf_of_row.data(), leaf_of_row.size(), training->leaf_of_row.data());
    return built;
  }

  /// Transformed margins, [n_rows, n_outputs], device.
  Span<float const> Predictions(Context const& ctx, Objective const& objective, EngineData* own) {
    auto const on_device = MakeDeviceObjective(objective);
    if (on_device != nullptr && !on_device->Transforms()) return own->margins.span();
    auto const n = own->margins.size();
    own->predictions.Reserve(Cuda(), n);
    Span<float> const predictions{own->predictions.data(), n};
    if (on_device != nullptr) {
      CopyOnDevice(Cuda(), own->margins.data(), n, predictions.data());
      on_device->TransformMargins(Cuda(), predictions, own->n_outputs);
    } else {
      SayHostCopy("objective", objective.Name());
      auto values = ToHost(Cuda(), own->margins.data(), n);
      objective.TransformMargins(ctx, values, own->n_outputs);
      CopyToDevice(Cuda(), values.data(), n, predictions.data());
    }
    return predictions;
  }

  /// The device version of `metric`; nullptr: there is none, or the host's is the better one.
  std::unique_ptr<DeviceMetric> DeviceVersion(Metric const& metric, MetaInfo const& info) {
    auto on_device = MakeDeviceMetric(metric);
    if (on_device == nullptr) SayHostCopy("metric", metric.Name());
    if (on_device == nullptr || info.n_rows == 0 || !on_device->Takes(info)) return nullptr;
    return on_device;
  }

  std::unique_ptr<StreamOwner> stream_;  ///< before the data, whose buffers are freed on it
  std::map<std::uint64_t, EngineData> data_;
  std::set<std::string> said_;  ///< lines of the log
  CopyCounts copies_;           ///< since the last round was finished
};

}  // namespace

std::unique_ptr<Engine> MakeCudaEngine() { return std::make_unique<CudaEngine>(); }

}  // namespace kauri::cuda
