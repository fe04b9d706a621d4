/// Versions, build information, log, global configuration and errors.
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "c_api/support.h"
#include "common/threads/threads.h"
#include "kauri/version.h"
#include "support/need.h"

namespace kauri::testing {
namespace {

using nlohmann::json;

TEST(Library, VersionsAndBuild) {
  int major = 0;
  int minor = 0;
  int patch = -1;
  XGBoostVersion(&major, &minor, &patch);
  EXPECT_EQ(std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch), "3.2.0");
  XGBoostVersion(nullptr, nullptr, nullptr);
  EXPECT_STREQ(KauriVersion(), KAURI_VERSION);
  char const* text = nullptr;
  ASSERT_OK(XGBuildInfo(&text));
  auto const info = json::parse(text);
  EXPECT_EQ(info.at("KAURI_VERSION"), KAURI_VERSION);
  for (auto const* key : {"DEBUG", "USE_DLOPEN_NCCL", "USE_FEDERATED", "USE_NVCOMP"}) {
    EXPECT_TRUE(info.at(key).is_boolean()) << key;  // keys that clients read without checking
  }
  EXPECT_EQ(info.at("USE_CUDA").get<bool>(), info.at("CUDA_PROBLEM").get<std::string>().empty());
  EXPECT_EQ(XGBuildInfo(nullptr), -1);
}

TEST(Library, ParametersDescribeThemselves) {
  char const* text = nullptr;
  ASSERT_OK(KauriGetParameters(&text));
  auto found = false;
  for (auto const& parameter : json::parse(text)) {
    if (parameter.at("name") == "eta") {
      EXPECT_EQ(parameter.at("aliases"), "learning_rate");
    }
    if (parameter.at("name") != "max_depth") continue;
    found = true;
    EXPECT_EQ(parameter.at("default"), "6");
    EXPECT_EQ(parameter.at("aliases"), "");
    EXPECT_FALSE(parameter.at("description").get<std::string>().empty());
  }
  EXPECT_TRUE(found);
}

TEST(Library, GlobalConfigIsAllOrNothing) {
  char const* text = nullptr;
  ASSERT_OK(XGBSetGlobalConfig(R"({"verbosity": 2, "nthread": 3, "use_rmm": false})"));
  ASSERT_OK(XGBGetGlobalConfig(&text));
  auto const before = json::parse(text);
  EXPECT_EQ(before.at("verbosity"), 2);
  EXPECT_EQ(before.at("nthread"), 3);
  for (char const* bad : {R"({"nthread": 1, "verbosity": 9})", R"({"nthread": 1, "verbose": 1})", R"({"nthread": "1"})",
                          R"({"nthread": 1, "use_rmm": 1})", "[]", "{", "", R"({"verbosity": 1.5})"}) {
    EXPECT_EQ(XGBSetGlobalConfig(bad), -1) << bad;
    EXPECT_EQ(KauriGetLastErrorKind(), KAURI_ERROR_PARAMETER) << bad;
    ASSERT_OK(XGBGetGlobalConfig(&text));
    EXPECT_EQ(json::parse(text), before) << bad;
  }
  EXPECT_EQ(XGBSetGlobalConfig(nullptr), -1);
  EXPECT_OK(XGBSetGlobalConfig(R"({"verbosity": 1, "nthread": 0})"));
}

TEST(Library, GlobalConfigBelongsToTheThread) {
  char const* text = nullptr;
  ASSERT_OK(XGBSetGlobalConfig(R"({"verbosity": 3, "nthread": 2, "use_rmm": true, "use_cuda_async_pool": true})"));
  ASSERT_OK(XGBGetGlobalConfig(&text));
  std::string const here = text;
  EXPECT_EQ(json::parse(here).at("use_rmm"), true);
  std::thread([&] {
    char const* other = nullptr;
    EXPECT_OK(XGBGetGlobalConfig(&other));
    EXPECT_EQ(json::parse(other), json::parse(R"({"verbosity": 1, "nthread": 0, "use_rmm": false,
                                                  "use_cuda_async_pool": false})"));
    EXPECT_OK(XGBSetGlobalConfig(R"({"verbosity": 0})"));
  }).join();
  ASSERT_OK(XGBGetGlobalConfig(&text));
  EXPECT_EQ(here, text);
  EXPECT_OK(XGBSetGlobalConfig(R"({"verbosity": 1, "nthread": 0, "use_rmm": false, "use_cuda_async_pool": false})"));
}

TEST(Library, LastErrorBelongsToTheThread) {
  EXPECT_EQ(XGBoosterFree(nullptr), -1);
  std::string const here = XGBGetLastError();
  EXPECT_NE(here.find("null"), std::string::npos) << here;
  std::thread([] {
    EXPECT_STREQ(XGBGetLastError(), "");
    EXPECT_EQ(KauriGetLastErrorKind(), KAURI_ERROR_NONE);
    EXPECT_EQ(XGBSetGlobalConfig("{"), -1);
  }).join();
  EXPECT_EQ(XGBGetLastError(), here);
}

TEST(Library, OneProcess) {
  EXPECT_OK(XGCommunicatorInit("{}"));
  EXPECT_EQ(XGCommunicatorGetRank(), 0);
  EXPECT_EQ(XGCommunicatorGetWorldSize(), 1);
  EXPECT_EQ(XGCommunicatorIsDistributed(), 0);
  int value = 5;
  EXPECT_OK(XGCommunicatorBroadcast(&value, sizeof(value), 0));
  EXPECT_OK(XGCommunicatorAllreduce(&value, 1, 0, 0));
  EXPECT_OK(XGCommunicatorAllgather(&value, sizeof(value)));
  EXPECT_EQ(value, 5);
  char const* name = nullptr;
  EXPECT_OK(XGCommunicatorGetProcessorName(&name));
  EXPECT_STRNE(name, "");
  EXPECT_OK(XGCommunicatorFinalize());
  EXPECT_EQ(XGCommunicatorBroadcast(&value, sizeof(value), 1), -1);
  EXPECT_EQ(XGCommunicatorInit(R"({"dmlc_tracker_uri": "127.0.0.1", "dmlc_tracker_port": 1, "dmlc_retry": 0})"), -1);
  EXPECT_NE(std::string(XGBGetLastError()).find("Failed to bootstrap"), std::string::npos);
  EXPECT_EQ(XGBGetLastErrorCode(), -1);
  EXPECT_OK(XGCommunicatorInit(R"({"dmlc_communicator": "rabit"})"));
  EXPECT_OK(XGCommunicatorFinalize());
}

TEST(Library, FederatedLearningIsRefusedForOneWorkerToo) {
  TrackerHandle tracker = nullptr;
  EXPECT_EQ(XGTrackerCreate(R"({"n_workers": 1, "port": 0, "dmlc_communicator": "federated"})", &tracker), -1);
  EXPECT_NE(std::string(XGBGetLastError()).find("not compiled with federated learning support"), std::string::npos);
  EXPECT_EQ(tracker, nullptr);
  EXPECT_EQ(XGCommunicatorInit(R"({"dmlc_communicator": "federated", "federated_rank": 0})"), -1);
  EXPECT_NE(std::string(XGBGetLastError()).find("not compiled with federated learning support"), std::string::npos);
  EXPECT_EQ(XGTrackerCreate(R"({"n_workers": 1, "dmlc_communicator": "other"})", &tracker), -1);
  EXPECT_NE(std::string(XGBGetLastError()).find("Unknown communicator"), std::string::npos);
}

/// Returns the number of threads of this process; threads started by loops stay.
int NumThreads() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "Threads:") break;
  }
  int count = 0;
  status >> count;
  return count;
}

