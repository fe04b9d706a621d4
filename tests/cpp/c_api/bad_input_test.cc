/// One table of what goes wrong in practice. Each row: what is done, what the message must say (what, the value, the
/// cure), its kind. After each, the booster and its data work as before: nothing is lost.
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "c_api/support.h"

namespace kauri::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// A trained booster, its data and a folder of its own.
struct World {
  World() : folder(fs::path(::testing::TempDir()) / ("kauri_bad_input_" + std::to_string(::getpid()))) {
    fs::create_directories(folder);
    booster = Train(problem.data, Logistic(), 3);
    expected = Predict(booster, problem.data).values;
  }
  ~World() { fs::remove_all(folder); }

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
  fs::path folder;
};

using Act = std::function<int(World&)>;

/// Trains a booster with one more parameter.
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

int ReadUri(std::string const& uri) {
  DMatrixHandle handle = nullptr;
  auto const status = XGDMatrixCreateFromURI(json{{"uri", uri}}.dump().c_str(), &handle);
  if (status == 0) XGDMatrixFree(handle);
  return status;
}

Act ReadText(std::string const& format, std::string const& content) {
  return [=](World& world) { return ReadUri(world.File("data.txt", content) + "?format=" + format); };
}

/// Creates a DMatrix of 2 x 2 from an array interface that `spoil` has changed.
Act WithInterface(std::function<void(json*)> const& spoil) {
  return [=](World&) {
    std::vector<float> const values{1, 2, 3, 4};
    auto interface = json::parse(Table(values, 2));
    spoil(&interface);
    DMatrixHandle handle = nullptr;
    return XGDMatrixCreateFromDense(interface.dump().c_str(), kNaNMissing, &handle);
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

/// Loads into the trained booster a model that `spoil` has changed.
Act LoadSpoiled(std::function<void(json*)> const& spoil) {
  return [=](World& world) {
    auto model = json::parse(world.ModelJson());
    spoil(&model);
    auto const text = model.dump();
    return XGBoosterLoadModelFromBuffer(world.booster.get(), text.data(), text.size());
  };
}

json& FirstTree(json* model) { return (*model)["learner"]["gradient_booster"]["model"]["trees"][0]; }

int SaveOnFullDisk(World& world) {
  auto const path = (world.folder / "model.json").string();
  EXPECT_OK(XGBoosterSaveModel(world.booster.get(), path.c_str()));
  auto const size = fs::file_size(path);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit full = before;
  full.rlim_cur = 100;
  setrlimit(RLIMIT_FSIZE, &full);
  auto const status = XGBoosterSaveModel(world.booster.get(), path.c_str());
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(fs::file_size(path), size) << "the old model must survive";
  return status;
}

int PredictMoreFeatures(World& world) {
  auto const wide = MakeData(Features(3, 6), 6);
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  return XGBoosterPredictFromDMatrix(world.booster.get(), wide.get(), PredictConfig(0).c_str(), &shape, &dim, &values);
}

int TrainWith(World& world, Data const& data) {
  return XGBoosterUpdateOneIter(MakeBooster(world.problem.data, Logistic()).get(), 0, data.get());
}

struct BadInput {
  char const* name;
  Act act;
  std::vector<std::string> says;
  int kind;
};

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
      {"unknown metric", WithParam("eval_metric", "log_loss"), {"log_loss", "logloss"}, KAURI_ERROR_PARAMETER},
      {"unknown tree method",
       WithParam("tree_method", "exakt"),
       {"exakt", "did you mean 'exact'"},
       KAURI_ERROR_PARAMETER},
      {"unknown booster", WithParam("booster", "gbtre"), {"gbtre", "gbtree"}, KAURI_ERROR_PARAMETER},
      {"unknown device", WithParam("device", "tpu"), {"device", "tpu", "cuda"}, KAURI_ERROR_PARAMETER},
      {"no CUDA plug-in", WithParam("device", "cuda"), {"device=cuda", "device=cpu"}, KAURI_ERROR_DEVICE},
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
      {"group too large", SetField("group", {100, 101}), {"group", "101", "200"}, KAURI_ERROR_DATA},
      {"group too small", SetField("group", {100, 99}), {"group", "199", "200"}, KAURI_ERROR_DATA},
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

std::vector<BadInput> DataCases() {
  return {
      {"libsvm word", ReadText("libsvm", "1 0:1\n0 zero:1\n"), {"data.txt", "2", "zero"}, KAURI_ERROR_DATA},
      {"libsvm no value", ReadText("libsvm", "1 0:1\n0 1:2\n1 1:\n"), {"data.txt", "3"}, KAURI_ERROR_DATA},
      {"libsvm negative index", ReadText("libsvm", "1 -4:1\n"), {"data.txt", "1", "-4"}, KAURI_ERROR_DATA},
      {"csv word", ReadText("csv", "1,2\n3,abc\n"), {"data.txt", "2", "abc"}, KAURI_ERROR_DATA},
      {"csv cut off", ReadText("csv", "1,2,3\n4,5,6\n7,8"), {"data.txt", "3", "2"}, KAURI_ERROR_DATA},
      {"unknown format", ReadText("parquet", "1,2\n"), {"parquet", "csv", "libsvm"}, KAURI_ERROR_PARAMETER},
      {"missing file",
       [](World&) { return ReadUri("/no/such/file.csv?format=csv"); },
       {"/no/such/file.csv"},
       KAURI_ERROR_IO},
      {"folder",
       [](World& world) { return ReadUri(world.folder.string() + "?format=csv"); },
       {"directory"},
       KAURI_ERROR_IO},
      {"zero rows", [](World& world) { return TrainWith(world, MakeData({}, 4)); }, {"0 rows"}, KAURI_ERROR_DATA},
      {"more features than the model", PredictMoreFeatures, {"6", "4", "features"}, KAURI_ERROR_DATA},
      {"training on other features",
       [](World& world) {
         auto const wide = MakeData(Features(2, 6), 6, {0, 1});
         return XGBoosterUpdateOneIter(world.booster.get(), 3, wide.get());
       },
       {"6", "4", "features"},
       KAURI_ERROR_DATA},
      {"infinite feature",
       [](World&) {
         DMatrixHandle handle = nullptr;
         std::vector<float> const values{1, kInfinity};
         return XGDMatrixCreateFromDense(Table(values, 2).c_str(), kNaNMissing, &handle);
       },
       {"row 0", "column 1", "inf", "missing"},
       KAURI_ERROR_DATA},
      {"complex dtype", WithInterface([](json* i) { (*i)["typestr"] = "<c8"; }), {"<c8"}, KAURI_ERROR_DATA},
      {"foreign byte order", WithInterface([](json* i) { (*i)["typestr"] = ">f4"; }), {">f4"}, KAURI_ERROR_DATA},
      {"negative shape",
       WithInterface([](json* i) {
         (*i)["shape"] = {-2, 2};
       }),
       {"shape", "-2"},
       KAURI_ERROR_DATA},
      {"three dimensions",
       WithInterface([](json* i) {
         (*i)["shape"] = {1, 2, 2};
       }),
       {"[1,2,2]", "dimension"},
       KAURI_ERROR_DATA},
      {"null address", WithInterface([](json* i) { (*i)["data"][0] = 0; }), {"null"}, KAURI_ERROR_DATA},
      {"no data", WithInterface([](json* i) { i->erase("data"); }), {"data"}, KAURI_ERROR_DATA},
      {"indptr past the end",
       [](World&) {
         std::vector<std::int32_t> const row_ptr{0, 9};
         std::vector<std::int32_t> const columns{0};
         DMatrixHandle handle = nullptr;
         return XGDMatrixCreateFromCSR(Interface(row_ptr, "<i4", "[2]").c_str(),
                                       Interface(columns, "<i4", "[1]").c_str(), Vector({1}).c_str(), 1, kNaNMissing,
                                       &handle);
       },
       {"indptr", "9"},
       KAURI_ERROR_DATA},
      {"column past the end",
       [](World&) {
         std::vector<std::int32_t> const row_ptr{0, 1};
         std::vector<std::int32_t> const columns{7};
         DMatrixHandle handle = nullptr;
         std::vector<float> const values{1};
         return XGDMatrixCreateFromCSR(Interface(row_ptr, "<i4", "[2]").c_str(),
                                       Interface(columns, "<i4", "[1]").c_str(), Vector(values).c_str(), 2, kNaNMissing,
                                       &handle);
       },
       {"7", "2"},
       KAURI_ERROR_DATA},
      {"no missing in the configuration",
       [](World&) {
         DMatrixHandle handle = nullptr;
         std::vector<float> const values{1, 2};
         return XGDMatrixCreateFromDense(Table(values, 2).c_str(), "{}", &handle);
       },
       {"XGDMatrixCreateFromDense", "missing"},
       KAURI_ERROR_PARAMETER},
      {"slice out of range",
       [](World& world) {
         int const row = 200;
         DMatrixHandle handle = nullptr;
         return XGDMatrixSliceDMatrix(world.problem.data.get(), &row, 1, &handle);
       },
       {"200", "row"},
       KAURI_ERROR_DATA},
      {"gradients of another length",
       [](World& world) {
         std::vector<float> const three{1, 2, 3};
         return XGBoosterTrainOneIter(world.booster.get(), world.problem.data.get(), 3, Vector(three).c_str(),
                                      Vector(three).c_str());
       },
       {"grad", "3", "200"},
       KAURI_ERROR_DATA},
      {"NaN gradients",
       [](World& world) {
         std::vector<float> const gradients(200, kNaN);
         std::vector<float> const hessians(200, 1);
         return XGBoosterTrainOneIter(world.booster.get(), world.problem.data.get(), 3, Vector(gradients).c_str(),
                                      Vector(hessians).c_str());
       },
       {"gradient", "nan", "row 0"},
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

std::vector<BadInput> ModelCases() {
  return {
      {"model cut off",
       [](World& world) {
         auto const text = world.ModelJson();
         return XGBoosterLoadModelFromBuffer(world.booster.get(), text.data(), text.size() / 2);
       },
       {},
       KAURI_ERROR_MODEL},
      {"empty model",
       [](World& world) { return XGBoosterLoadModelFromBuffer(world.booster.get(), "", 0); },
       {"0 bytes"},
       KAURI_ERROR_MODEL},
      {"no trees",
       LoadSpoiled([](json* m) { (*m)["learner"]["gradient_booster"]["model"].erase("trees"); }),
       {"trees"},
       KAURI_ERROR_MODEL},
      {"cycle",
       LoadSpoiled([](json* m) { FirstTree(m)["left_children"][1] = 0, FirstTree(m)["right_children"][1] = 0; }),
       {"node"},
       KAURI_ERROR_MODEL},
      {"child out of range",
       LoadSpoiled([](json* m) { FirstTree(m)["left_children"][0] = 4000; }),
       {"4000"},
       KAURI_ERROR_MODEL},
      {"feature out of range",
       LoadSpoiled([](json* m) { FirstTree(m)["split_indices"][0] = 44; }),
       {"44", "4"},
       KAURI_ERROR_MODEL},
      {"lengths disagree",
       LoadSpoiled([](json* m) { FirstTree(m)["split_conditions"].erase(0); }),
       {"split_conditions"},
       KAURI_ERROR_MODEL},
      {"unknown objective in the model",
       LoadSpoiled([](json* m) { (*m)["learner"]["objective"]["name"] = "reg:odd"; }),
       {"reg:odd"},
       KAURI_ERROR_PARAMETER},
      {"missing model file",
       [](World& world) { return XGBoosterLoadModel(world.booster.get(), "/no/such/model.json"); },
       {"/no/such/model.json", "No such file"},
       KAURI_ERROR_IO},
      {"folder for a model",
       [](World& world) { return XGBoosterLoadModel(world.booster.get(), world.folder.c_str()); },
       {"directory"},
       KAURI_ERROR_IO},
      {"save into no folder",
       [](World& world) { return XGBoosterSaveModel(world.booster.get(), "/no/such/folder/model.json"); },
       {"/no/such/folder"},
       KAURI_ERROR_IO},
      {"disk full", SaveOnFullDisk, {"model.json"}, KAURI_ERROR_IO},
      {"unknown model format",
       [](World& world) {
         bst_ulong length = 0;
         char const* bytes = nullptr;
         return XGBoosterSaveModelToBuffer(world.booster.get(), R"({"format": "xml"})", &length, &bytes);
       },
       {"xml", "json", "ubj"},
       KAURI_ERROR_PARAMETER},
      {"snapshot cut off",
       [](World& world) {
         bst_ulong length = 0;
         char const* bytes = nullptr;
         EXPECT_OK(XGBoosterSerializeToBuffer(world.booster.get(), &length, &bytes));
         std::string const snapshot(bytes, length);
         return XGBoosterUnserializeFromBuffer(world.booster.get(), snapshot.data(), snapshot.size() / 2);
       },
       {},
       KAURI_ERROR_MODEL},
      {"configuration is no JSON",
       [](World& world) { return XGBoosterLoadJsonConfig(world.booster.get(), "eta=1"); },
       {"eta=1", "JSON"},
       KAURI_ERROR_PARAMETER},
      {"unknown dump format",
       [](World& world) {
         bst_ulong length = 0;
         char const** trees = nullptr;
         return XGBoosterDumpModelEx(world.booster.get(), "", 0, "yaml", &length, &trees);
       },
       {"yaml", "json", "dot"},
       KAURI_ERROR_PARAMETER},
      {"unknown importance",
       [](World& world) {
         bst_ulong n = 0;
         bst_ulong dim = 0;
         bst_ulong const* shape = nullptr;
         char const** names = nullptr;
         float const* scores = nullptr;
         return XGBoosterFeatureScore(world.booster.get(), R"({"importance_type": "gian"})", &n, &names, &dim, &shape,
                                      &scores);
       },
       {"gian", "gain"},
       KAURI_ERROR_PARAMETER},
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
                         ::testing::Values(ParameterCases, LabelCases, DataCases, PredictionCases, ModelCases,
                                           HandleCases));

}  // namespace
}  // namespace kauri::testing
