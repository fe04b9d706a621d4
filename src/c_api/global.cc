/// Versions, build, log and global configuration.
#include "c_api/global.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "booster/config/client.h"
#include "booster/config/learner_param.h"
#include "booster/config/parameter_check.h"
#include "c_api/guard.h"
#include "c_api/json_config.h"
#include "common/text/log.h"
#include "common/text/quoted.h"
#include "common/threads/openmp_for.h"
#include "common/threads/per_thread.h"
#include "common/threads/threads.h"
#include "kauri/c_api.h"
#include "kauri/plugin.h"
#include "kauri/version.h"

namespace kauri::c_api {
namespace {

/// The calling thread's settings besides the verbosity.
struct ThreadSettings {
  int threads = 0;
  bool use_rmm = false;              ///< has no effect: device memory comes from CUDA's own pool
  bool use_cuda_async_pool = false;  ///< has no effect either
};

KAURI_STATIC_THREAD_LOCAL ThreadSettings t_settings;
PerThread<std::string> g_texts;

void SetWhere(int* out, int value) {
  if (out != nullptr) *out = value;
}

void ReturnText(std::string text, char const** out) {
  auto& kept = g_texts.OfThisThread();
  kept = std::move(text);
  *NotNull(out, "out") = kept.c_str();
}

std::vector<std::string> Lines(std::string const& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

constexpr bool IsDebugBuild() {
#ifdef NDEBUG
  return false;
#else
  return true;
#endif
}

std::string BuildInfo() {
  auto const plugin = GetCudaPluginStatus();
  std::vector<std::string> devices;
  for (auto const& line : Lines(plugin.devices)) devices.push_back(JsonQuoted(line));
  return JsonObject({{"KAURI_VERSION", JsonQuoted(KAURI_VERSION)},
                     {"COMPILER", JsonQuoted(__VERSION__)},
                     {"USE_OPENMP", kauri::HasOpenMp() ? "true" : "false"},
                     {"USE_CUDA", plugin.problem.empty() ? "true" : "false"},
                     {"USE_DLOPEN_NCCL", "false"},
                     {"USE_FEDERATED", "false"},
                     {"USE_NCCL", "false"},
                     {"USE_NVCOMP", "false"},
                     {"USE_RMM", "false"},
                     {"DEBUG", IsDebugBuild() ? "true" : "false"},
                     {"CUDA_PLUGIN", JsonQuoted(plugin.path)},
                     {"CUDA_DEVICES", JsonArray(devices)},
                     {"CUDA_PROBLEM", JsonQuoted(plugin.problem)}});
}

void CheckGlobalKeys(JsonConfig const& config) {
  for (auto const& [key, value] : config.Document().items()) {
    if (key == "verbosity" || key == "nthread" || key == "use_rmm" || key == "use_cuda_async_pool") continue;
    Fail(ErrorKind::kParameter, "unknown global parameter ", Quoted(key), "; expected verbosity or nthread.");
  }
}

void SetGlobalConfig(JsonConfig const& config) {
  CheckGlobalKeys(config);
  auto next = t_settings;
  auto const verbosity = config.IntegerOr("verbosity", GetLogLevel());
  next.threads = static_cast<int>(std::clamp<std::int64_t>(config.IntegerOr("nthread", next.threads), 0, 1 << 20));
  if (config.Has("use_rmm")) next.use_rmm = config.Boolean("use_rmm");
  if (config.Has("use_cuda_async_pool")) next.use_cuda_async_pool = config.Boolean("use_cuda_async_pool");
  if (verbosity < 0 || verbosity > 3) {
    Fail(ErrorKind::kParameter, "global parameter verbosity=", verbosity, " is not valid; expected 0 to 3.");
  }
  SetLogLevel(static_cast<int>(verbosity));
  t_settings = next;
}

std::string GlobalConfig() {
  return JsonObject({{"verbosity", std::to_string(GetLogLevel())},
                     {"nthread", std::to_string(t_settings.threads)},
                     {"use_rmm", t_settings.use_rmm ? "true" : "false"},
                     {"use_cuda_async_pool", t_settings.use_cuda_async_pool ? "true" : "false"}});
}

/// Returns a parameter's other names, with ", " between them.
std::string AliasText(std::string const& name) {
  std::string text;
  for (auto const& alias : AliasesOf(name)) text += (text.empty() ? "" : ", ") + alias;
  return text;
}

std::string ParameterList() {
  std::vector<std::string> list;
  for (auto const& [group, table] : AllParameters()) {
    for (auto const& info : table) {
      list.push_back(JsonObject({{"group", JsonQuoted(group)},
                                 {"name", JsonQuoted(info.name)},
                                 {"aliases", JsonQuoted(AliasText(info.name))},
                                 {"type", JsonQuoted(info.type)},
                                 {"default", JsonQuoted(info.default_value)},
                                 {"bounds", JsonQuoted(info.bounds)},
                                 {"description", JsonQuoted(info.description)}}));
    }
  }
  return JsonArray(list);
}

}  // namespace

int DefaultThreads() { return t_settings.threads; }

Context MakeContext(std::int64_t nthread) {
  Context ctx;
  ctx.threads = NumThreadsFor(nthread > 0 ? nthread : DefaultThreads());
  return ctx;
}

}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace

char const* KauriVersion(void) { return KAURI_VERSION; }

int KauriGetParameters(char const** out) {
  return Guard([&] { ReturnText(ParameterList(), out); });
}

void XGBoostVersion(int* major, int* minor, int* patch) {
  auto const& version = kauri::ThisClient().version;
  SetWhere(major, version[0]);
  SetWhere(minor, version[1]);
  SetWhere(patch, version[2]);
}

int KauriNumThreads(int nthread, int* out) {
  return Guard([&] { *NotNull(out, "out") = MakeContext(nthread).threads; });
}

int XGBuildInfo(char const** out) {
  return Guard([&] { ReturnText(BuildInfo(), out); });
}

int XGBRegisterLogCallback(void (*callback)(char const*)) {
  return Guard([&] { kauri::SetLogCallback(callback, kauri::LineStart::kLevel); });
}

int KauriRegisterLogCallback(void (*callback)(int, char const*)) {
  return Guard([&] { kauri::SetLeveledLogCallback(callback); });
}

int XGBSetGlobalConfig(char const* config) {
  return Guard([&] { SetGlobalConfig(JsonConfig(config, "XGBSetGlobalConfig")); });
}

int XGBGetGlobalConfig(char const** out) {
  return Guard([&] { ReturnText(GlobalConfig(), out); });
}