TEST(Library, HugeThreadCountsStartNoThousands) {
  constexpr int kOthers = 8;  // threads of this program
  auto const most = MaxThreads() + kOthers;
  Problem const problem;
  KAURI_NEED(NumThreads() >= 1, "threads cannot be counted here");
  auto params = Logistic();
  params.emplace_back("tree_method", "exact");
  auto const expected = Predict(Train(problem.data, params, 2), problem.data).values;
  params.emplace_back("nthread", "3000");
  EXPECT_EQ(Predict(Train(problem.data, params, 2), problem.data).values, expected);
  EXPECT_LE(NumThreads(), most);
  DMatrixHandle handle = nullptr;
  auto const array = Interface(problem.values, "<f4", "[200, 4]");
  ASSERT_OK(XGDMatrixCreateFromDense(array.c_str(), R"({"missing": NaN, "nthread": 3000})", &handle));
  ASSERT_OK(XGDMatrixFree(handle));
  EXPECT_LE(NumThreads(), most);
  ASSERT_OK(XGBSetGlobalConfig(R"({"nthread": 3000})"));
  Train(Problem().data, {{"tree_method", "exact"}}, 1);
  ASSERT_OK(XGBSetGlobalConfig(R"({"nthread": 0})"));
  EXPECT_LE(NumThreads(), most);
}

std::string* g_log = nullptr;

TEST(Library, LogGoesToTheCallbackOnly) {
  std::string lines;
  g_log = &lines;
  ASSERT_OK(XGBRegisterLogCallback([](char const* line) { g_log->append(line).append("\n"); }));
  Problem const problem;
  auto const booster = Train(problem.data, {{"max_dept", "3"}}, 1);
  ASSERT_OK(XGBRegisterLogCallback(nullptr));
  EXPECT_EQ(lines.rfind("WARNING: ", 0), 0) << lines;  // the prefix that XGBoost's clients look for
  EXPECT_NE(lines.find("max_dept"), std::string::npos) << lines;
  EXPECT_NE(lines.find("max_depth"), std::string::npos) << lines;
  auto const length = lines.size();
  Train(problem.data, {{"max_dept", "3"}}, 1);
  EXPECT_EQ(lines.size(), length);
}

TEST(Library, LogTellsTheLevel) {
  std::string lines;
  g_log = &lines;
  ASSERT_OK(KauriRegisterLogCallback([](int level, char const*) { g_log->append(std::to_string(level)); }));
  Problem const problem;
  auto const booster = Train(problem.data, {{"max_dept", "3"}}, 1);
  EXPECT_EQ(lines, "1");
  ASSERT_OK(XGBRegisterLogCallback(nullptr));
  Train(problem.data, {{"max_dept", "3"}}, 1);
  EXPECT_EQ(lines, "1");
}

}  // namespace
}  // namespace kauri::testing
