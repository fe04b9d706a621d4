/// Failures caused by models, snapshots and configurations as bytes and files.
#include <string>
#include <vector>

#include "c_api/failure_case.h"

namespace kauri::testing {
namespace {

int Load(Scene const& scene, std::string const& bytes) {
  return XGBoosterLoadModelFromBuffer(scene.booster.get(), bytes.data(), bytes.size());
}

int Unserialise(Scene const& scene, std::string const& bytes) {
  return XGBoosterUnserializeFromBuffer(scene.booster.get(), bytes.data(), bytes.size());
}

int Configure(Scene const& scene, std::string const& text) {
  return XGBoosterLoadJsonConfig(scene.booster.get(), text.c_str());
}

std::string Replaced(std::string text, std::string const& from, std::string const& to) {
  auto const at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// Loads a model whose kind differs from all scenes and whose objective is unknown.
int LoadUnknownObjective(Scene const& scene) {
  Problem const problem(3);
  auto const other = Train(problem.data, {{"objective", "multi:softmax"}, {"num_class", "3"}, {"eta", "0.1"}}, 2);
  return Load(scene, Replaced(ModelText(other), R"("name":"multi:softmax")", R"("name":"multi:hardmax")"));
}

/// Loads a snapshot with the first half of another booster and a damaged second half.
int UnserialiseBadConfig(Scene const& scene) {
  Problem const problem(3);
  auto const other = Train(problem.data, {{"objective", "multi:softmax"}, {"num_class", "3"}, {"eta", "0.1"}}, 2);
  return Unserialise(scene, Replaced(SnapshotBytes(other), R"({"learner")", R"({"learnt_")"));
}

int UnserialiseBadModel(Scene const& scene) {
  Problem const problem;
  auto bytes = SnapshotBytes(Train(problem.data, {{"eta", "0.1"}}, 2));
  bytes.resize(bytes.size() - bytes.size() / 8);
  return Unserialise(scene, bytes);
}

/// Starts with valid members.
int ConfigureHalf(Scene const& scene) {
  return Configure(scene, R"({"learner": {"user_params": {"eta": "0.01", "max_depth": "1", "zeta": 7}}})");
}

int ConfigureBadMetrics(Scene const& scene) {
  return Configure(scene, R"({"learner": {"user_params": {"eta": "0.01"}, "user_metrics": ["auc", 3]}})");
}

}  // namespace

std::vector<FailureCase> FailuresOfFiles() {
  return {
      {"a model that is none", [](Scene const& scene) { return Load(scene, "no model"); }},
      {"a model of nothing", [](Scene const& scene) { return Load(scene, "{}"); }},
      {"a model cut short",
       [](Scene const& scene) {
         auto const text = ModelText(scene.booster);
         return Load(scene, text.substr(0, text.size() / 2));
       }},
      {"a model of an unknown objective", LoadUnknownObjective},
      {"a model file that is not there",
       [](Scene const& scene) { return XGBoosterLoadModel(scene.booster.get(), "/nowhere/model.json"); }},
      {"a snapshot cut short", [](Scene const& scene) { return Unserialise(scene, "KAURI-SNAPSHOT-1\n12345678{"); }},
      {"a snapshot with a bad configuration", UnserialiseBadConfig},
      {"a snapshot with a bad model", UnserialiseBadModel},
      {"a configuration that is none", [](Scene const& scene) { return Configure(scene, "{"); }},
      {"a configuration of nothing", [](Scene const& scene) { return Configure(scene, R"({"learner": 3})"); }},
      {"a configuration with a bad member", ConfigureHalf},
      {"a configuration with a bad metric", ConfigureBadMetrics},
      {"a path that cannot be written",
       [](Scene const& scene) { return XGBoosterSaveModel(scene.booster.get(), "/nowhere/model.json"); }},
  };
}

}  // namespace kauri::testing
