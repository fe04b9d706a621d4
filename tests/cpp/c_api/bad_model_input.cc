/// Bad input: model files, snapshots, configurations, dumps.
#include <csignal>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "c_api/bad_input.h"
#include "support/posix.h"

namespace kauri::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Loads a model changed by `spoil` into the trained booster.
Act LoadSpoiled(std::function<void(json*)> const& spoil) {
  return [=](World& world) {
    auto model = json::parse(world.ModelJson());
    spoil(&model);
    auto const text = model.dump();
    return XGBoosterLoadModelFromBuffer(world.booster.get(), text.data(), text.size());
  };
}

json& FirstTree(json* model) { return (*model)["learner"]["gradient_booster"]["model"]["trees"][0]; }

#if KAURI_TEST_POSIX
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
#endif

}  // namespace

std::vector<BadInput> FullDisks() {
#if KAURI_TEST_POSIX
  return {{"disk full", SaveOnFullDisk, {"model.json"}, KAURI_ERROR_IO}};
#else
  return {};
#endif
}

std::vector<BadInput> BadModels() {
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
      {"names of categories for some of the features",
       LoadSpoiled([](json* m) {
         (*m)["learner"]["gradient_booster"]["model"]["cats"] = {
             {"enc", {{{"offsets", {0, 1}}, {"values", {97}}}}}, {"feature_segments", {0, 1}}, {"sorted_idx", {0}}};
       }),
       {"enc", "1", "4 features"},
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
       [](World& world) { return XGBoosterLoadModel(world.booster.get(), world.folder.string().c_str()); },
       {"folder"},
       KAURI_ERROR_IO},
      {"save into no folder",
       [](World& world) { return XGBoosterSaveModel(world.booster.get(), "/no/such/folder/model.json"); },
       {"/no/such/folder"},
       KAURI_ERROR_IO},
      {"export into no folder",
       [](World& world) { return KauriBoosterExport(world.booster.get(), "/no/such/folder/model.c", "{}"); },
       {"/no/such/folder"},
       KAURI_ERROR_IO},
      {"export without a target",
       [](World& world) { return KauriBoosterExport(world.booster.get(), "model.txt", "{}"); },
       {"model.txt", "give target= one of", "onnx"},
       KAURI_ERROR_PARAMETER},
      {"another export target",
       [](World& world) {
         bst_ulong length = 0;
         char const* bytes = nullptr;
         return KauriBoosterExportToBuffer(world.booster.get(), R"({"target": "cobol"})", &length, &bytes);
       },
       {"cobol", "c, duckdb, postgresql, sqlite, onnx"},
       KAURI_ERROR_PARAMETER},
      {"another model format",
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

/// A few bytes may claim 2^31 - 1 features, so features that no split uses must cost nothing.
TEST(WideModels, ScoreTheFeaturesOfTheirSplits) {
  World world;
  auto model = json::parse(world.ModelJson());
  model["learner"]["learner_model_param"]["num_feature"] = "2147483647";
  FirstTree(&model)["split_indices"][0] = 2147483646;
  auto const text = model.dump();
  ASSERT_OK(XGBoosterLoadModelFromBuffer(world.booster.get(), text.data(), text.size()));
  bst_ulong n = 0;
  bst_ulong dim = 0;
  bst_ulong const* shape = nullptr;
  char const** names = nullptr;
  float const* scores = nullptr;
  ASSERT_OK(XGBoosterFeatureScore(world.booster.get(), R"({"importance_type": "weight"})", &n, &names, &dim, &shape,
                                  &scores));
  ASSERT_GE(n, 1U);
  EXPECT_LE(n, 5U);
  EXPECT_STREQ(names[n - 1], "f2147483646");
  EXPECT_EQ(scores[n - 1], 1.0F);
}

}  // namespace kauri::testing
