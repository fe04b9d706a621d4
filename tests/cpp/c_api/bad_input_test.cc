/// Realistic mistakes, as tables. After each row, the booster and its data work as before.
#include "c_api/bad_input.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace kauri::testing {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Trains a booster with an additional parameter.
Act WithParam(std::string const& name, std::string const& value) {
  return [=](World& world) {
    auto params = Logistic();
    params.emplace_back(name, value);
    auto const booster = MakeBooster(world.problem.data, params);
    return XGBoosterUpdateOneIter(booster.get(), 0, world.problem.data.get());
  };
}

/// Trains with an objective on four rows with these labels.
Act WithLabels(std::string const& objective, std::vector<float> labels, Params params = {}) {
  return [=](World&) {
    auto const data = MakeData({1, 2, 3, 4}, 1, labels);
    auto all = params;
    all.emplace_back("objective", objective);
    return XGBoosterUpdateOneIter(MakeBooster(data, all).get(), 0, data.get());
  };
}

Act SetField(std::string const& field, std::vector<float> values) {
  return [=](World& world) {
    return XGDMatrixSetInfoFromInterface(world.problem.data.get(), field.c_str(), Vector(values).c_str());
  };
}

Act TrainInGroups(std::vector<float> sizes) {
  return [=](World& world) {
    auto const data = MakeData(Features(200, 4), 4, std::vector<float>(200, 1.0F));
    EXPECT_OK(XGDMatrixSetInfoFromInterface(data.get(), "group", Vector(sizes).c_str()));
    return TrainWith(world, data);
  };
}

Act PredictWith(std::string const& config) {
  return [=](World& world) {
    bst_ulong const* shape = nullptr;
    bst_ulong dim = 0;
    float const* values = nullptr;
    return XGBoosterPredictFromDMatrix(world.booster.get(), world.problem.data.get(), config.c_str(), &shape, &dim,
                                       &values);
  };
}

std::vector<BadInput> ParameterCases() {
  return {
      {"misspelt parameter",
       WithParam("max_dept", "3"),
       {"max_dept", "did you mean 'max_depth'"},
       KAURI_ERROR_PARAMETER},
      {"misspelt alias", WithParam("learing_rate", "3"), {"learing_rate", "learning_rate"}, KAURI_ERROR_PARAMETER},
      {"eta below range", WithParam("eta", "-0.5"), {"eta", "-0.5", ">= 0"}, KAURI_ERROR_PARAMETER},
      {"subsample above range", WithParam("subsample", "1.5"), {"subsample", "1.5", "[0, 1]"}, KAURI_ERROR_PARAMETER},
      {"subsample zero", WithParam("subsample", "0"), {"subsample", "0", "(0, 1]"}, KAURI_ERROR_PARAMETER},
      {"NaN parameter", WithParam("lambda", "nan"), {"lambda", "nan"}, KAURI_ERROR_PARAMETER},
      {"word for a number", WithParam("max_depth", "deep"), {"max_depth", "deep", "int"}, KAURI_ERROR_PARAMETER},
      {"number too large", WithParam("max_depth", "99999999999"), {"max_depth", "99999999999"}, KAURI_ERROR_PARAMETER},
      {"unknown objective",
       WithParam("objective", "binary:logistics"),
       {"binary:logistics", "binary:logistic"},
       KAURI_ERROR_PARAMETER},
      {"objective of LightGBM",
       WithParam("objective", "regression"),
       {"'regression'; use reg:squarederror"},
       KAURI_ERROR_PARAMETER},
      {"metric of LightGBM",
       WithParam("eval_metric", "multi_logloss"),
       {"'multi_logloss'; use mlogloss"},
       KAURI_ERROR_PARAMETER},
      {"metric that is none", WithParam("eval_metric", "f1"), {"'f1'; it is not built in"}, KAURI_ERROR_PARAMETER},
      {"tree method of XGBoost 1",
       WithParam("tree_method", "gpu_hist"),
       {"gpu_hist", "tree_method=hist", "device=cuda"},  // the words differ where the plug-in is loaded
       KAURI_ERROR_PARAMETER},
      {"booster of LightGBM", WithParam("booster", "gbdt"), {"'gbdt'; use gbtree"}, KAURI_ERROR_PARAMETER},
      {"unknown metric", WithParam("eval_metric", "log_loss"), {"log_loss", "logloss"}, KAURI_ERROR_PARAMETER},
      {"unknown tree method",
       WithParam("tree_method", "exakt"),
       {"exakt", "did you mean 'exact'"},
       KAURI_ERROR_PARAMETER},
      {"tree method like no other", WithParam("tree_method", "zzz"), {"'zzz'. Known: exact, "}, KAURI_ERROR_PARAMETER},
      {"vectors by another method",
       [](World&) {
         auto const data = MakeData({1, 2, 3, 4}, 1, {0, 1, 2, 0});
         Params const params{{"objective", "multi:softprob"},
                             {"num_class", "3"},
                             {"tree_method", "approx"},
                             {"multi_strategy", "multi_output_tree"}};
         return XGBoosterUpdateOneIter(MakeBooster(data, params).get(), 0, data.get());
       },
       {"multi_strategy=multi_output_tree", "tree_method=approx", "tree_method=hist"},
       KAURI_ERROR_PARAMETER},
      {"unknown booster", WithParam("booster", "gbtre"), {"gbtre", "gbtree"}, KAURI_ERROR_PARAMETER},
      {"unknown device", WithParam("device", "tpu"), {"device", "tpu", "cuda"}, KAURI_ERROR_PARAMETER},
      {"base score outside the domain", WithParam("base_score", "2"), {"base_score", "2"}, KAURI_ERROR_PARAMETER},
      {"base score is no number",
       WithParam("base_score", "half"),
       {"base_score", "half", "number"},
       KAURI_ERROR_PARAMETER},
      {"share of columns",
       WithParam("colsample_bytree", "-inf"),
       {"colsample_bytree", "-inf", "[0, 1]"},
       KAURI_ERROR_PARAMETER},
      {"null value",
       [](World& world) { return XGBoosterSetParam(world.booster.get(), "eta", nullptr); },
       {"value", "null"},
       KAURI_ERROR_PARAMETER},
  };
}

