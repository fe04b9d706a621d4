#include "booster/predict/device_prediction.h"

#include <utility>

#include "data/categories/category_view.h"
#include "data/meta_info.h"
#include "kauri/error.h"

namespace kauri {

DevicePrediction UploadPrediction(Prediction const& on_host, int device) {
  return {RequireDeviceMemory()->ToDevice(on_host.values, device), on_host.shape};
}

GivenDeviceRows DeviceRowsOf(DataMatrix const& data) {
  if (auto const* rows = data.OnDevice()) return {*rows, data.Info().base_margin, DeclaredColumns::Of(data.Info())};
  Fail(
      ErrorKind::kData,
      "the DMatrix is in host memory, and so are its predictions; call XGBoosterPredictFromDMatrix, or make it from an "
      "array in device memory.");
}

DevicePrediction PredictOnDevice(ReadyModel const& ready, GivenDeviceRows const& rows, PredictOptions const& options) {
  auto const& model = ready.GetModel();
  auto const& parts = *ready.Parts();
  auto const& layout = rows.storage.Layout();
  ready.CheckColumns(options.Compared(rows.columns), layout.n_cols);
  CheckBaseMargin(rows.base_margin, layout.n_rows, model.NumOutputs());
  auto const view = MakeDeviceView(rows.storage);
  if (options.shap_method.empty() && !ModelRows(model, *view).AreTranslated()) {
    auto const start = StartMargins(parts, model);
    DevicePredictTask const task{
        rows.storage, options.kind, model.TreesOf(options.iterations), {start, rows.base_margin}, *parts.objective};
    if (auto values = parts.predictor->PredictOnDevice(parts.ctx, *ready.Compiled(), task)) {
      return {std::move(values), ShapeOf(model, options, task.trees, layout.n_rows, model.NumOutputs())};
    }
  }
  return UploadPrediction(Predict(ready, {*view, rows.base_margin, rows.columns}, options), layout.device);
}

}  // namespace kauri
