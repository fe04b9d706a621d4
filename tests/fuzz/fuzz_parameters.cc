/// \file Parameters of any bytes, a line `name=value` each. The result must be a booster that trains, or an error that
/// is not internal. Counts that multiply the work stay small.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "kauri/c_api.h"

namespace {

void Require(bool holds) {
  if (!holds) __builtin_trap();
}

bool Done(int status) {
  Require(status == 0 || KauriGetLastErrorKind() != KAURI_ERROR_INTERNAL);
  return status == 0;
}

bool IsTooMuch(std::string const& name, std::string const& value) {
  constexpr long kMost = 20;
  for (char const* multiplies : {"num_parallel_tree", "num_class", "num_target", "lambdarank_num_pair_per_sample"}) {
    if (name == multiplies && std::strtol(value.c_str(), nullptr, 10) > kMost) return true;
  }
  return name == "device" || name == "nthread" || name == "n_jobs";
}

/// Makes ten rows of a number, a category and an integer.
DMatrixHandle MakeData() {
  constexpr int kRows = 10;
  std::vector<float> values;
  std::vector<float> labels;
  for (int row = 0; row < kRows; ++row) {
    for (auto const value : {0.1F * static_cast<float>(row * 7 % 10), static_cast<float>(row % 4), row / 3.0F}) {
      values.push_back(value);
    }
    labels.push_back(static_cast<float>(row % 2));
  }
  DMatrixHandle data = nullptr;
  Require(XGDMatrixCreateFromMat(values.data(), kRows, 3, 3.0F, &data) == 0);
  Require(XGDMatrixSetFloatInfo(data, "label", labels.data(), labels.size()) == 0);
  char const* types[] = {"q", "c", "q"};
  Require(XGDMatrixSetStrFeatureInfo(data, "feature_type", types, 3) == 0);
  return data;
}

void Train(BoosterHandle booster, DMatrixHandle data) {
  bst_ulong length = 0;
  char const* text = nullptr;
  Done(XGBoosterSaveJsonConfig(booster, &length, &text));
  for (int round = 0; round < 2; ++round) {
    if (!Done(XGBoosterUpdateOneIter(booster, round, data))) return;
  }
  char const* name = "train";
  Done(XGBoosterEvalOneIter(booster, 1, &data, &name, 1, &text));
  Require(Done(XGBoosterSaveModelToBuffer(booster, R"({"format": "json"})", &length, &text)));
  std::string const bytes(text, length);
  Require(XGBoosterLoadModelFromBuffer(booster, bytes.data(), bytes.size()) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static DMatrixHandle const matrix = MakeData();
  BoosterHandle booster = nullptr;
  Require(XGBoosterCreate(nullptr, 0, &booster) == 0);
  Require(XGBoosterSetParam(booster, "nthread", "1") == 0);
  std::istringstream lines(std::string(reinterpret_cast<char const*>(data), size));
  for (std::string line; std::getline(lines, line);) {
    auto const equals = line.find('=');
    if (equals == std::string::npos) continue;
    auto const name = line.substr(0, equals);
    auto const value = line.substr(equals + 1);
    if (!IsTooMuch(name, value)) Done(XGBoosterSetParam(booster, name.c_str(), value.c_str()));
  }
  Train(booster, matrix);
  XGBoosterFree(booster);
  return 0;
}
