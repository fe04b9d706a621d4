/// \file Models for tests of model files: saved by XGBoost, or small ones made by hand.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "booster/model_io/model_io.h"
#include "common/files/read_file.h"

namespace kauri::testing {

inline std::string FixturePath(std::string const& name) {
  return std::string(KAURI_SOURCE_DIR) + "/tests/cpp/booster/model_io/fixtures/" + name;
}

inline std::string FixtureBytes(std::string const& name) { return ReadFile(FixturePath(name)); }

inline Model Parse(std::string const& bytes) { return ParseModel({bytes.data(), bytes.size()}); }

/// Returns a fixture as JSON, for tests that change it before it is read.
inline nlohmann::json FixtureJson(std::string const& name) { return nlohmann::json::parse(FixtureBytes(name)); }

/// Returns the message with which `bytes` are refused. Fails the test if they are accepted, or refused by another
/// error.
inline std::string Refusal(std::string const& bytes) {
  try {
    Parse(bytes);
  } catch (Error const& error) {
    EXPECT_EQ(error.Kind(), ErrorKind::kModel);
    return error.what();
  }
  ADD_FAILURE() << "accepted: " << bytes.substr(0, 300);
  return "";
}

/// Expects that the refusal of `document` names `place` and contains `what`.
inline void ExpectRefused(nlohmann::json const& document, std::string const& place, std::string const& what) {
  auto const message = Refusal(document.dump());
  EXPECT_NE(message.find(place), std::string::npos) << message;
  EXPECT_NE(message.find(what), std::string::npos) << message;
}

inline auto const kTree0 = nlohmann::json::json_pointer("/learner/gradient_booster/model/trees/0");
inline auto const kGbtree = nlohmann::json::json_pointer("/learner/gradient_booster/model");
inline auto const kLearnerParam = nlohmann::json::json_pointer("/learner/learner_model_param");

/// Returns the value of the leaf that `row` falls into, by the definition in kauri/tree.h.
inline float LeafValue(Tree const& tree, std::vector<float> const& row) {
  std::int32_t node = 0;
  while (!tree.IsLeaf(node)) {
    auto const index = static_cast<std::size_t>(node);
    auto const value = row[tree.split_feature[index]];
    bool left = value < tree.split_value[index];
    if (tree.is_categorical[index] != 0) {
      left = true;
      for (auto const category : tree.CategoriesOf(node)) left = left && static_cast<float>(category) != value;
    }
    if (value != value) left = tree.default_left[index] != 0;
    node = left ? tree.left[index] : tree.right[index];
  }
  return tree.split_value[node];
}

}  // namespace kauri::testing
