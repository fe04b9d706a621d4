/// A round computes gradients from margins, labels and weights, and their largest magnitudes. For each tree it
/// quantises and samples rows, sums the pairs (40 bytes of each output to the host, while the tree grows), grows the
/// tree, and adds leaf values by the leaf of every row. Only trees, units and sums of metrics cross to the host.
#include "cuda/engine/cuda_engine.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/text/log.h"
#include "cuda/data/convert.h"
#include "cuda/data/cuda_memory.h"
#include "cuda/data/device_floats.h"
#include "cuda/engine/built_trees.h"
#include "cuda/engine/engine_data.h"
#include "cuda/engine/tree_input.h"
#include "cuda/metric/device_metric.h"
#include "cuda/objective/device_objective.h"
#include "cuda/predictor/gpu_predictor.h"
#include "cuda/tree/device_tree_builder.h"
#include "data/arrays/value_rules.h"
#include "data/categories/category_view.h"
#include "engine/leaf_gradients.h"
#include "engine/margin_cache.h"
#include "engine/round_errors.h"
#include "kauri/collective.h"
#include "kauri/error.h"

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

/// Returns the context restricted to the first device, which trains.
Context OnFirstDevice(Context ctx) {
  ctx.device.ordinals.clear();
  return ctx;
}

/// Checks that the model reads the rows unchanged, as device memory has them. \throws Error(kParameter) otherwise.
void RequireCategoriesOfModel(Model const& model, DataMatrix const& data) {
  if (!ModelRows(model, *data.View()).AreTranslated()) return;
  Fail(ErrorKind::kParameter,
       "device=cuda cannot cache predictions of data whose categories differ from the model's in ",
       "numbering or treatment (another order of names, unseen_category); use device=cpu.");
}

void RequireEqualCounts(std::int64_t n_gradients, std::int64_t n_hessians) {
  if (n_gradients == n_hessians) return;
  Fail(ErrorKind::kData, "there are ", n_gradients, " gradients and ", n_hessians,
       " hessians; pass one of each per row and output.");
}

DeviceTreeBuilder const& RequireOnDevice(TreeBuilder const& builder) {
  if (auto const* const on_device = dynamic_cast<DeviceTreeBuilder const*>(&builder)) return *on_device;
  Fail(ErrorKind::kInternal, "the tree method '", builder.StateKey(), "' does not build in device memory");
}

/// Returns whether a tree can grow from gradients in several shards: then each device draws its rows by their numbers.
bool TakesShards(RoundTree const& tree, DeviceTreeBuilder const& builder) {
  auto const is_drawn_by_key = !tree.SamplesByGradient() && !tree.DrawsQueries() && tree.BaggingTemperature() == 0.0F;
  return is_drawn_by_key && builder.TakesShards(tree.vector_leaves);
}

/// A builder and the state that it has made for the training set.
struct BuilderAndState {
  DeviceTreeBuilder const& builder;
  BuildState* state;
};

class CudaEngine : public Engine, public DeviceSide {
 public:
  explicit CudaEngine(std::int64_t fewest_rows) : fewest_rows_(fewest_rows) {}

  DeviceSide* OnDevice() override { return this; }

  void UpdateMargins(Context const& ctx, std::shared_ptr<DataMatrix const> const& data, Model const& model,
                     Predictor const& predictor, Span<float const> start, Span<std::int64_t const> dropped) override {
    RequireCategoriesOfModel(model, *data);
    CallScope const scope = Enter(ctx);
    WantedMargins const wanted{data, model, start, dropped};
    auto* const own = data_.Open(*data);
    auto const plan = own->held.Begin(wanted);
    if (plan.IsNothing()) return;
    if (plan.restart) own->Restart(Cuda(), *data, model.NumOutputs(), start);
    auto const hull = plan.Hull();
    if (hull.begin < hull.end) AddTrees(ctx, wanted, predictor, plan, own);
    own->held.Hold(wanted);
  }

