/// Bad input: text files, arrays, matrices, gradients.
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "c_api/bad_input.h"

namespace kauri::testing {
namespace {

using nlohmann::json;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

int ReadUri(std::string const& uri) {
  DMatrixHandle handle = nullptr;
  auto const status = XGDMatrixCreateFromURI(json{{"uri", uri}}.dump().c_str(), &handle);
  if (status == 0) XGDMatrixFree(handle);
  return status;
}

Act ReadText(std::string const& format, std::string const& content) {
  return [=](World& world) { return ReadUri(world.File("data.txt", content) + "?format=" + format); };
}

/// Reads two rows with a side file of this content.
Act ReadBeside(std::string const& extension, std::string const& content) {
  return [=](World& world) {
    auto const path = world.File("data.txt", "1 0:1 1:2\n0 0:3 1:4\n");
    auto const side = world.File("data.txt" + extension, content);
    auto const status = ReadUri(path + "?format=libsvm");
    std::filesystem::remove(side);
    return status;
  };
}

/// Creates a 2 x 2 DMatrix from an array interface changed by `spoil`.
Act WithInterface(std::function<void(json*)> const& spoil) {
  return [=](World&) {
    std::vector<float> const values{1, 2, 3, 4};
    auto interface = json::parse(Table(values, 2));
    spoil(&interface);
    DMatrixHandle handle = nullptr;
    return XGDMatrixCreateFromDense(interface.dump().c_str(), kNaNMissing, &handle);
  };
}

int PredictMoreFeatures(World& world) {
  auto const wide = MakeData(Features(3, 6), 6);
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  float const* values = nullptr;
  return XGBoosterPredictFromDMatrix(world.booster.get(), wide.get(), PredictConfig(0).c_str(), &shape, &dim, &values);
}

}  // namespace

std::vector<BadInput> BadData() {
  return {
      {"libsvm word", ReadText("libsvm", "1 0:1\n0 zero:1\n"), {"data.txt", "2", "zero"}, KAURI_ERROR_DATA},
      {"libsvm no value", ReadText("libsvm", "1 0:1\n0 1:2\n1 1:\n"), {"data.txt", "3"}, KAURI_ERROR_DATA},
      {"libsvm negative index", ReadText("libsvm", "1 -4:1\n"), {"data.txt", "1", "-4"}, KAURI_ERROR_DATA},
      {"csv word", ReadText("csv", "1,2\n3,abc\n"), {"data.txt", "2", "abc"}, KAURI_ERROR_DATA},
      {"csv cut off", ReadText("csv", "1,2,3\n4,5,6\n7,8"), {"data.txt", "3", "2"}, KAURI_ERROR_DATA},
      {"side file of another length",
       ReadBeside(".weight", "1\n2\n3\n"),
       {"data.txt.weight", "3", "2"},
       KAURI_ERROR_DATA},
      {"side file word",
       ReadBeside(".base_margin", "0.5\nhalf\n"),
       {"data.txt.base_margin", "2", "half"},
       KAURI_ERROR_DATA},
      {"side file of groups", ReadBeside(".group", "1\n-1\n"), {"data.txt.group", "2", "'-1'"}, KAURI_ERROR_DATA},
      {"unknown format", ReadText("parquet", "1,2\n"), {"parquet", "csv", "libsvm"}, KAURI_ERROR_PARAMETER},
      {"missing file",
       [](World&) { return ReadUri("/no/such/file.csv?format=csv"); },
       {"/no/such/file.csv"},
       KAURI_ERROR_IO},
      {"folder",
       [](World& world) { return ReadUri(world.folder.string() + "?format=csv"); },
       {"directory"},
       KAURI_ERROR_IO},
      {"rows without columns",
       [](World& world) {
         DMatrixHandle handle = nullptr;
         XGDMatrixCreateFromMat(nullptr, 2, 0, kInfinity, &handle);
         return TrainWith(world, Data(handle));
       },
       {"2 rows", "0 feature"},
       KAURI_ERROR_DATA},
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
      {"gradients of splits of another length",
       [](World& world) {
         std::vector<float> const ones(200, 1.0F);
         std::vector<float> const three(3, 1.0F);
         auto const right = Vector(ones);
         auto const wrong = Vector(three);
         return XGBoosterTrainOneIterWithSplitGrad(world.booster.get(), world.problem.data.get(), 3, right.c_str(),
                                                   wrong.c_str(), right.c_str(), right.c_str());
       },
       {"split_hess", "3", "200"},
       KAURI_ERROR_DATA},
      {"gradients of splits without hessians",
       [](World& world) {
         std::vector<float> const ones(200, 1.0F);
         auto const right = Vector(ones);
         return XGBoosterTrainOneIterWithSplitGrad(world.booster.get(), world.problem.data.get(), 3, right.c_str(),
                                                   nullptr, right.c_str(), right.c_str());
       },
       {"split_hess", "null"},
       KAURI_ERROR_PARAMETER},
      {"gradients of splits of trees with numbers",
       [](World& world) {
         std::vector<float> const ones(200, 1.0F);
         auto const right = Vector(ones);
         return XGBoosterTrainOneIterWithSplitGrad(world.booster.get(), world.problem.data.get(), 3, right.c_str(),
                                                   right.c_str(), right.c_str(), right.c_str());
       },
       {"Reduced gradient must be used with vector leaf trees", "multi_output_tree"},
       KAURI_ERROR_PARAMETER},
  };
}

}  // namespace kauri::testing