std::vector<BadInput> LabelCases() {
  return {
      {"logistic label",
       WithLabels("binary:logistic", {0, 1, 2, 0}),
       {"label", "2", "row 2", "[0, 1]"},
       KAURI_ERROR_DATA},
      {"logitraw label", WithLabels("binary:logitraw", {0, 1, -1, 0}), {"label", "-1", "row 2"}, KAURI_ERROR_DATA},
      {"softmax label",
       WithLabels("multi:softmax", {0, 1, 3, 2}, {{"num_class", "3"}}),
       {"label", "3", "row 2"},
       KAURI_ERROR_DATA},
      {"softmax fraction",
       WithLabels("multi:softprob", {0, 1, 0.5F, 2}, {{"num_class", "3"}}),
       {"0.5", "row 2"},
       KAURI_ERROR_DATA},
      {"poisson label", WithLabels("count:poisson", {1, -2, 3, 4}), {"label", "-2", "row 1"}, KAURI_ERROR_DATA},
      {"no classes", WithLabels("multi:softmax", {0, 1, 0, 1}), {"num_class"}, KAURI_ERROR_PARAMETER},
      {"no labels",
       [](World& world) { return TrainWith(world, MakeData(Features(5, 4), 4)); },
       {"no labels", "5"},
       KAURI_ERROR_DATA},
      {"NaN label", SetField("label", std::vector<float>(200, kNaN)), {"label", "nan", "row 0"}, KAURI_ERROR_DATA},
      {"infinite label", SetField("label", std::vector<float>(200, kInfinity)), {"label", "inf"}, KAURI_ERROR_DATA},
      {"short label", SetField("label", {1, 2, 3}), {"label", "3", "200"}, KAURI_ERROR_DATA},
      {"negative weight",
       SetField("weight", std::vector<float>(200, -1)),
       {"weight", "-1", "at least 0"},
       KAURI_ERROR_DATA},
      {"long weight", SetField("weight", std::vector<float>(201, 1)), {"weight", "201", "200"}, KAURI_ERROR_DATA},
      {"short margin",
       SetField("base_margin", std::vector<float>(30, 1)),
       {"base_margin", "30", "200"},
       KAURI_ERROR_DATA},
      {"margin of more outputs",
       [](World& world) {
         auto const data = MakeData({1, 2, 3, 4}, 1, {0, 1, 0, 1});
         std::vector<float> const margin(20, 1.0F);
         EXPECT_OK(XGDMatrixSetInfoFromInterface(data.get(), "base_margin", Table(margin, 5).c_str()));
         return TrainWith(world, data);
       },
       {"base_margin", "20 values", "4 rows", "1 outputs"},
       KAURI_ERROR_DATA},
      {"negative group", SetField("group", {201, -1}), {"group[1]", "-1"}, KAURI_ERROR_DATA},
      {"groups too large", TrainInGroups({100, 101}), {"query groups", "201", "200"}, KAURI_ERROR_DATA},
      {"groups too small", TrainInGroups({100, 99}), {"query groups", "199", "200"}, KAURI_ERROR_DATA},
      {"unordered qid", SetField("qid", std::vector<float>{2, 1}), {"qid", "2", "200"}, KAURI_ERROR_DATA},
      {"unknown field", SetField("lable", {1}), {"lable", "did you mean 'label'"}, KAURI_ERROR_PARAMETER},
      {"feature names",
       [](World& world) {
         std::vector<char const*> names{"a", "b"};
         return XGDMatrixSetStrFeatureInfo(world.problem.data.get(), "feature_name", names.data(), 2);
       },
       {"feature_name", "2", "4"},
       KAURI_ERROR_DATA},
  };
}

