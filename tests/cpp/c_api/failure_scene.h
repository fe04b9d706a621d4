/// \file Boosters in every state that calls can leave them in, and what they show of themselves: for the table of
/// failures and retries.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "c_api/support.h"

namespace kauri::testing {

constexpr std::int64_t kSceneRows = 120;
constexpr std::int64_t kSceneCols = 4;

/// A booster, what it learns from, and what its objective does not take.
struct Scene {
  Params params;  ///< as they are set; failures that set others set these again
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
  /// One more round with `data`.
  int Continue() const;
  /// Pairs per round: rows times outputs.
  std::size_t NumGradients() const;
};

/// All that calls tell of a booster; a call that fails is told by its message.
struct Seen {
  std::string model;
  std::string config;
  std::string attributes;
  std::vector<float> predictions;
  std::string problem;  ///< of the predictions

  bool operator==(Seen const& other) const;
};

Seen Look(Scene const& scene);
std::string ModelText(Booster const& booster);
std::string ConfigText(Booster const& booster);
std::string SnapshotBytes(Booster const& booster);

/// make: a new scene, each time the same.
struct SceneMaker {
  char const* name;
  std::function<Scene()> make;
  std::function<Scene()> never_failed;  ///< what rounds from here on are compared with
};

std::vector<SceneMaker> AllScenes();

}  // namespace kauri::testing
