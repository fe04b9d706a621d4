/// Predictions that stay in device memory.
#include <utility>

#include "booster/learner_impl.h"
#include "data/categories/category_view.h"
#include "data/meta_info.h"
#include "kauri/error.h"

namespace kauri {
namespace {

DevicePrediction Upload(Prediction const& on_host, int device) {
  return {RequireDeviceMemory()->ToDevice(on_host.values, device), on_host.shape};
}

DeviceStorage const& RowsOf(DataMatrix const& data) {
  if (auto const* rows = data.OnDevice()) return *rows;
  Fail(
      ErrorKind::kData,
      "the DMatrix is in host memory, and so are its predictions; call XGBoosterPredictFromDMatrix, or make it from an "
      "array in device memory.");
}

}  // namespace

DevicePrediction Learner::PredictOnDevice(DeviceStorage const& rows, Span<float const> base_margin,
                                          PredictOptions const& options) const {
  auto const parts = impl_->Resolve();
  auto const& model = impl_->model;
  auto const& layout = rows.Layout();
  CheckPredictable(model, layout.n_cols);
  impl_->CheckColumns({options.feature_types, {}});
  CheckBaseMargin(base_margin, layout.n_rows, model.NumOutputs());
  auto const view = MakeDeviceView(rows);
  if (options.shap_method.empty() && !ModelRows(model, *view).AreTranslated()) {
    auto const compiled = impl_->Compiled(*parts);
    auto const start = impl_->StartMargins(*parts);
    DevicePredictTask const task{
        rows, options.kind, model.TreesOf(options.iterations), {start, base_margin}, *parts->objective};
    if (auto values = parts->predictor->PredictOnDevice(parts->ctx, *compiled, task)) {
      return {std::move(values), ShapeOf(model, options, task.trees, layout.n_rows, model.NumOutputs())};
    }
  }
  return Upload(PredictInPlace(*view, base_margin, options), layout.device);
}

DevicePrediction Learner::PredictOnDevice(DataMatrix const& data, PredictOptions const& options) const {
  auto const& rows = RowsOf(data);
  impl_->CheckColumns(DeclaredColumns::Of(data.Info()));
  return PredictOnDevice(rows, data.Info().base_margin, options);
}

DevicePrediction Learner::PredictTrainingOnDevice(std::shared_ptr<DataMatrix const> const& data,
                                                  PredictOptions const& options) {
  auto const& rows = RowsOf(*data);
  if (!IsOfCachedMargins(options)) return PredictOnDevice(rows, data->Info().base_margin, options);
  auto const parts = impl_->Resolve();
  auto* const engine = impl_->UpdateMargins(*parts, data);
  auto const n_outputs = impl_->model.NumOutputs();
  auto const is_value = options.kind == PredictKind::kValue;
  if (!is_value || parts->objective->ValueWidth(n_outputs) == n_outputs) {
    auto const* objective = is_value ? parts->objective.get() : nullptr;
    if (auto* const on_device = engine->OnDevice()) {
      return {on_device->DevicePredictions(parts->ctx, *data, objective),
              ShapeOf(impl_->model, options, {}, data->NumRows(), n_outputs)};
    }
  }
  return Upload(impl_->Finish(*parts, options, {}, data->NumRows(), engine->Margins(*data)), rows.Layout().device);
}

}  // namespace kauri
