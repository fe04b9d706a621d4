#include "c_api/failure_scene.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kauri::testing {
namespace {

constexpr std::size_t kRows = static_cast<std::size_t>(kSceneRows);

/// Returns scores in [0, 1) that depend on the first two features.
std::vector<float> Scores(std::vector<float> const& values) {
  std::vector<float> scores;
  for (std::size_t row = 0; row < kRows; ++row) scores.push_back((values[row * 4] + values[row * 4 + 1]) / 2.0F);
  return scores;
}

/// Makes data and a booster with parameters, but without rounds. label_of: score -> label.
Scene MakeScene(Params const& params, std::function<float(float)> const& label_of, float wrong_label,
                std::int64_t n_targets = 1) {
  Scene scene;
  scene.params = {{"nthread", "1"},
                  {"device", "cpu"},
                  {"max_depth", "3"},
                  {"tree_method", "hist"},
                  {"validate_parameters", "1"},
                  {"booster", "gbtree"},
                  {"subsample", "0.8"}};
  for (auto const& param : params) scene.params.push_back(param);
  scene.values = Features(kSceneRows, kSceneCols);
  scene.n_targets = n_targets;
  for (auto const score : Scores(scene.values)) {
    for (std::int64_t target = 0; target < n_targets; ++target) {
      scene.labels.push_back(label_of(score) + static_cast<float>(target) * score);
    }
  }
  scene.wrong_labels = scene.labels;
  scene.wrong_labels[scene.wrong_labels.size() / 2] = wrong_label;
  if (n_targets > 1) scene.wrong_labels.resize(kRows);  // the number of columns differs
  scene.data = MakeData(scene.values, kSceneCols);
  scene.SetLabels(scene.labels);
  scene.booster = MakeBooster(scene.data, scene.params);
  return scene;
}

float IsHigh(float score) { return score > 0.5F ? 1.0F : 0.0F; }
float ClassOf(float score) { return std::min(2.0F, std::floor(score * 3.0F)); }
float Number(float score) { return 700.0F + 10.0F * score; }

Scene Trained(Scene scene, int n_rounds = 3) {
  for (int round = 0; round < n_rounds; ++round) EXPECT_OK(scene.Continue());
  scene.is_trained = true;
  return scene;
}

Scene Fresh() { return MakeScene({{"objective", "binary:logistic"}}, IsHigh, 2.0F); }
Scene Numbers() { return MakeScene({{"objective", "reg:squaredlogerror"}, {"tree_method", "approx"}}, Number, -2.0F); }

Scene Configured() {
  auto scene = Fresh();
  bst_ulong n_features = 0;
  EXPECT_OK(XGBoosterGetNumFeature(scene.booster.get(), &n_features));
  return scene;
}

/// Returns an untrained booster after a request for the margins that user gradients start from.
Scene AskedForMargins() {
  auto scene = Fresh();
  Predict(scene.booster, scene.data, R"({"type": 1, "training": true, "iteration_begin": 0, "iteration_end": 0,
                                         "strict_shape": false})");
  return scene;
}

Scene FailedBefore(Scene scene) {
  scene.SetLabels(scene.wrong_labels);
  EXPECT_NE(scene.Continue(), 0);
  scene.SetLabels(scene.labels);
  return scene;
}

/// Loads the snapshot into a new booster with the same parameters.
Scene Loaded(Scene scene) {
  auto const snapshot = ModelText(scene.booster);
  scene.booster = MakeBooster(scene.data, {});
  EXPECT_OK(XGBoosterLoadModelFromBuffer(scene.booster.get(), snapshot.data(), snapshot.size()));
  for (auto const& [name, value] : scene.params) {
    EXPECT_OK(XGBoosterSetParam(scene.booster.get(), name.c_str(), value.c_str()));
  }
  return scene;
}

Scene EarlyStopped() {
  auto scene = Trained(Fresh(), 4);
  EXPECT_OK(XGBoosterSetAttr(scene.booster.get(), "best_iteration", "1"));
  EXPECT_OK(XGBoosterSetAttr(scene.booster.get(), "best_score", "0.25"));
  std::vector<char const*> names{"a", "b", "c", "d"};
  EXPECT_OK(XGBoosterSetStrFeatureInfo(scene.booster.get(), "feature_name", names.data(), names.size()));
  return scene;
}

Scene Dart() {
  return Trained(MakeScene({{"objective", "binary:logistic"}, {"booster", "dart"}, {"rate_drop", "0.5"}}, IsHigh, 2.0F),
                 4);
}

Scene Linear() { return Trained(MakeScene({{"objective", "binary:logistic"}, {"booster", "gblinear"}}, IsHigh, 2.0F)); }

/// Returns a booster after the first of four rounds.
Scene Updating(int n_rounds) {
  auto scene = Loaded(Trained(Fresh(), 4));
  for (auto const& [name, value] : Params{{"process_type", "update"}, {"updater", "refresh"}}) {
    scene.params.emplace_back(name, value);
    EXPECT_OK(XGBoosterSetParam(scene.booster.get(), name.c_str(), value.c_str()));
  }
  return Trained(std::move(scene), n_rounds);
}

Scene SeveralClasses() { return MakeScene({{"objective", "multi:softprob"}, {"num_class", "3"}}, ClassOf, 3.0F); }

