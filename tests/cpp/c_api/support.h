/// \file Handles, arrays and small trained boosters for the tests of the C ABI.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kauri/c_api.h"

namespace kauri::testing {

/// Fails the test with the library's message if the call failed.
#define EXPECT_OK(call) EXPECT_EQ((call), 0) << XGBGetLastError()
#define ASSERT_OK(call) ASSERT_EQ((call), 0) << XGBGetLastError()

struct FreeData {
  void operator()(void* handle) const { XGDMatrixFree(handle); }
};
struct FreeBooster {
  void operator()(void* handle) const { XGBoosterFree(handle); }
};
using Data = std::unique_ptr<void, FreeData>;
using Booster = std::unique_ptr<void, FreeBooster>;

/// Returns the array interface of `values`; shape as JSON.
template <typename T>
std::string Interface(std::vector<T> const& values, char const* typestr, std::string const& shape) {
  return R"({"data": [)" + std::to_string(reinterpret_cast<std::uintptr_t>(values.data())) +
         R"(, true], "typestr": ")" + typestr + R"(", "shape": )" + shape + R"(, "strides": null, "version": 3})";
}
inline std::string Vector(std::vector<float> const& values) {
  return Interface(values, "<f4", "[" + std::to_string(values.size()) + "]");
}
inline std::string Table(std::vector<float> const& values, std::int64_t n_cols) {
  auto const n_rows = static_cast<std::int64_t>(values.size()) / n_cols;
  return Interface(values, "<f4", "[" + std::to_string(n_rows) + ", " + std::to_string(n_cols) + "]");
}

/// Returns pseudo-random features in [0, 1), the same on every machine.
inline std::vector<float> Features(std::int64_t n_rows, std::int64_t n_cols, std::uint32_t seed = 1) {
  std::vector<float> values(n_rows * n_cols);
  for (auto& value : values) {
    seed = seed * 1664525U + 1013904223U;
    value = static_cast<float>(seed >> 8U) / static_cast<float>(1U << 24U);
  }
  return values;
}

constexpr char const* kNaNMissing = R"({"missing": NaN})";

inline Data MakeData(std::vector<float> const& values, std::int64_t n_cols, std::vector<float> const& labels = {}) {
  DMatrixHandle handle = nullptr;
  EXPECT_OK(XGDMatrixCreateFromDense(Table(values, n_cols).c_str(), kNaNMissing, &handle));
  Data data(handle);
  if (!labels.empty()) {
    EXPECT_OK(XGDMatrixSetInfoFromInterface(handle, "label", Vector(labels).c_str()));
  }
  return data;
}

/// 200 rows of 4 features whose labels depend on the first two: 0, 1, .. n_classes - 1.
struct Problem {
  explicit Problem(int n_classes = 2) : values(Features(200, 4)) {
    for (std::size_t row = 0; row < 200; ++row) {
      auto const score = (values[row * 4] + values[row * 4 + 1]) / 2.0F;
      labels.push_back(static_cast<float>(static_cast<int>(score * static_cast<float>(n_classes) * 0.999F)));
    }
    data = MakeData(values, 4, labels);
  }
  std::vector<float> values;
  std::vector<float> labels;
  Data data;
};

using Params = std::vector<std::pair<std::string, std::string>>;

inline Booster MakeBooster(Data const& data, Params const& params) {
  BoosterHandle handle = nullptr;
  DMatrixHandle const matrix = data.get();
  EXPECT_OK(XGBoosterCreate(&matrix, 1, &handle));
  for (auto const& [name, value] : params) EXPECT_OK(XGBoosterSetParam(handle, name.c_str(), value.c_str()));
  return Booster(handle);
}

inline Booster Train(Data const& data, Params const& params, int n_rounds) {
  auto booster = MakeBooster(data, params);
  for (int round = 0; round < n_rounds; ++round) {
    EXPECT_OK(XGBoosterUpdateOneIter(booster.get(), round, data.get()));
  }
  return booster;
}

inline Params Logistic() {
  return {{"objective", "binary:logistic"}, {"max_depth", "3"}, {"nthread", "2"}, {"validate_parameters", "1"}};
}

struct Predicted {
  std::vector<bst_ulong> shape;
  std::vector<float> values;
};

inline std::string PredictConfig(int type, bool strict_shape = false, int begin = 0, int end = 0) {
  return R"({"type": )" + std::to_string(type) + R"(, "training": false, "missing": NaN, "iteration_begin": )" +
         std::to_string(begin) + R"(, "iteration_end": )" + std::to_string(end) + R"(, "strict_shape": )" +
         (strict_shape ? "true}" : "false}");
}

inline Predicted Copy(bst_ulong const* shape, bst_ulong dim, float const* values) {
  Predicted result;
  result.shape.assign(shape, shape + dim);
  bst_ulong size = 1;
  for (auto const length : result.shape) size *= length;
  result.values.assign(values, values + size);
  return result;
}

inline Predicted Predict(Booster const& booster, Data const& data, std::string const& config = PredictConfig(0)) {
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  auto const status = XGBoosterPredictFromDMatrix(booster.get(), data.get(), config.c_str(), &shape, &dim, &values);
  EXPECT_OK(status);
  return status == 0 ? Copy(shape, dim, values) : Predicted();
}

}  // namespace kauri::testing
