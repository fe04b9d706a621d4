/// Margins, leaves and approximate contributions have the same bits as cpu_predictor's, since every row's sums have the
/// same order. Exact contributions and interactions are the device's own (plugin/cuda/shap), the same bits in every
/// run.
#include "cuda/predictor/gpu_predictor.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "cuda/forest/device_storage_rows.h"
#include "cuda/forest/host_rows.h"
#include "cuda/objective/device_objective.h"
#include "cuda/predictor/device_group.h"
#include "cuda/shap/interventional.h"
#include "cuda/shap/shap_model.h"
#include "kauri/parameter.h"
#include "kauri/predictor.h"
#include "predictor/output_width.h"

namespace kauri::cuda {
namespace {

struct GpuPredictorParam : public dmlc::Parameter<GpuPredictorParam> {
  enum Method { kAuto = 0, kTreeShap = 1, kQuadrature = 2 };
  int shap_method;
  int shap_bin_packing;
  int shap_cover;
  DMLC_DECLARE_PARAMETER(GpuPredictorParam) {
    DMLC_DECLARE_FIELD(shap_method)
        .set_default(kAuto)
        .add_enum("auto", kAuto)
        .add_enum("treeshap", kTreeShap)
        .add_enum("quadrature", kQuadrature)
        .describe(
            "How exact contributions are computed: treeshap packs paths of up to 31 features into warps, quadrature "
            "gives each row a thread and computes Banzhaf values and Shapley-Taylor indices as well; auto is the "
            "fastest.");
    DMLC_DECLARE_FIELD(shap_bin_packing)
        .set_default(static_cast<int>(BinPacking::kBestFitDecreasing))
        .add_enum("bfd", static_cast<int>(BinPacking::kBestFitDecreasing))
        .add_enum("ffd", static_cast<int>(BinPacking::kFirstFitDecreasing))
        .add_enum("nf", static_cast<int>(BinPacking::kNextFit))
        .add_enum("none", static_cast<int>(BinPacking::kNone))
        .describe(
            "How treeshap packs paths into warps: best fit decreasing, first fit decreasing, next fit, or one path per "
            "warp. No result depends on it.");
    DMLC_DECLARE_FIELD(shap_cover)
        .set_default(static_cast<int>(CoverSource::kHessian))
        .add_enum("hessian", static_cast<int>(CoverSource::kHessian))
        .add_enum("count", static_cast<int>(CoverSource::kCount))
        .describe(
            "What weighs the branches that a feature not known might take: hessian, the sums of hessians of training, "
            "or count, numbers of rows, which must have been counted.");
  }
  void Validate() const {}
  ShapOptions Options() const {
    return {shap_method == kTreeShap ? ShapMethod::kTreeShap : ShapMethod::kQuadrature,
            static_cast<BinPacking>(shap_bin_packing)};
  }
};
DMLC_REGISTER_PARAMETER(GpuPredictorParam);

bool IsContribution(PredictKind kind) {
  return kind != PredictKind::kValue && kind != PredictKind::kMargin && kind != PredictKind::kLeaf;
}

class GpuPredictor : public Predictor {
 public:
  explicit GpuPredictor(GpuPredictorParam const& param)
      : options_(param.Options()), cover_(static_cast<CoverSource>(param.shap_cover)) {}

  std::shared_ptr<CompiledModel const> Compile(Context const& ctx, Model const& model, TreeRange trees) const override {
    return std::make_shared<GpuModel const>(ctx, model, trees, cover_);
  }

  void Predict(Context const& ctx, CompiledModel const& model, DataView const& rows, PredictKind kind, TreeRange trees,
               MarginStart const& start, Span<float> out) const override {
    auto const& forest = ForestOf(model);
    auto const own = forest.OwnTrees(trees);
    CheckShapes(forest, rows, kind, trees, start, out);
    if (IsContribution(kind)) {
      forest.Shap().ExplainHostRows(ctx, options_, {rows, kind, own, start, out});
    } else if (auto const* on_device = rows.OnDevice()) {
      auto const on_host = PredictDeviceRows(forest, *on_device, kind, own, start)->ToHost();
      std::copy(on_host.begin(), on_host.end(), out.begin());
    } else {
      forest.PredictHostRows(ctx, {rows, kind, own, start, out});
    }
  }

