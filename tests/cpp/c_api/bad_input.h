/// \file What the tables of bad input share.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "c_api/support.h"

namespace kauri::testing {

/// A trained booster, its data and a folder of its own.
struct World {
  World() : folder(std::filesystem::path(::testing::TempDir()) / ("kauri_bad_input_" + std::to_string(::getpid()))) {
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

/// One row: what is done, what the message must say (what, the value, the cure), its kind.
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
std::vector<BadInput> BadExplanations();
std::vector<BadInput> BadJson();

}  // namespace kauri::testing
