/// Margins, leaves and approximate contributions have the same bits as cpu_predictor's, because every row's sums have
/// the same order, and so do interactions of sets, and values and interactions against a background, because their sums
/// are integers. Other exact contributions and interactions are computed by the device's own code (plugin/cuda/shap),
/// with the same bits in every run.
#include "cuda/predictor/gpu_predictor.h"

#include <memory>
#include <utility>

#include "cuda/dependence/device_row_counter.h"
#include "cuda/forest/host_rows.h"
#include "cuda/objective/device_objective.h"
#include "cuda/predictor/device_group.h"
#include "kauri/parameter.h"
#include "kauri/predictor.h"
#include "predictor/predictors.h"

namespace kauri::cuda {
namespace {

/// Parameters of devices alone; the others are in PredictorParam.
struct BinPackingParam : public dmlc::Parameter<BinPackingParam> {
  int shap_bin_packing;
  DMLC_DECLARE_PARAMETER(BinPackingParam) {
    DMLC_DECLARE_FIELD(shap_bin_packing)
        .set_default(static_cast<int>(BinPacking::kBestFitDecreasing))
        .add_enum("bfd", static_cast<int>(BinPacking::kBestFitDecreasing))
        .add_enum("ffd", static_cast<int>(BinPacking::kFirstFitDecreasing))
        .add_enum("nf", static_cast<int>(BinPacking::kNextFit))
        .add_enum("none", static_cast<int>(BinPacking::kNone))
        .describe(
            "How treeshap packs paths into warps: best fit decreasing, first fit decreasing, next fit, or one path per "
            "warp. No result depends on it.");
  }
  void Validate() const {}
};
DMLC_REGISTER_PARAMETER(BinPackingParam);

ParameterTable DescribeGpuParameters() {
  auto all = DescribeParameters<PredictorParam>();
  for (auto& packing : DescribeParameters<BinPackingParam>()) all.push_back(std::move(packing));
  return all;
}

ShapOptions OptionsOf(ParamMap const& params) {
  auto const is_treeshap = ParseParameters<PredictorParam>(params).IsTreeShap();
  return {is_treeshap ? ShapMethod::kTreeShap : ShapMethod::kQuadrature,
          static_cast<BinPacking>(ParseParameters<BinPackingParam>(params).shap_bin_packing)};
}

bool IsContribution(PredictKind kind) {
  return kind != PredictKind::kValue && kind != PredictKind::kMargin && kind != PredictKind::kLeaf;
}

class GpuPredictor : public Predictor {
 public:
  explicit GpuPredictor(ParamMap const& params)
      : options_(OptionsOf(params)), cover_(ParseParameters<PredictorParam>(params).Cover()) {}

  std::shared_ptr<CompiledModel const> Compile(Context const& ctx, Model const& model, TreeRange trees) const override {
    return std::make_shared<GpuModel const>(ctx, model, trees, cover_);
  }

  void Predict(Context const& ctx, CompiledModel const& compiled, PredictTask const& task, PredictKind kind,
               Span<float> out) const override {
    auto const& model = OwnModel(compiled);
    auto const& forest = model.forest.OnHost();
    auto const own = forest.OwnTrees(task.trees);
    CheckPrediction(forest, task, kind, out);
    if (IsContribution(kind)) {
      model.shap.ExplainHostRows(ctx, options_, {task.rows, kind, own, task.start, out});
    } else if (auto const* on_device = task.rows.OnDevice()) {
      auto const predicted = PredictDeviceRows(model.forest, *on_device, kind, own, task.start);
      DeviceScope const scope(model.forest.DeviceOrdinal());
      CopyToHost(predicted->Cuda(), predicted->Values().data(), out.size(), out.data());
      predicted->Cuda().Synchronize();  // for the prediction
    } else {
      model.host_rows.Predict(ctx, {task.rows, kind, own, task.start, out});
    }
  }

