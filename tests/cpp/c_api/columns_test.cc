/// Columns of data and model in every call that takes both: names, order and number.
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "c_api/support.h"
#include "common/platform/process.h"

namespace kauri::testing {
namespace {

using Names = std::vector<char const*>;
/// A call with a booster and data; returns its status.
using Door = std::function<int(Booster const&, Data const&)>;

Data NamedData(Names names) {
  auto const n_cols = static_cast<std::int64_t>(names.size());
  auto data = MakeData(Features(200, n_cols), n_cols, Problem().labels);
  EXPECT_OK(XGDMatrixSetStrFeatureInfo(data.get(), "feature_name", names.data(), names.size()));
  return data;
}

Data UnnamedData(std::int64_t n_cols) { return MakeData(Features(200, n_cols), n_cols, Problem().labels); }

Booster NamedBooster() { return Train(NamedData({"a", "b", "c", "d"}), Logistic(), 2); }

std::string BytesOf(Booster const& booster) {
  bst_ulong length = 0;
  char const* bytes = nullptr;
  EXPECT_OK(XGBoosterSaveModelToBuffer(booster.get(), R"({"format": "json"})", &length, &bytes));
  return {bytes, static_cast<std::size_t>(length)};
}

int Predict(Booster const& booster, Data const& data, int type, bool training) {
  auto config = PredictConfig(type);
  if (training) config.replace(config.find("\"training\": false"), 17, "\"training\": true");
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  return XGBoosterPredictFromDMatrix(booster.get(), data.get(), config.c_str(), &shape, &dim, &values);
}

int Explain(Booster const& booster, Data const& rows, Data const& background) {
  auto const* config = R"({"type": 2, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false})";
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  return KauriBoosterExplain(booster.get(), rows.get(), background.get(), config, &shape, &dim, &values);
}

int ExplainSparse(Booster const& booster, Data const& data) {
  bst_ulong n_outputs = 0;
  int64_t const* begin = nullptr;
  uint32_t const* first = nullptr;
  uint32_t const* second = nullptr;
  float const* values = nullptr;
  auto const* config = R"({"iteration_begin": 0, "iteration_end": 0, "top_k": 0})";
  return KauriBoosterExplainSparse(booster.get(), data.get(), config, &n_outputs, &begin, &first, &second, &values);
}

int ExplainInteractions(Booster const& booster, Data const& data) {
  bst_ulong count = 0;
  int64_t const* begin = nullptr;
  uint32_t const* sets = nullptr;
  float const* values = nullptr;
  auto const* config = R"({"iteration_begin": 0, "iteration_end": 0, "index": "SII", "max_order": 2, "top_k": 0})";
  return KauriBoosterExplainInteractions(booster.get(), data.get(), config, &count, &count, &begin, &sets, &begin,
                                         &sets, &values, &values);
}

int ExplainSampled(Booster const& booster, Data const& rows, Data const& background) {
  auto const* config =
      R"({"output": "value", "iteration_begin": 0, "iteration_end": 0, "method": "mc", "n_orders": 1, "seed": 0})";
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  double const* values = nullptr;
  double const* errors = nullptr;
  std::vector<bst_ulong> n_evals(200);
  char const* method = nullptr;
  return KauriBoosterExplainSampled(booster.get(), rows.get(), background.get(), config, &shape, &dim, &values, &errors,
                                    n_evals.data(), &method);
}

int ComputeDependence(Booster const& booster, Data const& background, Data const& points) {
  bst_ulong n = 0;
  int64_t const* begin = nullptr;
  float const* thresholds = nullptr;
  double const* values = nullptr;
  uint32_t const* pairs = nullptr;
  int32_t const* cells = nullptr;
  return KauriBoosterDependence(booster.get(), background.get(), points.get(),
                                R"({"iteration_begin": 0, "iteration_end": 0})", &n, &n, &begin, &thresholds, &values,
                                &n, &n, &pairs, &cells);
}

int Boost(Booster const& booster, Data const& data) {
  std::vector<float> gradients(200, 0.5F);
  std::vector<float> hessians(200, 1.0F);
  return XGBoosterBoostOneIter(booster.get(), data.get(), gradients.data(), hessians.data(), 200);
}

int TrainFromArrays(Booster const& booster, Data const& data) {
  std::vector<float> const values(200, 0.5F);
  return XGBoosterTrainOneIter(booster.get(), data.get(), 0, Vector(values).c_str(), Vector(values).c_str());
}

int Evaluate(Booster const& booster, Data const& data) {
  DMatrixHandle handle = data.get();
  char const* name = "test";
  char const* line = nullptr;
  return XGBoosterEvalOneIter(booster.get(), 0, &handle, &name, 1, &line);
}

std::map<std::string, Door> TrainingDoors() {
  return {{"XGBoosterUpdateOneIter",
           [](auto const& booster, auto const& data) { return XGBoosterUpdateOneIter(booster.get(), 0, data.get()); }},
          {"XGBoosterBoostOneIter", Boost},
          {"XGBoosterTrainOneIter", TrainFromArrays},
          {"KauriBoosterAddReceipt",
           [](auto const& booster, auto const& data) { return KauriBoosterAddReceipt(booster.get(), data.get()); }}};
}

std::map<std::string, Door> OtherDoors() {
  std::map<std::string, Door> doors{
      {"XGBoosterEvalOneIter", Evaluate},
      {"margins of training", [](auto const& booster, auto const& data) { return Predict(booster, data, 1, true); }},
      {"rows of KauriBoosterExplain",
       [](auto const& booster, auto const& data) { return Explain(booster, data, UnnamedData(4)); }},
      {"background of KauriBoosterExplain",
       [](auto const& booster, auto const& data) { return Explain(booster, UnnamedData(4), data); }},
      {"rows of KauriBoosterExplainSampled",
       [](auto const& booster, auto const& data) { return ExplainSampled(booster, data, UnnamedData(4)); }},
      {"background of KauriBoosterExplainSampled",
       [](auto const& booster, auto const& data) { return ExplainSampled(booster, UnnamedData(4), data); }},
      {"KauriBoosterExplainSparse", ExplainSparse},
      {"KauriBoosterExplainInteractions", ExplainInteractions},
      {"background of KauriBoosterDependence",
       [](auto const& booster, auto const& data) { return ComputeDependence(booster, data, UnnamedData(4)); }},
      {"points of KauriBoosterDependence",
       [](auto const& booster, auto const& data) { return ComputeDependence(booster, UnnamedData(4), data); }},
      {"KauriBoosterCountRows",
       [](auto const& booster, auto const& data) { return KauriBoosterCountRows(booster.get(), data.get()); }},
      {"KauriBoosterCheckColumns",
       [](auto const& booster, auto const& data) { return KauriBoosterCheckColumns(booster.get(), data.get()); }},
      {"XGBoosterPredict", [](auto const& booster, auto const& data) {
         bst_ulong length = 0;
         float const* values = nullptr;
         return XGBoosterPredict(booster.get(), data.get(), 0, 0, 0, &length, &values);
       }}};
  for (int const type : {0, 1, 2, 3, 4, 5, 6, 100, 101}) {
    doors["prediction of type " + std::to_string(type)] = [type](auto const& booster, auto const& data) {
      return Predict(booster, data, type, false);
    };
  }
  return doors;
}

std::map<std::string, Door> AllDoors() {
  auto doors = TrainingDoors();
  doors.merge(OtherDoors());
  return doors;
}

void ExpectRefusal(int status, std::string const& message, std::string const& door) {
  EXPECT_EQ(status, -1) << door;
  EXPECT_EQ(KauriGetLastErrorKind(), KAURI_ERROR_DATA) << door;
  EXPECT_NE(std::string(XGBGetLastError()).find(message), std::string::npos) << door << ": " << XGBGetLastError();
}

TEST(Columns, OfTheSameNamesAreTaken) {
  auto const same = NamedData({"a", "b", "c", "d"});
  for (auto const& [name, door] : AllDoors()) EXPECT_EQ(door(NamedBooster(), same), 0) << name << XGBGetLastError();
}

TEST(Columns, OfOtherNamesAreRefused) {
  struct Cell {
    Names names;
    std::string message;
  };
  std::vector<Cell> const cells{
      {{"b", "a", "c", "d"}, "in another order: 'b' stands where the model has 'a'. Reorder"},
      {{"a", "c", "d"}, "other features than the model. Lacking: 'b'. Give"},
      {{"a", "b", "c", "d", "e"}, "other features than the model. Unknown: 'e'. Give"},
      {{"a", "b", "x", "y"}, "other features than the model. Lacking: 'c', 'd'; unknown: 'x', 'y'. Give"}};
  auto const booster = NamedBooster();
  auto const before = BytesOf(booster);
  for (auto const& [name, door] : AllDoors()) {
    for (auto const& cell : cells) {
      auto const data = NamedData(cell.names);
      ExpectRefusal(door(booster, data), cell.message, name);
    }
  }
  EXPECT_EQ(BytesOf(booster), before);
}

/// Returns rows of one column of the given type, with values 0, 1 and 2.
Data TypedData(char const* first) {
  auto data = MakeData(Problem(3).labels, 1, Problem().labels);
  std::vector<char const*> types{first};
  EXPECT_OK(XGDMatrixSetStrFeatureInfo(data.get(), "feature_type", types.data(), types.size()));
  return data;
}

TEST(Columns, OfAnotherKindAreRefused) {
  for (auto const& [kind, other, message] : {std::tuple{"c", "q", "holds categories in the model, but numbers"},
                                             std::tuple{"q", "c", "holds numbers in the model, but categories"}}) {
    auto const booster = Train(TypedData(kind), Logistic(), 2);
    EXPECT_EQ(Evaluate(booster, TypedData(kind)), 0) << XGBGetLastError();
    for (int const type : {0, 1, 2, 6})
      ExpectRefusal(Predict(booster, TypedData(other), type, false), message, "predict");
    ExpectRefusal(Evaluate(booster, TypedData(other)), message, "evaluate");
    ExpectRefusal(XGBoosterUpdateOneIter(booster.get(), 2, TypedData(other).get()), message, "update");
  }
}

TEST(Columns, WithoutNamesAreCounted) {
  for (auto const& [name, door] : AllDoors()) {
    EXPECT_EQ(door(NamedBooster(), UnnamedData(4)), 0) << name << XGBGetLastError();
    for (std::int64_t const n_cols : {3, 5}) {
      ExpectRefusal(door(NamedBooster(), UnnamedData(n_cols)), std::to_string(n_cols) + " features, the ", name);
    }
  }
}

TEST(Columns, OfLibsvmTextMayLackTheLast) {
  auto const path = std::filesystem::path(::testing::TempDir()) /
                    ("kauri_columns_" + std::to_string(platform::ProcessId()) + ".libsvm");
  std::ofstream file(path);
  for (int row = 0; row < 200; ++row) file << row % 2 << " 0:" << row << " 2:1\n";
  file.close();
  DMatrixHandle handle = nullptr;
  auto const config = R"({"uri": ")" + path.generic_string() + R"("})";
  ASSERT_OK(XGDMatrixCreateFromURI(config.c_str(), &handle));
  Data const data(handle);
  for (auto const& [name, door] : OtherDoors()) EXPECT_EQ(door(NamedBooster(), data), 0) << name << XGBGetLastError();
  for (auto const& [name, door] : TrainingDoors()) {
    ExpectRefusal(door(NamedBooster(), data), "3 features", name);
  }
  std::filesystem::remove(path);
}

TEST(Columns, OfRowsInPlace) {
  auto const booster = NamedBooster();
  auto const predict = [&](std::int64_t n_cols, std::string const& more) {
    auto config = PredictConfig(0);
    config.replace(config.size() - 1, 1, more + "}");
    bst_ulong const* shape = nullptr;
    bst_ulong dim = 0;
    float const* values = nullptr;
    auto const rows = Features(5, n_cols);
    return XGBoosterPredictFromDense(booster.get(), Table(rows, n_cols).c_str(), config.c_str(), nullptr, &shape, &dim,
                                     &values);
  };
  EXPECT_OK(predict(4, ""));
  EXPECT_OK(predict(4, R"(, "feature_names": ["a", "b", "c", "d"])"));
  ExpectRefusal(predict(4, R"(, "feature_names": ["b", "a", "c", "d"])"), "in another order", "names");
  ExpectRefusal(predict(3, ""), "Number of columns: the data have 3 features, the model 4", "fewer");
  ExpectRefusal(predict(5, ""), "Number of columns: the data have 5 features, the model 4", "more");
  EXPECT_OK(predict(3, R"(, "validate_features": false)"));
  EXPECT_OK(predict(4, R"(, "feature_names": ["b", "a", "c", "d"], "validate_features": false)"));
  EXPECT_EQ(predict(5, R"(, "validate_features": false)"), -1);
}

TEST(Columns, BecomeTheModelsOnlyWhenARoundIsDone) {
  auto const booster = Train(UnnamedData(4), Logistic(), 1);
  auto const before = BytesOf(booster);
  auto const named = NamedData({"a", "b", "c", "d"});
  std::vector<float> const few(199, 1.0F);
  EXPECT_EQ(XGBoosterTrainOneIter(booster.get(), named.get(), 0, Vector(few).c_str(), Vector(few).c_str()), -1);
  std::vector<float> const labels(200, 7.0F);
  EXPECT_OK(XGDMatrixSetInfoFromInterface(named.get(), "label", Vector(labels).c_str()));
  EXPECT_EQ(XGBoosterUpdateOneIter(booster.get(), 0, named.get()), -1);
  EXPECT_EQ(BytesOf(booster), before);
  EXPECT_OK(Boost(booster, named));
  bst_ulong length = 0;
  char const** names = nullptr;
  EXPECT_OK(XGBoosterGetStrFeatureInfo(booster.get(), "feature_name", &length, &names));
  EXPECT_EQ(length, 4U);
}

TEST(Columns, NamesThatAreSetFitTheModel) {
  auto const booster = NamedBooster();
  Names few{"a", "b"};
  EXPECT_EQ(XGBoosterSetStrFeatureInfo(booster.get(), "feature_name", few.data(), 2), -1);
  EXPECT_NE(std::string(XGBGetLastError()).find("Incorrect number of feature names: 2 for a booster of 4"),
            std::string::npos);
  Names twice{"a", "b", "a", "c"};
  EXPECT_EQ(XGBoosterSetStrFeatureInfo(booster.get(), "feature_name", twice.data(), 4), -1);
  EXPECT_NE(std::string(XGBGetLastError()).find("'a' is given twice"), std::string::npos);
  EXPECT_OK(XGBoosterSetStrFeatureInfo(booster.get(), "feature_name", nullptr, 0));
}

}  // namespace
}  // namespace kauri::testing
