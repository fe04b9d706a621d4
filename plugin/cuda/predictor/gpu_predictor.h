/// \file The predictor of the plug-in, for its entry.
///
/// GpuModel is a model compiled for one device.
#pragma once

#include "cuda/forest/device_forest.h"
#include "cuda/forest/host_rows.h"
#include "cuda/shap/interventional.h"
#include "cuda/shap/set_model.h"
#include "cuda/shap/shap_model.h"
#include "kauri/predictor.h"
#include "kauri/registry.h"

namespace kauri::cuda {

/// A model's trees, and the data that predictions on host rows and contributions keep between calls. Safe from many
/// threads.
struct GpuModel : public CompiledModel {
  GpuModel(Context const& ctx, Model const& model, TreeRange trees, CoverSource cover)
      : forest(ctx, model, trees, cover), host_rows(forest), shap(forest), interventional(forest), sets(forest) {}

  DeviceForest const forest;
  HostRowsPredictor const host_rows;
  ShapModel const shap;
  InterventionalModel const interventional;
  SetModel const sets;
};

/// Registers gpu_predictor.
void RegisterGpuPredictor(Registry<PredictorFactory>* registry);

}  // namespace kauri::cuda
