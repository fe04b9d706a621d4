/// Margins and leaves on the device; the same bits as cpu_predictor's, since every row's sum has the same order.
/// Contributions and interactions have no device version yet: cpu_predictor computes them from the host's forest that
/// the compiled model keeps, and the log says so once (design D6).
#include "cuda/predictor/gpu_predictor.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "common/log.h"
#include "cuda/objective/device_objective.h"
#include "cuda/predictor/device_storage_rows.h"
#include "cuda/predictor/host_rows.h"
#include "kauri/predictor.h"
#include "predictor/output_width.h"

namespace kauri::cuda {
namespace {

class GpuPredictor : public Predictor {
 public:
  explicit GpuPredictor(std::unique_ptr<Predictor> on_host) : on_host_(std::move(on_host)) {}

  std::shared_ptr<CompiledModel const> Compile(Context const& ctx, Model const& model, TreeRange trees) const override {
    return std::make_shared<GpuModel const>(ctx, model, trees);
  }

  void Predict(Context const& ctx, CompiledModel const& model, DataView const& rows, PredictKind kind, TreeRange trees,
               MarginStart const& start, Span<float> out) const override {
    auto const& forest = ForestOf(model);
    if (kind != PredictKind::kMargin && kind != PredictKind::kLeaf) {
      std::call_once(
          said_, [] { Log(LogLevel::kWarning, "contributions have no device version; they are computed on the CPU"); });
      return on_host_->Predict(ctx, model, rows, kind, trees, start, out);
    }
    auto const own = OwnTrees(forest, trees);
    CheckShapes(forest, rows, kind, trees, start, out);
    if (auto const* on_device = rows.OnDevice()) {
      auto const values = PredictDeviceRows(forest, *on_device, kind, own, start)->ToHost();
      std::copy(values.begin(), values.end(), out.begin());
    } else {
      forest.PredictHostRows(ctx, {rows, kind, own, start, out});
    }
  }

  std::unique_ptr<DeviceFloats> PredictOnDevice(Context const&, CompiledModel const& model,
                                                DevicePredictTask const& task) const override {
    auto const& forest = ForestOf(model);
    auto const own = OwnTrees(forest, task.trees);
    if (task.kind == PredictKind::kMargin || task.kind == PredictKind::kLeaf) {
      return Ready(PredictDeviceRows(forest, task.rows, task.kind, own, task.start));
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

  /// `trees` as numbered within the forest.
  static TreeRange OwnTrees(Forest const& forest, TreeRange trees) {
    if (trees.begin < forest.trees.begin || trees.begin > trees.end || trees.end > forest.trees.end) {
      Fail(ErrorKind::kInternal, "trees [", trees.begin, ", ", trees.end, ") are not all compiled; those in [",
           forest.trees.begin, ", ", forest.trees.end, ") are.");
    }
    return {trees.begin - forest.trees.begin, trees.end - forest.trees.begin};
  }

  static std::unique_ptr<DeviceFloats> Ready(std::unique_ptr<OwnedFloats> values) {
    values->Cuda().Synchronize();  // for the values: any stream may read them now, and the caller may free the rows
    return values;
  }

  static void CheckShapes(Forest const& forest, DataView const& rows, PredictKind kind, TreeRange trees,
                          MarginStart const& start, Span<float const> out) {
    auto const n_out = rows.NumRows() * OutputWidth(forest.n_outputs, forest.n_features, kind, trees);
    auto const n_start = start.of_row.empty() ? forest.n_outputs : rows.NumRows() * forest.n_outputs;
    auto const given = start.of_row.empty() ? start.of_output.size() : start.of_row.size();
    if (out.size() != static_cast<std::size_t>(n_out) ||
        (kind == PredictKind::kMargin && given != static_cast<std::size_t>(n_start))) {
      Fail(ErrorKind::kInternal, "a prediction of ", rows.NumRows(), " rows has ", out.size(),
           " places and starts from ", given, " floats; expected ", n_out, " and ", n_start, ".");
    }
  }

  std::unique_ptr<Predictor> on_host_;
  mutable std::once_flag said_;
};

}  // namespace

void RegisterGpuPredictor(Registry<PredictorFactory>* registry) {
  registry->Add({"gpu_predictor", "Prediction on a CUDA device; contributions on the CPU.",
                 [](ParamMap const& params) -> std::unique_ptr<Predictor> {
                   return std::make_unique<GpuPredictor>(GetRegistries().predictors.Find("cpu_predictor").make(params));
                 }});
}

}  // namespace kauri::cuda