  void PredictSparse(Context const& ctx, CompiledModel const& model, DataView const& rows, TreeRange trees,
                     MarginStart const& start, std::int64_t top_k, SparseInteractions* out) const override {
    auto const& forest = ForestOf(model);
    CheckStart(forest, rows, start);
    if (top_k < 0) {
      Fail(ErrorKind::kParameter, "top_k is ", top_k, "; expected 0 for all interactions, or how many to keep.");
    }
    forest.Shap().ExplainSparse(ctx, options_, {rows, forest.OwnTrees(trees), start, top_k, out});
  }

  void PredictInterventional(Context const& ctx, CompiledModel const& model, DataView const& rows,
                             DataView const& background, TreeRange trees, MarginStart const& start,
                             Span<float> out) const override {
    auto const& forest = ForestOf(model);
    CheckShapes(forest, rows, PredictKind::kContribution, trees, start, out);
    ExplainInterventional(ctx, forest, {rows, background, forest.OwnTrees(trees), start, out});
  }

  std::unique_ptr<DeviceFloats> PredictOnDevice(Context const& ctx, CompiledModel const& model,
                                                DevicePredictTask const& task) const override {
    auto const& forest = ForestOf(model);
    auto const own = forest.OwnTrees(task.trees);
    if (task.kind == PredictKind::kMargin || task.kind == PredictKind::kLeaf) {
      return Ready(PredictDeviceRows(forest, task.rows, task.kind, own, task.start));
    }
    if (IsContribution(task.kind)) {
      return forest.Shap().ExplainDeviceRows(ctx, options_, {task.rows, task.kind, own, task.start});
    }
    auto const objective = MakeDeviceObjective(task.objective);
    auto const picks = task.objective.ValueWidth(forest.n_outputs) != forest.n_outputs;
    if (task.kind != PredictKind::kValue || objective == nullptr || picks) return nullptr;
    auto values = PredictDeviceRows(forest, task.rows, PredictKind::kMargin, own, task.start);
    DeviceScope const scope(forest.DeviceOrdinal());
    if (objective->Transforms()) objective->TransformMargins(values->Cuda(), values->Values(), forest.n_outputs);
    return Ready(std::move(values));
  }

 private:
  static GpuModel const& ForestOf(CompiledModel const& model) {
    if (auto const* forest = dynamic_cast<GpuModel const*>(&model)) return *forest;
    Fail(ErrorKind::kInternal, "gpu_predictor was given a model that another predictor compiled.");
  }

  static std::unique_ptr<DeviceFloats> Ready(std::unique_ptr<OwnedFloats> values) {
    values->Cuda().Synchronize();  // for the values: any stream may read them now, and the caller may free the rows
    return values;
  }

  static void CheckShapes(Forest const& forest, DataView const& rows, PredictKind kind, TreeRange trees,
                          MarginStart const& start, Span<float const> out) {
    if (kind == PredictKind::kValue) {
      Fail(ErrorKind::kInternal, "a predictor does not compute predictions of type 0; the objective makes values from ",
           "margins.");
    }
    auto const n_out = rows.NumRows() * OutputWidth(forest.n_outputs, forest.n_features, kind, trees);
    if (out.size() != static_cast<std::size_t>(n_out)) {
      Fail(ErrorKind::kInternal, "a prediction of ", rows.NumRows(), " rows has ", out.size(), " places; expected ",
           n_out, ".");
    }
    if (kind != PredictKind::kLeaf) CheckStart(forest, rows, start);
  }

  static void CheckStart(Forest const& forest, DataView const& rows, MarginStart const& start) {
    auto const n_start = start.of_row.empty() ? forest.n_outputs : rows.NumRows() * forest.n_outputs;
    auto const given = start.of_row.empty() ? start.of_output.size() : start.of_row.size();
    if (given == static_cast<std::size_t>(n_start)) return;
    Fail(ErrorKind::kInternal, "a prediction of ", rows.NumRows(), " rows starts from ", given, " floats; expected ",
         n_start, ".");
  }

  ShapOptions options_;
  CoverSource cover_;
};

}  // namespace

void RegisterGpuPredictor(Registry<PredictorFactory>* registry) {
  registry->Add({"gpu_predictor", "Prediction and contributions on CUDA devices.",
                 [](ParamMap const& params) -> std::unique_ptr<Predictor> {
                   return MakeDeviceGroupPredictor(
                       std::make_unique<GpuPredictor>(ParseParameters<GpuPredictorParam>(params)));
                 },
                 &DescribeParameters<GpuPredictorParam>});
}

}  // namespace kauri::cuda
