/// \file Code shared by the tests of explanations on a device.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/predictor/gpu_predictor.h"
#include "predictor/predictor_fixtures.h"
#include "predictor/predictors.h"
#include "support/device_fixture.h"

namespace kauri::testing {

inline std::vector<ParamMap> AllMethods() {
  return {{{"shap_method", "quadrature"}},
          {{"shap_method", "treeshap"}},
          {{"shap_method", "treeshap"}, {"shap_bin_packing", "none"}},
          {{"shap_method", "treeshap"}, {"shap_bin_packing", "nf"}}};
}

inline std::unique_ptr<Predictor> MakeGpuPredictor(ParamMap const& params = {}) {
  Registry<PredictorFactory> registry("predictor");
  cuda::RegisterGpuPredictor(&registry);
  return registry.Find("gpu_predictor").make(params);
}

inline TreeRange AllTrees(Model const& model) { return {0, static_cast<std::int64_t>(model.trees.size())}; }

/// Returns the sum of each tree's largest leaf, the unit of rounding errors.
inline double Scale(Model const& model) {
  double scale = 0.0;
  for (auto const& tree : model.trees) {
    float largest = 0.0F;
    for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
      if (tree.IsLeaf(node)) largest = std::max(largest, std::abs(tree.split_value[node]));
    }
    scale += 1.25 * static_cast<double>(largest);  // dart weights reach 1.25
  }
  return scale;
}

/// Returns specs with three outputs, missing values, categories, repeated features, weights of trees.
inline std::vector<std::pair<std::string, ForestSpec>> Specs() {
  std::vector<std::pair<std::string, ForestSpec>> specs(8);
  specs[0].first = "plain";
  specs[1].first = "single leaves";
  specs[1].second.depth = 0;
  specs[2].first = "stumps";
  specs[2].second.depth = 1;
  specs[3].first = "classes";
  specs[3].second.n_classes = 3;
  specs[3].second.n_trees = 10;
  specs[4].first = "categorical";
  specs[4].second.categorical = 0.5;
  specs[4].second.depth = 7;
  specs[5].first = "repeated features";
  specs[5].second.n_features = 2;
  specs[5].second.depth = 9;
  specs[6].first = "dart";
  specs[6].second.dart = true;
  specs[7].first = "deep";
  specs[7].second.n_features = 14;
  specs[7].second.depth = 11;
  specs[7].second.early_leaf = 0.1;
  return specs;
}

/// Rows in device memory that belong to another owner.
class BorrowedRows : public DeviceStorage {
 public:
  explicit BorrowedRows(DeviceLayout const& layout) : DeviceStorage(layout) {}

 private:
  FloatVector CopyToHost() const override { return {}; }
};

/// Returns the layout of contiguous rows.
inline DeviceLayout DenseLayout(float const* values, std::int64_t n_rows, std::int64_t n_cols) {
  DeviceLayout layout;
  layout.n_rows = n_rows;
  layout.n_cols = n_cols;
  layout.values = values;
  layout.row_stride = n_cols;
  return layout;
}

class GpuShapTest : public DeviceTest {
 protected:
  static std::vector<float> Run(ParamMap const& method, Model const& model, DataView const& rows, PredictKind kind,
                                MarginStart const& start, TreeRange trees, int threads = 2) {
    auto const gpu = MakeGpuPredictor(method);
    auto const compiled = gpu->Compile(OnDevice(), model, AllTrees(model));
    std::vector<float> out(rows.NumRows() * OutputWidth(model, kind, trees), 123.0F);
    gpu->Predict(OnDevice(threads), *compiled, {rows, trees, start}, kind, out);
    return out;
  }
  static std::vector<float> Run(ParamMap const& method, Model const& model, DataView const& rows, PredictKind kind) {
    auto const start = Start(model);
    return Run(method, model, rows, kind, {start, {}}, AllTrees(model));
  }
  static std::vector<float> Start(Model const& model) {
    return UniformValues(static_cast<std::size_t>(model.NumOutputs()), -1.0F, 1.0F, 3);
  }

  static void ExpectNear(std::vector<float> const& values, std::vector<float> const& expected, double tolerance) {
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_NEAR(values[i], expected[i], tolerance) << "number " << i << " of " << values.size();
    }
  }
};

}  // namespace kauri::testing