  void ComputeGradients(Context const& ctx, DataMatrix const& train, Objective const& objective,
                        std::int64_t iteration) override {
    CallScope const scope = Enter(ctx);
    auto& own = data_.Of(train);
    own.BeginRound(Cuda(), objective);
    auto const on_device = MakeDeviceObjective(objective);
    if (on_device != nullptr && (!IsDistributed(ctx) || on_device->IsOfRowsAlone())) {
      own.rows.ComputeGradients(
          {Cuda(), ctx, *on_device, own.Info(Cuda(), ctx, train), train.InfoRevision(), iteration, fewest_rows_});
      return;
    }
    SayHostCopy("objective", objective.Name(), ctx);
    auto const on_main = own.rows.Margins(Cuda());
    auto const margins = ToHost(Cuda(), on_main.data(), on_main.size());
    std::vector<GradientPair> gradients(margins.size());
    objective.ComputeGradients(ctx, margins, train.Info(), iteration, gradients);
    CopyToDevice(Cuda(), gradients.data(), gradients.size(), own.rows.GradientsToSet().data());
  }

  void SetGradients(Context const& ctx, DataMatrix const& train, Span<GradientPair const> gradients) override {
    CallScope const scope = Enter(ctx);
    auto& own = data_.Of(train);
    CheckGradientCount(static_cast<std::int64_t>(gradients.size()), train.NumRows(), own.rows.NumOutputs());
    auto const to = own.BeginGivenRound(Cuda(), own.rows.NumOutputs());
    CopyToDevice(Cuda(), gradients.data(), gradients.size(), to.data());
  }

  void SetSplitGradients(Context const& ctx, DataMatrix const& train, SplitGradients const& gradients) override {
    CallScope const scope = Enter(ctx);
    auto& own = data_.Of(train);
    CheckSplitGradients(gradients, train.NumRows(), own.rows.NumOutputs());
    auto const to = own.BeginGivenRound(Cuda(), gradients.n_split_outputs);
    own.has_leaf_gradients = true;
    own.leaf_gradients.assign(gradients.leaves.begin(), gradients.leaves.end());
    CopyToDevice(Cuda(), gradients.splits.data(), gradients.splits.size(), to.data());
  }

  void SetDeviceGradients(Context const& ctx, DataMatrix const& train, DeviceArray const& gradients,
                          DeviceArray const& hessians) override {
    CallScope const scope = Enter(ctx);
    auto& own = data_.Of(train);
    auto const n_outputs = own.rows.NumOutputs();
    RequireEqualCounts(gradients.view.Size(), hessians.view.Size());
    CheckGradientCount(gradients.view.Size(), train.NumRows(), n_outputs);
    auto const to = own.BeginGivenRound(Cuda(), n_outputs);
    WaitForArray(Cuda(), gradients, "the gradients");
    WaitForArray(Cuda(), hessians, "the hessians");
    static_assert(sizeof(GradientPair) == 2 * sizeof(float), "a pair is two floats");
    auto* const pairs = reinterpret_cast<float*>(to.data());
    ConvertToFloat(Cuda(), {gradients.view, kMissingValue, pairs, 2 * n_outputs, 2});
    ConvertToFloat(Cuda(), {hessians.view, kMissingValue, pairs + 1, 2 * n_outputs, 2});
  }

  std::vector<Tree> BuildTrees(Context const& ctx, DataMatrix const& train, TreeBuilder const& builder,
                               std::vector<RoundTree> const& trees) override {
    CallScope const scope = Enter(ctx);
    auto& own = data_.Of(train);
    auto const& on_device = RequireOnDevice(builder);
    auto* const state = own.training.StateFor(builder.StateKey(), [&] { return builder.MakeState(ctx, train); });
    if (auto together = BuildTogether(ctx, train, {on_device, state}, trees, &own)) return std::move(*together);
    std::vector<Tree> built;
    for (auto const& tree : trees) {
      own.rows.BeginTree(Cuda(), TakesShards(tree, on_device));
      on_device.ExpectTree(state);
      auto task = MakeTreeInput({Cuda(), ctx, train.Info(), tree, [&](char const* line) { SayOnce(line); }}, &own);
      if (ReducesErrors(tree)) {
        task.errors = own.arrays.errors.Of(Cuda(), own.Info(Cuda(), ctx, train), own.rows.Margins(Cuda()), tree);
      }
      auto const leaf_of_row = own.rows.LeavesHere();
      built.push_back(on_device.BuildOnDevice(Cuda(), ctx, train, task, state, leaf_of_row));
      if (own.has_leaf_gradients) {
        SayOnce(
            "leaves with gradients of their own get their values in host memory: rows' leaves are copied every tree");
        SetLeavesFromGradients({Cuda(), ctx, train.Info(), tree, leaf_of_row}, own, &built.back());
      }
      RenewLeavesOf({Cuda(), ctx, train.Info(), tree, leaf_of_row}, &own, &built.back());
      own.rows.AddLeaves(Cuda(), built.back(), tree.output);
    }
    return built;
  }

