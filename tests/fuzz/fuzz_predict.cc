/// \file Models of any bytes that are valid but unusual. Every call on them must succeed, or fail with an error that is
/// not internal.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "kauri/c_api.h"

namespace {

constexpr int kRows = 6;
constexpr bst_ulong kMostFeatures = 40;
constexpr bst_ulong kMostCells = 1 << 20;

void Require(bool holds) {
  if (!holds) __builtin_trap();
}

/// \return whether the call succeeded.
bool Done(int status) {
  Require(status == 0 || KauriGetLastErrorKind() != KAURI_ERROR_INTERNAL);
  return status == 0;
}

/// Makes rows of missing values, valid and invalid categories, and values on both sides of any threshold.
std::vector<float> Rows(bst_ulong n_features) {
  float const values[] = {0.0F, 1.0F, -1.0F, std::nanf(""), 2.5F, 1e30F, 3.0F, -1e-30F, 16777216.0F, 0.5F, 7.0F};
  std::vector<float> rows(kRows * n_features);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = values[i * 7 / 3 % (sizeof(values) / sizeof(values[0]))];
  return rows;
}

std::string Config(int type) {
  return R"({"type": )" + std::to_string(type) +
         R"(, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": true})";
}

/// Returns whether a prediction of this type has few enough numbers to compute; the size of the margins decides.
bool IsSmall(bst_ulong n_outputs, bst_ulong n_features, int type) {
  auto const of_pairs = type == 4 || type == 5 || type > 100;
  auto const columns = of_pairs ? (n_features + 1) * (n_features + 1) : n_features + 1;
  return kRows * columns * n_outputs < kMostCells;
}

void ExplainSampled(BoosterHandle booster, DMatrixHandle data) {
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  double const* values = nullptr;
  double const* errors = nullptr;
  bst_ulong n_evals[kRows] = {};
  char const* method = nullptr;
  for (char const* output : {"margin", "value", "loss"}) {
    auto const config = std::string(R"({"output": ")") + output +
                        R"(", "method": "antithetic", "n_orders": 2, "iteration_begin": 0, "iteration_end": 0})";
    Done(KauriBoosterExplainSampled(booster, data, data, config.c_str(), &shape, &dim, &values, &errors, n_evals,
                                    &method));
  }
}

void ComputeDependence(BoosterHandle booster, DMatrixHandle data) {
  bst_ulong n = 0;
  std::int64_t const* begin = nullptr;
  float const* thresholds = nullptr;
  double const* values = nullptr;
  std::uint32_t const* pairs = nullptr;
  std::int32_t const* cells = nullptr;
  for (char const* distribution : {"rows", "product"}) {
    auto const config = std::string(R"({"iteration_begin": 0, "iteration_end": 0, "pairs": "together", )") +
                        R"("distribution": ")" + distribution + R"("})";
    Done(KauriBoosterDependence(booster, data, data, config.c_str(), &n, &n, &begin, &thresholds, &values, &n, &n,
                                &pairs, &cells));
  }
}

void Explain(BoosterHandle booster, DMatrixHandle data, bst_ulong n_features) {
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  if (!Done(XGBoosterPredictFromDMatrix(booster, data, Config(1).c_str(), &shape, &dim, &values))) return;
  Require(dim >= 1 && shape[0] == kRows);
  auto const n_outputs = dim > 1 ? shape[1] : 1;
  for (int const type : {0, 2, 3, 4, 5, 6, 100, 101, 102}) {
    if (!IsSmall(n_outputs, n_features, type)) continue;
    Done(XGBoosterPredictFromDMatrix(booster, data, Config(type).c_str(), &shape, &dim, &values));
  }
  Done(KauriBoosterExplain(booster, data, data, Config(2).c_str(), &shape, &dim, &values));
  if (IsSmall(n_outputs, n_features, 2)) ExplainSampled(booster, data);
  if (IsSmall(n_outputs, n_features, 2)) ComputeDependence(booster, data);
  bst_ulong n = 0;
  std::int64_t const* begin = nullptr;
  std::uint32_t const* first = nullptr;
  std::uint32_t const* second = nullptr;
  Done(KauriBoosterExplainSparse(booster, data, R"({"iteration_begin": 0, "iteration_end": 0, "top_k": 2})", &n, &begin,
                                 &first, &second, &values));
  for (char const* index : {"k-SII", "STII", "FSII"}) {
    auto const config =
        std::string(R"({"iteration_begin": 0, "iteration_end": 0, "max_order": 3, "top_k": 2, "index": ")") + index +
        "\"}";
    Done(KauriBoosterExplainInteractions(booster, data, config.c_str(), &n, &n, &begin, &first, &begin, &second,
                                         &values, &values));
  }
}

void Inspect(BoosterHandle booster) {
  bst_ulong n = 0;
  char const** trees = nullptr;
  for (char const* format : {"text", "json", "dot"}) Done(XGBoosterDumpModelEx(booster, "", 1, format, &n, &trees));
  bst_ulong dim = 0;
  bst_ulong const* shape = nullptr;
  float const* scores = nullptr;
  for (char const* config : {R"({"importance_type": "weight"})", R"({"importance_type": "total_gain"})"}) {
    Done(XGBoosterFeatureScore(booster, config, &n, &trees, &dim, &shape, &scores));
  }
}

void Use(BoosterHandle booster) {
  bst_ulong n_features = 0;
  if (!Done(XGBoosterGetNumFeature(booster, &n_features)) || n_features == 0 || n_features > kMostFeatures) return;
  auto const rows = Rows(n_features);
  DMatrixHandle data = nullptr;
  auto const missing = std::numeric_limits<float>::quiet_NaN();
  Require(XGDMatrixCreateFromMat(rows.data(), kRows, n_features, missing, &data) == 0);
  for (char const* method : {"quadrature", "treeshap"}) {
    Require(XGBoosterSetParam(booster, "shap_method", method) == 0);
    Explain(booster, data, n_features);
  }
  Done(KauriBoosterCountRows(booster, data));
  Inspect(booster);
  XGDMatrixFree(data);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  BoosterHandle booster = nullptr;
  Require(XGBoosterCreate(nullptr, 0, &booster) == 0);
  Require(XGBoosterSetParam(booster, "nthread", "1") == 0);
  if (Done(XGBoosterLoadModelFromBuffer(booster, data, size))) Use(booster);
  XGBoosterFree(booster);
  return 0;
}
