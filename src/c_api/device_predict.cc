/// Predicts rows in device memory, with results in device memory.
#include <algorithm>
#include <utility>
#include <vector>

#include "c_api/arrays.h"
#include "c_api/guard.h"
#include "c_api/predict_out.h"
#include "data/adapters/columnar.h"

namespace kauri::c_api {
namespace {

void ReturnOnDevice(DevicePrediction prediction, HandleBase* handle, PredictionOut const& out) {
  auto& buffers = handle->Buffers();
  buffers.device_floats = std::move(prediction.values);
  ReturnShape(prediction.shape, buffers.device_floats->Data(), &buffers, out);
}

/// Predicts rows in place. parse: () -> std::vector<DeviceArray>.
template <typename Parse>
int PredictDeviceRows(BoosterHandle handle, char const* call, char const* config, DMatrixHandle m,
                      PredictionOut const& to, Parse&& parse) {
  return Guard([&] {
    auto const out = CheckedOut(to.shape, to.dim, to.values);
    BoosterRead const booster(handle);
    GivenMargin const margin(m);
    JsonConfig const settings(config, call);
    auto const options = OptionsOf(settings);
    auto const types = TextsIfGiven(settings, "feature_types");
    auto const names = TextsIfGiven(settings, "feature_names");
    auto const missing = static_cast<float>(settings.Number("missing"));
    auto const arrays = parse();
    auto const rows = RequireDeviceMemory()->Borrow(arrays, missing);
    ReturnOnDevice(
        PredictOnDevice(*booster->learner->Ready(), {*rows, margin.Values(), {types, {}, false, names}}, options),
        &*booster, out);
  });
}

/// Returns the type in the notation of an array interface.
char const* DeviceTypestrOf(DeviceNumbers const& numbers) { return numbers.Type() == DType::kF32 ? "<f4" : "<i8"; }

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace

int XGBoosterPredictFromCudaArray(BoosterHandle handle, char const* values, char const* config, DMatrixHandle m,
                                  bst_ulong const** out_shape, bst_ulong* out_dim, float const** out_result) {
  return PredictDeviceRows(handle, "XGBoosterPredictFromCudaArray", config, m, {out_shape, out_dim, out_result},
                           [&] { return std::vector<kauri::DeviceArray>{DeviceArrayOf(values, "values")}; });
}

int XGBoosterPredictFromCudaColumnar(BoosterHandle handle, char const* values, char const* config, DMatrixHandle m,
                                     bst_ulong const** out_shape, bst_ulong* out_dim, float const** out_result) {
  return PredictDeviceRows(handle, "XGBoosterPredictFromCudaColumnar", config, m, {out_shape, out_dim, out_result},
                           [&] { return kauri::ParseDeviceColumns(NotNull(values, "values")); });
}

int KauriBoosterPredictOnDevice(BoosterHandle handle, DMatrixHandle dmat, char const* config,
                                bst_ulong const** out_shape, bst_ulong* out_dim, float const** out_result) {
  return Guard([&] {
    auto const out = CheckedOut(out_shape, out_dim, out_result);
    BoosterOf(handle);
    DataRead const matrix(dmat);
    JsonConfig const settings(config, "KauriBoosterPredictOnDevice");
    auto const options = OptionsOf(settings);
    if (settings.Boolean("training")) {
      BoosterUse const booster(handle);
      return ReturnOnDevice(booster->PredictTrainingOnDevice(matrix->data, options), &booster.Handle(), out);
    }
    BoosterRead const booster(handle);
    auto const ready = booster->learner->Ready();
    ReturnOnDevice(kauri::PredictOnDevice(*ready, kauri::DeviceRowsOf(*matrix->data), options), &*booster, out);
  });
}

int KauriBoosterTakePrediction(BoosterHandle handle, KauriDeviceArrayHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    BoosterRead const booster(handle);
    auto& values = booster->Buffers().device_floats;
    if (values == nullptr) {
      kauri::Fail(kauri::ErrorKind::kParameter,
                  "the thread has no prediction in device memory; make one with this booster first.");
    }
    *out = new DeviceArrayHandle(std::move(values));
  });
}

int KauriDeviceArrayDescribe(KauriDeviceArrayHandle handle, char const** out) {
  return Guard([&] {
    NotNull(out, "out");
    auto& array = DeviceHandleOf(handle);
    auto const size = static_cast<std::size_t>(array.values->Size());
    auto text = InterfaceOf(array.values->Address(), {size}, DeviceTypestrOf(*array.values));
    text.insert(text.size() - 1, ",\"stream\":null");
    array.Buffers().text = std::move(text);
    *out = array.Buffers().text.c_str();
  });
}

int KauriDeviceArrayToHost(KauriDeviceArrayHandle handle, void* out) {
  return Guard([&] {
    auto const& values = *DeviceHandleOf(handle).values;
    if (values.Size() > 0) values.CopyTo(NotNull(out, "out"));
  });
}

int KauriDeviceArrayFree(KauriDeviceArrayHandle handle) {
  return Guard([&] { delete &DeviceHandleOf(handle); });
}
