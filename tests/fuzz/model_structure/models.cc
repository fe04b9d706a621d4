#include "model_structure/models.h"

#include <limits>
#include <string>
#include <utility>

#include "support/require.h"

namespace kauri::fuzz {
namespace {

constexpr std::size_t kRows = 12;
constexpr std::size_t kFeatures = 3;

struct Kind {
  bool with_categories;
  std::vector<std::pair<char const*, char const*>> parameters;
};

std::vector<Kind> Kinds() {
  return {{false, {{"objective", "reg:squarederror"}}},
          {false, {{"booster", "dart"}, {"rate_drop", "0.5"}}},
          {false, {{"booster", "gblinear"}}},
          {false, {{"objective", "multi:softprob"}, {"num_class", "3"}}},
          {false, {{"objective", "multi:softprob"}, {"num_class", "3"}, {"multi_strategy", "multi_output_tree"}}},
          {true, {{"tree_method", "hist"}, {"max_cat_to_onehot", "1"}}},
          {false, {{"objective", "reg:quantileerror"}, {"quantile_alpha", "[0.2, 0.8]"}}},
          {true, {{"num_parallel_tree", "2"}, {"subsample", "0.7"}, {"monotone_constraints", "(0,0,-1)"}}},
          {false, {{"booster", "gblinear"}, {"objective", "multi:softmax"}, {"num_class", "3"}}},
          {true, {{"categorical_encoding", "ordered"}, {"ordered_strength", "0.01"}, {"ordered_combination", "2"}}},
          {true,
           {{"categorical_encoding", "ordered"},
            {"ordered_combination", "2"},
            {"objective", "multi:softprob"},
            {"num_class", "3"}}}};
}

Json Trained(Kind const& kind) {
  auto* const data = MakeRows(kFeatures, kind.with_categories);
  BoosterHandle booster = nullptr;
  Require(XGBoosterCreate(nullptr, 0, &booster) == 0, "a booster can be made");
  for (auto const& [name, value] : {std::pair{"nthread", "1"}, {"max_depth", "2"}, {"min_child_weight", "0"}}) {
    Require(XGBoosterSetParam(booster, name, value) == 0, "a parameter can be set");
  }
  for (auto const& [name, value] : kind.parameters) XGBoosterSetParam(booster, name, value);
  for (int round = 0; round < 2; ++round) Require(XGBoosterUpdateOneIter(booster, round, data) == 0, "it can train");
  if (kind.with_categories) Require(KauriBoosterCountRows(booster, data) == 0, "rows can be counted");
  bst_ulong length = 0;
  char const* text = nullptr;
  Require(XGBoosterSaveModelToBuffer(booster, R"({"format": "json"})", &length, &text) == 0, "it can be saved");
  auto document = Json::parse(text, text + length);
  XGBoosterFree(booster);
  XGDMatrixFree(data);
  return document;
}

}  // namespace

DMatrixHandle MakeRows(std::size_t n_features, bool with_categories) {
  auto const nan = std::numeric_limits<float>::quiet_NaN();
  float const values[] = {0.0F, 1.0F, 4.0F, nan, 2.5F, 3.0F, 0.5F, 2.0F, 7.0F, -1.0F, 1.0F};
  std::vector<float> rows(kRows * n_features);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = values[i * 7 / 3 % (sizeof(values) / sizeof(values[0]))];
  std::vector<float> labels(kRows);
  for (std::size_t row = 0; row < kRows; ++row) labels[row] = static_cast<float>(row % 3);
  for (std::size_t row = 0; with_categories && row < kRows; ++row) {  // two columns that determine the label together
    auto const second = row / 3 % 2;
    rows[row * n_features] = static_cast<float>((row + second) % 3);
    if (n_features > 1) rows[row * n_features + 1] = static_cast<float>(second);
  }
  DMatrixHandle data = nullptr;
  Require(XGDMatrixCreateFromMat_omp(rows.data(), kRows, n_features, nan, &data, 1) == 0, "data can be made");
  Require(XGDMatrixSetFloatInfo(data, "label", labels.data(), kRows) == 0, "labels can be set");
  if (with_categories) {
    std::vector<char const*> types(n_features, "q");
    types[0] = "c";
    if (n_features > 1) types[1] = "c";
    Require(XGDMatrixSetStrFeatureInfo(data, "feature_type", types.data(), n_features) == 0, "types can be set");
  }
  return data;
}

std::vector<Json> MakeModels() {
  std::vector<Json> models;
  for (auto const& kind : Kinds()) models.push_back(Trained(kind));
  return models;
}

}  // namespace kauri::fuzz
