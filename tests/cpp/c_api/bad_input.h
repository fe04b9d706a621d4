/// \file Common parts of the tables of bad input.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "c_api/support.h"
#include "common/platform/process.h"

namespace kauri::testing {

/// A trained booster, its data, and its own folder.
struct World {
  World()
      : folder(std::filesystem::path(::testing::TempDir()) /
               ("kauri_bad_input_" + std::to_string(platform::ProcessId()))) {
    std::filesystem::create_directories(folder);
    booster = Train(problem.data, Logistic(), 3);
    expected = Predict(booster, problem.data).values;
  }
  ~World() { std::filesystem::remove_all(folder); }

  std::string File(std::string const& name, std::string const& content) const {
    std::ofstream(folder / name, std::ios::binary) << content;
    return (folder / name).string();
  }
  std::string ModelJson() const {
    bst_ulong length = 0;
    char const* bytes = nullptr;
    EXPECT_OK(XGBoosterSaveModelToBuffer(booster.get(), R"({"format": "json"})", &length, &bytes));
    return {bytes, length};
  }

  Problem problem;
  Booster booster;
  std::vector<float> expected;
  std::filesystem::path folder;
};

using Act = std::function<int(World&)>;

/// One row of a table: the action, parts of the expected message (problem, value, cure), and the error kind.
struct BadInput {
  char const* name;
  Act act;
  std::vector<std::string> says;
  int kind;
};

/// Trains a new booster on `data`.
inline int TrainWith(World& world, Data const& data) {
  return XGBoosterUpdateOneIter(MakeBooster(world.problem.data, Logistic()).get(), 0, data.get());
}

std::vector<BadInput> BadData();
std::vector<BadInput> BadBatches();
std::vector<BadInput> BadModels();
std::vector<BadInput> FullDisks();
std::vector<BadInput> BadExplanations();
std::vector<BadInput> BadJson();

}  // namespace kauri::testing