  void PredictSparse(Context const& ctx, CompiledModel const& compiled, PredictTask const& task, std::int64_t top_k,
                     SparseInteractions* out) const override {
    auto const& model = OwnModel(compiled);
    auto const& forest = model.forest.OnHost();
    CheckSparsePrediction(forest, task, top_k);
    model.shap.ExplainSparse(ctx, options_, {task.rows, forest.OwnTrees(task.trees), task.start, top_k, out});
  }

  void PredictInterventional(Context const& ctx, CompiledModel const& compiled, PredictTask const& task,
                             DataView const& background, Span<float> out) const override {
    PredictAgainst(ctx, compiled, task, PredictKind::kContribution, background, out);
  }

  bool Computes(PredictKind kind, bool against_background) const override {
    return !against_background || (kind != PredictKind::kApproxContribution && kind != PredictKind::kApproxInteraction);
  }

  bool ComputesSets() const override { return true; }

  void PredictSets(Context const& ctx, CompiledModel const& compiled, PredictTask const& task,
                   SetInteractionOptions const& options, SetInteractions* out) const override {
    auto const& model = OwnModel(compiled);
    model.sets.Explain(ctx, {task.rows, model.forest.OnHost().OwnTrees(task.trees), task.start}, options, out);
  }

  void PredictAgainst(Context const& ctx, CompiledModel const& compiled, PredictTask const& task, PredictKind kind,
                      DataView const& background, Span<float> out) const override {
    auto const& model = OwnModel(compiled);
    auto const& forest = model.forest.OnHost();
    CheckPrediction(forest, task, kind, out);
    model.interventional.Explain(
        ctx, {task.rows, background, forest.OwnTrees(task.trees), task.start, out, 0, GoalOf(kind)});
  }

  std::shared_ptr<RowCounter> MakeRowCounter(Context const& ctx, WeighedRows const& rows) const override {
    return MakeDeviceRowCounter(ctx, rows);
  }

  std::unique_ptr<DeviceFloats> PredictOnDevice(Context const& ctx, CompiledModel const& compiled,
                                                DevicePredictTask const& task) const override {
    auto const& model = OwnModel(compiled);
    auto const n_outputs = model.forest.OnHost().n_outputs;
    auto const own = model.forest.OnHost().OwnTrees(task.trees);
    if (task.kind == PredictKind::kMargin || task.kind == PredictKind::kLeaf) {
      return Ready(PredictDeviceRows(model.forest, task.rows, task.kind, own, task.start));
    }
    if (IsContribution(task.kind)) {
      return model.shap.ExplainDeviceRows(ctx, options_, {task.rows, task.kind, own, task.start});
    }
    auto const objective = MakeDeviceObjective(task.objective);
    auto const picks = task.objective.ValueWidth(n_outputs) != n_outputs;
    if (task.kind != PredictKind::kValue || objective == nullptr || picks) return nullptr;
    auto values = PredictDeviceRows(model.forest, task.rows, PredictKind::kMargin, own, task.start);
    DeviceScope const scope(model.forest.DeviceOrdinal());
    if (objective->Transforms()) objective->TransformMargins(values->Cuda(), values->Values(), n_outputs);
    return Ready(std::move(values));
  }

 private:
  static GpuModel const& OwnModel(CompiledModel const& model) {
    if (auto const* own = dynamic_cast<GpuModel const*>(&model)) return *own;
    Fail(ErrorKind::kInternal, "gpu_predictor was given a model that another predictor compiled.");
  }

  static std::unique_ptr<DeviceFloats> Ready(std::unique_ptr<OwnedFloats> values) {
    values->Cuda().Synchronize();  // for the values: any stream may read them now, and the caller may free the rows
    return values;
  }

  ShapOptions options_;
  CoverSource cover_;
};

}  // namespace

void RegisterGpuPredictor(Registry<PredictorFactory>* registry) {
  registry->Add({"gpu_predictor", "Prediction and contributions on CUDA devices.",
                 [](ParamMap const& params) -> std::unique_ptr<Predictor> {
                   return MakeDeviceGroupPredictor(std::make_unique<GpuPredictor>(params));
                 },
                 &DescribeGpuParameters});
}

}  // namespace kauri::cuda
