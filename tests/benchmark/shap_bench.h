/// \file Code shared by the benchmarks of explanations: models, rows for them, a clock.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "booster/model_io/model_io.h"
#include "predictor/predictor_fixtures.h"

namespace kauri::testing {

inline std::vector<std::string> Split(std::string const& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// Reads a model file, or makes the model random:TREES:DEPTH:COLUMNS:CLASSES.
inline Model ReadModel(std::string const& name) {
  if (name.rfind("random:", 0) != 0) return LoadModel(name);
  auto const parts = Split(name, ':');
  if (parts.size() != 5) Fail(ErrorKind::kParameter, "expected random:TREES:DEPTH:COLUMNS:CLASSES, got ", name);
  ForestSpec spec;
  spec.n_trees = std::atoll(parts[1].c_str());
  spec.depth = std::atoi(parts[2].c_str());
  spec.n_features = static_cast<std::uint32_t>(std::atoi(parts[3].c_str()));
  spec.n_classes = std::atoll(parts[4].c_str());
  spec.early_leaf = 0.0;
  spec.special_thresholds = false;
  auto model = RandomModel(spec);
  for (std::int64_t round = 1; round * model.NumOutputs() <= spec.n_trees; ++round) {
    model.iteration_ptr.push_back(round * model.NumOutputs());
  }
  return model;
}

/// Makes rows. Each value is a threshold of some tree for the feature, or the number just below it.
inline std::vector<float> RowsAround(Model const& model, std::int64_t n_rows) {
  std::vector<std::vector<float>> thresholds(static_cast<std::size_t>(model.n_features));
  for (auto const& tree : model.trees) {
    for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
      auto const index = static_cast<std::size_t>(node);
      if (!tree.IsLeaf(node)) thresholds[tree.split_feature[index]].push_back(tree.split_value[index]);
    }
  }
  Random random(1);
  std::vector<float> values;
  for (std::int64_t row = 0; row < n_rows; ++row) {
    for (auto const& of_feature : thresholds) {
      auto const size = static_cast<std::uint32_t>(of_feature.size());
      auto const value = size == 0 ? 0.0F : of_feature[random.Below(size)];
      values.push_back(random.Below(2) == 0 ? value : std::nextafter(value, -kInf));
    }
  }
  return values;
}

inline double Milliseconds(std::function<void()> const& call) {
  auto const begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// Returns the exit status for main: the result of run(), or 2 after a message if no model is named or an error occurs.
template <typename Run>
int RunBenchmark(int argc, char const* usage, Run&& run) {
  if (argc < 2) {
    std::printf("%s\n", usage);
    return 2;
  }
  try {
    return run();
  } catch (Error const& error) {
    std::printf("%s\n", error.what());
    return 2;
  }
}

}  // namespace kauri::testing
