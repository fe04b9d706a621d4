/// Failures caused by training data: labels, weights, groups, gradients.
#include <limits>
#include <string>
#include <vector>

#include "c_api/batches.h"
#include "c_api/failure_case.h"

namespace kauri::testing {
namespace {

constexpr auto kRows = static_cast<std::size_t>(kSceneRows);
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

int Set(Scene const& scene, char const* field, std::vector<float> const& values) {
  return XGDMatrixSetInfoFromInterface(scene.data.get(), field, Vector(values).c_str());
}

/// Trains a round while the field of the data has these values.
std::function<int(Scene const&)> RoundWith(char const* field, std::vector<float> const& values) {
  return [=](Scene const& scene) {
    EXPECT_OK(Set(scene, field, values));
    auto const status = scene.Continue();
    EXPECT_OK(Set(scene, field, {}));
    return status;
  };
}

int WrongLabels(Scene const& scene) {
  scene.SetLabels(scene.wrong_labels);
  auto const status = scene.Continue();
  scene.SetLabels(scene.labels);
  return status;
}

int WrongLabelsThenOwnGradients(Scene const& scene) {
  scene.SetLabels(scene.wrong_labels);
  std::vector<float> pairs(3, 1.0F);
  auto const status = XGBoosterBoostOneIter(scene.booster.get(), scene.data.get(), pairs.data(), pairs.data(), 3);
  scene.SetLabels(scene.labels);
  return status;
}

int NoLabels(Scene const& scene) {
  EXPECT_OK(Set(scene, "label", {}));
  auto const status = scene.Continue();
  scene.SetLabels(scene.labels);
  return status;
}

/// Trains with too few weights and without groups; a ranker's groups are restored afterwards.
int FewWeights(Scene const& scene) {
  EXPECT_OK(Set(scene, "group", {}));
  auto const status = RoundWith("weight", {1, 2, 3, 4, 5, 6, 7})(scene);
  if (scene.has_groups) scene.SetGroups();
  return status;
}

/// Trains with row weights together with groups, on user gradients, for which no objective checks the weights.
int RowWeightsBesideGroups(Scene const& scene) {
  EXPECT_OK(Set(scene, "group", {}));
  EXPECT_OK(Set(scene, "weight", std::vector<float>(kRows, 2.0F)));
  scene.SetGroups();
  std::vector<float> gradients(scene.NumGradients(), 1.0F);
  auto const status = XGBoosterBoostOneIter(scene.booster.get(), scene.data.get(), gradients.data(), gradients.data(),
                                            gradients.size());
  EXPECT_OK(Set(scene, "weight", {}));
  if (!scene.has_groups) {
    EXPECT_OK(Set(scene, "group", {}));
  }
  return status;
}

/// Returns a matrix of random rows, with labels for the scene's targets.
Data Rows(Scene const& scene, std::int64_t n_rows, std::int64_t n_cols) {
  auto data = MakeData(Features(n_rows, n_cols), n_cols);
  std::vector<float> const labels(n_rows * scene.n_targets, 1.0F);
  EXPECT_OK(XGDMatrixSetInfoFromInterface(data.get(), "label", Table(labels, scene.n_targets).c_str()));
  return data;
}

int OtherFeatures(Scene const& scene) {
  auto const data = Rows(scene, 20, 7);
  return XGBoosterUpdateOneIter(scene.booster.get(), 0, data.get());
}

int NoColumns(Scene const& scene) {
  DMatrixHandle handle = nullptr;
  EXPECT_OK(XGDMatrixCreateFromMat(nullptr, 2, 0, kNaN, &handle));
  Data const data(handle);
  return XGBoosterUpdateOneIter(scene.booster.get(), 0, data.get());
}

int Boost(Scene const& scene, std::vector<float> gradients) {
  std::vector<float> hessians(gradients.size(), 1.0F);
  return XGBoosterBoostOneIter(scene.booster.get(), scene.data.get(), gradients.data(), hessians.data(),
                               gradients.size());
}

/// Sets the last pair of the last output, when the trees of earlier outputs are already made.
std::function<int(Scene const&)> LastGradient(float value) {
  return [=](Scene const& scene) {
    std::vector<float> gradients(scene.NumGradients(), 0.25F);
    for (std::size_t i = 0; i < gradients.size(); i += 3) gradients[i] = -1.0F;
    gradients.back() = value;
    return Boost(scene, gradients);
  };
}

int RowsOfGradients(Scene const& scene) {
  std::vector<float> const gradients(7, 1.0F);
  return XGBoosterTrainOneIter(scene.booster.get(), scene.data.get(), 0, Vector(gradients).c_str(),
                               Vector(gradients).c_str());
}

int BatchWithoutData(Scene const&) {
  Batches batches({[](DMatrixHandle) {}});
  DMatrixHandle out = nullptr;
  return batches.Read(&out);
}

}  // namespace

std::vector<FailureCase> FailuresOfData() {
  return {
      {"labels that the objective does not take", WrongLabels},
      {"labels that are not finite", [](Scene const& scene) { return Set(scene, "label", {kNaN}); }},
      {"no labels", NoLabels},
      {"fewer weights than rows", FewWeights},
      {"a negative weight", [](Scene const& scene) { return Set(scene, "weight", std::vector<float>(kRows, -1.0F)); }},
      {"weights of rows beside groups", RowWeightsBesideGroups},
      {"a group of less than no rows",
       [](Scene const& scene) {
         return Set(scene, "group", {1, -2});
       }},
      {"groups that do not add up",
       [](Scene const& scene) {
         EXPECT_OK(Set(scene, "group", {1, 2}));
         auto const status = scene.Continue();
         EXPECT_OK(Set(scene, "group", {}));
         if (scene.has_groups) scene.SetGroups();
         return status;
       }},
      {"query ids that descend",
       [](Scene const& scene) {
         std::vector<float> ids(kRows, 1.0F);
         ids.back() = 0.0F;
         return Set(scene, "qid", ids);
       }},
      {"a base margin of other outputs", RoundWith("base_margin", std::vector<float>(7 * kRows, 0.5F))},
      {"other features", OtherFeatures, Needs::kTraining},
      {"no columns", NoColumns},
      {"an iterator without data", BatchWithoutData},
  };
}

std::vector<FailureCase> FailuresOfGradients() {
  return {
      {"too few gradients", [](Scene const& scene) { return Boost(scene, std::vector<float>(7, 1.0F)); }},
      {"too many gradients",
       [](Scene const& scene) { return Boost(scene, std::vector<float>(scene.NumGradients() + 1, 1.0F)); }},
      {"too few gradients, wrong labels", WrongLabelsThenOwnGradients},
      {"gradients of other rows", RowsOfGradients},
      {"a NaN gradient", LastGradient(kNaN)},
      {"an infinite gradient", LastGradient(kInfinity)},
  };
}

}  // namespace kauri::testing