std::vector<BadInput> PredictionCases() {
  return {
      {"rounds past the end", PredictWith(PredictConfig(0, false, 0, 9)), {"9", "3"}, KAURI_ERROR_PARAMETER},
      {"rounds reversed", PredictWith(PredictConfig(0, false, 2, 1)), {"2", "1"}, KAURI_ERROR_PARAMETER},
      {"negative round", PredictWith(PredictConfig(0, false, -1, 2)), {"-1"}, KAURI_ERROR_PARAMETER},
      {"unknown type", PredictWith(PredictConfig(7)), {"7", "0", "leaves"}, KAURI_ERROR_PARAMETER},
      {"no type", PredictWith("{}"), {"XGBoosterPredictFromDMatrix", "'type'"}, KAURI_ERROR_PARAMETER},
      {"string for a boolean",
       PredictWith(R"({"type": 0, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": "no"})"),
       {"strict_shape", "\"no\"", "true or false"},
       KAURI_ERROR_PARAMETER},
      {"fraction for an integer",
       PredictWith(
           R"({"type": 0.5, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": true})"),
       {"type", "0.5", "integer"},
       KAURI_ERROR_PARAMETER},
      {"bad JSON", PredictWith("{\"type\": 0"), {"JSON", "{\"type\": 0"}, KAURI_ERROR_PARAMETER},
      {"no model",
       [](World& world) {
         BoosterHandle handle = nullptr;
         EXPECT_OK(XGBoosterCreate(nullptr, 0, &handle));
         Booster const empty(handle);
         bst_ulong const* shape = nullptr;
         bst_ulong dim = 0;
         float const* values = nullptr;
         return XGBoosterPredictFromDMatrix(handle, world.problem.data.get(), PredictConfig(0).c_str(), &shape, &dim,
                                            &values);
       },
       {"no model", "train"},
       KAURI_ERROR_MODEL},
  };
}

std::vector<BadInput> HandleCases() {
  return {
      {"null booster",
       [](World& world) { return XGBoosterUpdateOneIter(nullptr, 0, world.problem.data.get()); },
       {"booster", "null"},
       KAURI_ERROR_PARAMETER},
      {"null data",
       [](World& world) { return XGBoosterUpdateOneIter(world.booster.get(), 0, nullptr); },
       {"DMatrix", "null"},
       KAURI_ERROR_PARAMETER},
      {"data as booster",
       [](World& world) { return XGBoosterFree(world.problem.data.get()); },
       {"not a booster"},
       KAURI_ERROR_PARAMETER},
      {"booster as data",
       [](World& world) { return XGDMatrixFree(world.booster.get()); },
       {"not a DMatrix"},
       KAURI_ERROR_PARAMETER},
      {"proxy as data",
       [](World& world) {
         DMatrixHandle handle = nullptr;
         EXPECT_OK(XGProxyDMatrixCreate(&handle));
         Data const proxy(handle);
         return XGBoosterUpdateOneIter(world.booster.get(), 0, handle);
       },
       {"proxy"},
       KAURI_ERROR_PARAMETER},
      {"null out",
       [](World& world) { return XGDMatrixNumRow(world.problem.data.get(), nullptr); },
       {"'out'", "null"},
       KAURI_ERROR_PARAMETER},
      {"null list",
       [](World&) {
         BoosterHandle handle = nullptr;
         return XGBoosterCreate(nullptr, 2, &handle);
       },
       {"dmats", "null"},
       KAURI_ERROR_PARAMETER},
  };
}

void ExpectRefused(BadInput const& bad, World* world) {
  SCOPED_TRACE(bad.name);
  EXPECT_EQ(bad.act(*world), -1);
  std::string const message = XGBGetLastError();
  EXPECT_EQ(KauriGetLastErrorKind(), bad.kind) << message;
  for (auto const& part : bad.says) EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks " << part;
  EXPECT_EQ(Predict(world->booster, world->problem.data).values, world->expected) << "something was lost";
}

class BadInputs : public ::testing::TestWithParam<std::vector<BadInput> (*)()> {};

TEST_P(BadInputs, AreExplainedAndHarmless) {
  World world;
  for (auto const& bad : GetParam()()) ExpectRefused(bad, &world);
  auto const fresh = Train(world.problem.data, Logistic(), 3);
  EXPECT_EQ(Predict(fresh, world.problem.data).values, world.expected) << "the data have changed";
  EXPECT_OK(XGBoosterUpdateOneIter(world.booster.get(), 3, world.problem.data.get()));
}

INSTANTIATE_TEST_SUITE_P(All, BadInputs,
                         ::testing::Values(ParameterCases, LabelCases, BadData, BadBatches, PredictionCases, BadModels,
                                           FullDisks, BadExplanations, BadJson, HandleCases));

}  // namespace
}  // namespace kauri::testing