Scene VectorLeaves() {
  return Trained(MakeScene({{"objective", "reg:squarederror"}, {"multi_strategy", "multi_output_tree"}}, IsHigh, 0, 3));
}

Scene Ranker() {
  auto scene = MakeScene({{"objective", "rank:ndcg"}, {"lambdarank_unbiased", "1"}}, ClassOf, -1.0F);
  scene.has_groups = true;
  scene.SetGroups();
  return scene;
}

Scene Quantiles() {
  auto scene = MakeScene(
      {{"objective", "reg:quantileerror"}, {"quantile_alpha", "[0.2, 0.8]"}, {"tree_method", "exact"}}, Number, 0.0F);
  scene.wrong_labels.resize(2 * kRows);  // one column too many
  return scene;
}

}  // namespace

std::string Scene::Param(std::string const& name) const {
  auto const found =
      std::find_if(params.rbegin(), params.rend(), [&](auto const& param) { return param.first == name; });
  return found == params.rend() ? std::string() : found->second;
}

void Scene::SetLabels(std::vector<float> const& new_labels) const {
  auto const n_cols = static_cast<std::int64_t>(new_labels.size()) / kSceneRows;
  XGDMatrixSetInfoFromInterface(data.get(), "label", Table(new_labels, std::max<std::int64_t>(n_cols, 1)).c_str());
}

void Scene::SetGroups() const {
  std::vector<float> const sizes{30.0F, 50.0F, 40.0F};
  EXPECT_OK(XGDMatrixSetInfoFromInterface(data.get(), "group", Vector(sizes).c_str()));
}

int Scene::Continue() const {
  int round = 0;
  EXPECT_OK(XGBoosterBoostedRounds(booster.get(), &round));
  return XGBoosterUpdateOneIter(booster.get(), round, data.get());
}

std::size_t Scene::NumGradients() const {
  if (!Param("num_class").empty()) return 3 * kRows;
  if (!Param("quantile_alpha").empty()) return 2 * kRows;
  return labels.size();
}

bool Seen::operator==(Seen const& other) const {
  return model == other.model && config == other.config && attributes == other.attributes &&
         predictions == other.predictions && problem == other.problem;
}

std::string ModelText(Booster const& booster) {
  bst_ulong length = 0;
  char const* bytes = nullptr;
  if (XGBoosterSaveModelToBuffer(booster.get(), R"({"format": "json"})", &length, &bytes) != 0) {
    return XGBGetLastError();
  }
  return {bytes, length};
}

std::string ConfigText(Booster const& booster) {
  bst_ulong length = 0;
  char const* text = nullptr;
  if (XGBoosterSaveJsonConfig(booster.get(), &length, &text) != 0) return XGBGetLastError();
  return {text, length};
}

std::string SnapshotBytes(Booster const& booster) {
  bst_ulong length = 0;
  char const* bytes = nullptr;
  EXPECT_OK(XGBoosterSerializeToBuffer(booster.get(), &length, &bytes));
  return {bytes, length};
}

Seen Look(Scene const& scene) {
  Seen seen;
  seen.model = ModelText(scene.booster);
  seen.config = ConfigText(scene.booster);
  bst_ulong n_names = 0;
  char const** names = nullptr;
  EXPECT_OK(XGBoosterGetAttrNames(scene.booster.get(), &n_names, &names));
  for (bst_ulong i = 0; i < n_names; ++i) seen.attributes += std::string(names[i]) + "\n";
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  auto const config = PredictConfig(1);
  auto const rc =
      XGBoosterPredictFromDMatrix(scene.booster.get(), scene.data.get(), config.c_str(), &shape, &dim, &values);
  if (rc == 0) {
    seen.predictions = Copy(shape, dim, values).values;
  } else {
    seen.problem = XGBGetLastError();
  }
  return seen;
}

std::vector<SceneMaker> AllScenes() {
  auto const always = [](char const* name, std::function<Scene()> const& make) { return SceneMaker{name, make, make}; };
  return {
      always("fresh", Fresh),
      always("configured", Configured),
      always("predicted", AskedForMargins),
      {"failed_once", [] { return FailedBefore(Fresh()); }, Fresh},
      always("numbers", Numbers),
      {"numbers_failed_once", [] { return FailedBefore(Numbers()); }, Numbers},
      always("trained", [] { return Trained(Fresh()); }),
      {"trained_failed_once", [] { return FailedBefore(Trained(Fresh())); }, [] { return Trained(Fresh()); }},
      always("loaded", [] { return Loaded(Trained(Fresh())); }),
      always("early_stopped", EarlyStopped),
      always("dart", Dart),
      always("linear", Linear),
      always("update_begins", [] { return Updating(0); }),
      always("update", [] { return Updating(1); }),
      always("classes_fresh", SeveralClasses),
      always("classes", [] { return Trained(SeveralClasses()); }),
      always("vector_leaves", VectorLeaves),
      always("ranker_fresh", Ranker),
      always("ranker", [] { return Trained(Ranker()); }),
      always("quantiles_fresh", Quantiles),
      always("quantiles", [] { return Trained(Quantiles()); }),
  };
}

}  // namespace kauri::testing