  void FinishRound(DataMatrix const& train, Model const& model) override {
    data_.Of(train).held.NoteNewTrees(model);
    Log(LogLevel::kDebug, "copies of round ", model.NumIterations() - 1, " (", train.NumRows(),
        " rows): host to device ", copies_.to_device_bytes, " bytes in ", copies_.to_device_copies,
        " copies, device to host ", copies_.to_host_bytes, " bytes in ", copies_.to_host_copies, " copies");
    copies_ = CopyCounts();
  }

  std::vector<double> Evaluate(Context const& ctx, DataMatrix const& data, Objective const& objective,
                               MetricList const& metrics) override {
    CallScope const scope = Enter(ctx);
    auto& own = data_.Of(data);
    if (data.NumRows() > 0 && !IsDistributed(ctx)) own.Validate(metrics, data);
    Span<float const> const predictions =
        objective.EvaluatesMargins() ? own.rows.Margins(Cuda()) : Predictions(ctx, objective, &own);
    std::vector<float> on_host;
    std::vector<double> values;
    for (auto const& metric : metrics) {
      if (auto const on_device = DeviceVersion(ctx, *metric, data.Info())) {
        values.push_back(on_device->Evaluate(Cuda(), predictions, own.Info(Cuda(), ctx, data)));
      } else {
        if (on_host.size() != predictions.size()) on_host = ToHost(Cuda(), predictions.data(), predictions.size());
        values.push_back(metric->Evaluate(ctx, on_host, data.Info()));
      }
    }
    return values;
  }

  std::vector<float> Margins(DataMatrix const& data) const override {
    auto const& own = data_.Of(data);
    DeviceScope const scope(Cuda().device);
    auto const margins = own.rows.Margins(Cuda());
    return ToHost(Cuda(), margins.data(), margins.size());
  }

  std::unique_ptr<DeviceFloats> DevicePredictions(Context const& ctx, DataMatrix const& data,
                                                  Objective const* objective) override {
    CallScope const scope = Enter(ctx);
    auto& own = data_.Of(data);
    auto const values = objective == nullptr ? own.rows.Margins(Cuda()) : Predictions(ctx, *objective, &own);
    auto result = std::make_unique<OwnedFloats>(Cuda().device, static_cast<std::int64_t>(values.size()));
    WaitFor(result->Cuda(), Cuda().stream);
    CopyOnDevice(result->Cuda(), values.data(), values.size(), result->Values().data());
    result->Cuda().Synchronize();  // for the values, which any stream may read now
    return result;
  }

  void Clear() override { data_.Clear(); }

 private:
  CudaContext const& Cuda() const { return stream_->Context(); }

  /// Makes the device of `ctx` current. A change of devices since the last call starts a new session.
  CallScope Enter(Context const& ctx) {
    if (stream_ == nullptr || Cuda().device != ctx.device.ordinal) {
      data_.Clear();
      stream_ = std::make_unique<StreamOwner>(ctx.device.ordinal);
    } else if (ordinals_ != ctx.device.ordinals) {
      data_.Clear();  // the data of other devices is part of it
    }
    ordinals_ = ctx.device.ordinals;
    return CallScope(ctx.device.ordinal, &copies_);
  }

  /// Builds the trees concurrently. Returns nothing if they do not grow together.
  std::optional<std::vector<Tree>> BuildTogether(Context const& ctx, DataMatrix const& train,
                                                 BuilderAndState const& builder, std::vector<RoundTree> const& trees,
                                                 EngineData* own) {
    if (trees.size() < 2 || !AreOnePerOutput(trees, *own) || IsDistributed(ctx)) return std::nullopt;
    auto const& [on_device, state] = builder;
    if (!on_device.GrowsTogether(Cuda(), ctx, train, trees[0].place, trees.size(), state)) return std::nullopt;
    if (!own->PrepareRound(Cuda(), train)) return std::nullopt;
    auto const tasks =
        MakeRoundInput({Cuda(), ctx, train.Info(), trees[0], [&](char const* line) { SayOnce(line); }}, trees, own);
    auto built = on_device.BuildTogether(Cuda(), ctx, train, tasks, state, own->arrays.round_leaves.span());
    RenewLeavesOfRound(Cuda(), trees, own, &built);
    AddTreesOfRound(Cuda(), built, own);
    return built;
  }

