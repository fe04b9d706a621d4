/// Versions, build, log and global configuration.
#include "c_api/global.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "booster/learner.h"
#include "c_api/guard.h"
#include "c_api/json_config.h"
#include "common/log.h"
#include "common/quoted.h"
#include "common/threads.h"
#include "kauri/c_api.h"
#include "kauri/plugin.h"
#include "kauri/version.h"

namespace kauri::c_api {
namespace {

/// The dialect that the ABI and the model files follow.
constexpr int kDialect[] = {3, 2, 0};

thread_local int t_threads = 0;
thread_local std::string t_text;

void SetWhere(int* out, int value) {
  if (out != nullptr) *out = value;
}

void ReturnText(std::string text, char const** out) {
  t_text = std::move(text);
  *NotNull(out, "out") = t_text.c_str();
}

std::vector<std::string> Lines(std::string const& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

nlohmann::json BuildInfo() {
  auto const plugin = GetCudaPluginStatus();
  return {{"KAURI_VERSION", KAURI_VERSION},
          {"COMPILER", __VERSION__},
          {"USE_OPENMP", true},
          {"USE_CUDA", plugin.problem.empty()},
          {"USE_NCCL", false},
          {"USE_RMM", false},
          {"CUDA_PLUGIN", plugin.path},
          {"CUDA_DEVICES", Lines(plugin.devices)},
          {"CUDA_PROBLEM", plugin.problem}};
}

void CheckGlobalKeys(JsonConfig const& config) {
  for (auto const& [key, value] : config.Document().items()) {
    if (key == "verbosity" || key == "nthread") continue;
    if (key != "use_rmm" && key != "use_cuda_async_pool") {
      Fail(ErrorKind::kParameter, "unknown global parameter ", Quoted(key), "; expected verbosity or nthread.");
    }
    if (config.Boolean(key.c_str())) {
      Fail(ErrorKind::kParameter, "global parameter ", key, "=true is not available; leave it out or pass false.");
    }
  }
}

void SetGlobalConfig(JsonConfig const& config) {
  CheckGlobalKeys(config);
  auto const verbosity = config.IntegerOr("verbosity", GetLogLevel());
  auto const threads = config.IntegerOr("nthread", t_threads);
  if (verbosity < 0 || verbosity > 3) {
    Fail(ErrorKind::kParameter, "global parameter verbosity=", verbosity, " is not valid; expected 0 to 3.");
  }
  SetLogLevel(static_cast<int>(verbosity));
  t_threads = static_cast<int>(std::clamp<std::int64_t>(threads, 0, 1 << 20));
}

nlohmann::json ParameterList() {
  auto list = nlohmann::json::array();
  for (auto const& [group, table] : AllParameters()) {
    for (auto const& info : table) {
      list.push_back({{"group", group},
                      {"name", info.name},
                      {"type", info.type},
                      {"default", info.default_value},
                      {"bounds", info.bounds},
                      {"description", info.description}});
    }
  }
  return list;
}

}  // namespace

int DefaultThreads() { return t_threads; }

Context MakeContext(std::int64_t nthread) {
  Context ctx;
  ctx.threads = NumThreadsFor(nthread > 0 ? nthread : DefaultThreads());
  return ctx;
}

}  // namespace kauri::c_api

using namespace kauri::c_api;  // NOLINT: this file defines functions of the global namespace

char const* KauriVersion(void) { return KAURI_VERSION; }

int KauriGetParameters(char const** out) {
  return Guard([&] { ReturnText(ParameterList().dump(), out); });
}

void XGBoostVersion(int* major, int* minor, int* patch) {
  SetWhere(major, kDialect[0]);
  SetWhere(minor, kDialect[1]);
  SetWhere(patch, kDialect[2]);
}

int XGBuildInfo(char const** out) {
  return Guard([&] { ReturnText(BuildInfo().dump(), out); });
}

int XGBRegisterLogCallback(void (*callback)(char const*)) {
  return Guard([&] { kauri::SetLogCallback(callback); });
}

int KauriRegisterLogCallback(void (*callback)(int, char const*)) {
  return Guard([&] { kauri::SetLeveledLogCallback(callback); });
}

int XGBSetGlobalConfig(char const* config) {
  return Guard([&] { SetGlobalConfig(JsonConfig(config, "XGBSetGlobalConfig")); });
}

int XGBGetGlobalConfig(char const** out) {
  return Guard([&] {
    nlohmann::json const config{{"verbosity", kauri::GetLogLevel()},
                                {"nthread", DefaultThreads()},
                                {"use_rmm", false},
                                {"use_cuda_async_pool", false}};
    ReturnText(config.dump(), out);
  });
}
