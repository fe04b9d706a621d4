/// Failures in uses of a booster: evaluation, predictions, slices, dumps, names.
#include <string>
#include <utility>
#include <vector>

#include "c_api/failure_case.h"

namespace kauri::testing {
namespace {

constexpr char const* kDumpFormat = "xml";

int Evaluate(Scene const& scene, Data const& data) {
  DMatrixHandle matrix = data.get();
  char const* name = "eval";
  char const* text = nullptr;
  return XGBoosterEvalOneIter(scene.booster.get(), 0, &matrix, &name, 1, &text);
}

int EvaluateShortWeights(Scene const& scene) {
  auto const data = MakeData(scene.values, kSceneCols);
  EXPECT_OK(XGDMatrixSetInfoFromInterface(data.get(), "label", Table(scene.labels, scene.n_targets).c_str()));
  EXPECT_OK(XGDMatrixSetInfoFromInterface(data.get(), "weight", Vector({1, 2, 3, 4, 5}).c_str()));
  return Evaluate(scene, data);
}

/// Evaluates the training data while they have no labels.
int EvaluateTraining(Scene const& scene) {
  EXPECT_OK(XGDMatrixSetInfoFromInterface(scene.data.get(), "label", Vector({}).c_str()));
  auto const status = Evaluate(scene, scene.data);
  scene.SetLabels(scene.labels);
  return status;
}

int PredictRows(Scene const& scene, Data const& data, std::string const& config) {
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  return XGBoosterPredictFromDMatrix(scene.booster.get(), data.get(), config.c_str(), &shape, &dim, &values);
}

std::function<int(Scene const&)> PredictAs(std::string const& config) {
  return [=](Scene const& scene) { return PredictRows(scene, scene.data, config); };
}

int Slice(Scene const& scene, int begin, int end, int step) {
  BoosterHandle out = nullptr;
  return XGBoosterSlice(scene.booster.get(), begin, end, step, &out);
}

int Dump(Scene const& scene) {
  bst_ulong length = 0;
  char const** trees = nullptr;
  return XGBoosterDumpModelEx(scene.booster.get(), "", 0, kDumpFormat, &length, &trees);
}

}  // namespace

std::vector<FailureCase> FailuresOfUse() {
  return {
      {"evaluation without labels",
       [](Scene const& scene) { return Evaluate(scene, MakeData(scene.values, kSceneCols)); }},
      {"evaluation of training data without labels", EvaluateTraining},
      {"evaluation with too few weights", EvaluateShortWeights},
      {"evaluation on other features",
       [](Scene const& scene) { return Evaluate(scene, MakeData(Features(20, 7), 7, std::vector<float>(20, 1.0F))); }},
      {"prediction of other features",
       [](Scene const& scene) { return PredictRows(scene, MakeData(Features(20, 7), 7), PredictConfig(0)); }},
      {"prediction of other features as of training data",
       [](Scene const& scene) {
         return PredictRows(scene, MakeData(Features(20, 7), 7),
                            R"({"type": 1, "training": true, "iteration_begin": 0, "iteration_end": 0,
                                "strict_shape": false})");
       },
       Needs::kTraining},
      {"prediction of no kind", PredictAs(PredictConfig(77))},
      {"prediction by rounds that are not there", PredictAs(PredictConfig(0, false, 0, 99))},
      {"a slice outside", [](Scene const& scene) { return Slice(scene, 0, 99, 1); }},
      {"a slice without steps", [](Scene const& scene) { return Slice(scene, 0, 1, 0); }},
      {"a dump of no format", Dump},
  };
}

}  // namespace kauri::testing