  void SayOnce(std::string const& line) {
    if (said_.insert(line).second) Log(LogLevel::kWarning, line);
  }
  void SayHostCopy(std::string const& role, std::string const& name, Context const& ctx) {
    auto const* why = IsDistributed(ctx) ? "needs the rows of all ranks" : "has no device version";
    SayOnce(role + " '" + name + "' " + why + ": its input and output are copied every round");
  }

  /// Adds the trees that the margins lack. A training set without dropped trees needs old trees at most once, so the
  /// features of a new data set are not kept on the device.
  void AddTrees(Context const& ctx, WantedMargins const& wanted, Predictor const& predictor, MarginPlan const& plan,
                EngineData* own) {
    auto const& data = *wanted.data;
    if (data.NumRows() == 0) return;  // it has no margins
    auto const keeps_features = !plan.first_time;
    auto const compiled = predictor.Compile(OnFirstDevice(ctx), wanted.model, plan.Hull());
    auto const* on_device = dynamic_cast<GpuModel const*>(compiled.get());
    auto const rows = on_device == nullptr ? std::nullopt : own->Features(Cuda(), ctx, data, keeps_features);
    auto const on_main = own->rows.MarginsToChange(Cuda());
    if (rows.has_value()) {
      for (auto const trees : plan.runs) {
        auto const& forest = on_device->forest;
        WalkForest(Cuda(), forest, *rows, PredictKind::kMargin, forest.OnHost().OwnTrees(trees), on_main.data());
      }
      Cuda().Synchronize();  // only for the forest, which is destroyed now
      return;
    }
    if (keeps_features && on_device != nullptr) {
      SayOnce("the features of an evaluation set of " + std::to_string(data.NumRows()) +
              " rows do not fit into device memory: they are copied every round");
    }
    auto margins = ToHost(Cuda(), on_main.data(), on_main.size());
    MarginStart from;
    from.of_row = margins;
    for (auto const trees : plan.runs) {
      predictor.Predict(ctx, *compiled, {*data.View(), trees, from}, PredictKind::kMargin, margins);
    }
    CopyToDevice(Cuda(), margins.data(), margins.size(), on_main.data());
  }

  /// Returns transformed margins, [n_rows, n_outputs], device.
  Span<float const> Predictions(Context const& ctx, Objective const& objective, EngineData* own) {
    auto const margins = own->rows.Margins(Cuda());
    auto const on_device = MakeDeviceObjective(objective);
    if (on_device != nullptr && !on_device->Transforms()) return margins;
    auto const n = margins.size();
    own->predictions.Reserve(Cuda(), n);
    Span<float> const predictions{own->predictions.data(), n};
    if (on_device != nullptr) {
      CopyOnDevice(Cuda(), margins.data(), n, predictions.data());
      on_device->TransformMargins(Cuda(), predictions, own->rows.NumOutputs());
    } else {
      SayHostCopy("objective", objective.Name(), ctx);
      auto values = ToHost(Cuda(), margins.data(), n);
      objective.TransformMargins(ctx, values, own->rows.NumOutputs());
      CopyToDevice(Cuda(), values.data(), n, predictions.data());
    }
    return predictions;
  }

  /// Returns the device version of `metric`; nullptr if there is none, or if the host's is preferable.
  std::unique_ptr<DeviceMetric> DeviceVersion(Context const& ctx, Metric const& metric, MetaInfo const& info) {
    auto on_device = IsDistributed(ctx) ? nullptr : MakeDeviceMetric(metric);
    if (on_device == nullptr) SayHostCopy("metric", metric.Name(), ctx);
    if (on_device == nullptr || info.n_rows == 0 || !on_device->Takes(info)) return nullptr;
    return on_device;
  }

  std::int64_t fewest_rows_;             ///< minimum number of rows of a shard, if there are several
  std::unique_ptr<StreamOwner> stream_;  ///< declared before the data, whose buffers are freed on it
  std::vector<int> ordinals_;            ///< devices of the last call, if there were several
  DataCache<EngineData> data_;
  std::set<std::string> said_;  ///< lines that were logged
  CopyCounts copies_;           ///< since the last round was finished
};

}  // namespace

std::unique_ptr<Engine> MakeCudaEngine() { return MakeShardedCudaEngine(kFewestRowsOfShard); }

std::unique_ptr<Engine> MakeShardedCudaEngine(std::int64_t fewest_rows) {
  return std::make_unique<CudaEngine>(fewest_rows);
}

}  // namespace kauri::cuda
