/// \file Boosters in every state that calls can leave them in, and their observable state: for the table of failures
/// and retries.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "c_api/support.h"

namespace kauri::testing {

constexpr std::int64_t kSceneRows = 120;
constexpr std::int64_t kSceneCols = 4;

/// A booster, its training data, and labels that its objective rejects.
struct Scene {
  Params params;  ///< the parameters set; failures that change them restore these values
  std::vector<float> values;
  std::vector<float> labels;  ///< [kSceneRows, n_targets]
  std::vector<float> wrong_labels;
  std::int64_t n_targets = 1;
  bool has_groups = false;
  bool is_trained = false;
  Data data;
  Booster booster;

  std::string Param(std::string const& name) const;
  void SetLabels(std::vector<float> const& new_labels) const;
  void SetGroups() const;
  /// Trains one more round with `data`.
  int Continue() const;
  /// Returns the number of pairs per round: rows times outputs.
  std::size_t NumGradients() const;
};

/// The observable state of a booster; a call that fails is recorded by its message.
struct Seen {
  std::string model;
  std::string config;
  std::string attributes;
  std::vector<float> predictions;
  std::string problem;  ///< message of a failed prediction

  bool operator==(Seen const& other) const;
};

Seen Look(Scene const& scene);
std::string ModelText(Booster const& booster);
std::string ConfigText(Booster const& booster);
std::string SnapshotBytes(Booster const& booster);

/// make: returns a new scene, always the same.
struct SceneMaker {
  char const* name;
  std::function<Scene()> make;
  std::function<Scene()> never_failed;  ///< reference for rounds from here on
};

std::vector<SceneMaker> AllScenes();

}  // namespace kauri::testing
