/// \file Finding, checking and loading the CUDA plug-in.
#include "kauri/plugin.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <vector>

#include "kauri/error.h"
#include "kauri/version.h"

namespace kauri {
namespace {

constexpr char const* kCudaPluginName = "libkauri_cuda.so";

/// KAURI_PLUGIN_PATH (a folder or a file) alone when it is set, else the folder of this library.
std::vector<std::string> PlacesToLook() {
  if (char const* path = std::getenv("KAURI_PLUGIN_PATH"); path != nullptr && *path != '\0') {
    auto const is_folder = std::filesystem::is_directory(path);
    return {is_folder ? (std::filesystem::path(path) / kCudaPluginName).string() : std::string(path)};
  }
  Dl_info info;
  if (dladdr(reinterpret_cast<void const*>(&GetCudaPluginStatus), &info) == 0 || info.dli_fname == nullptr) return {};
  return {(std::filesystem::path(info.dli_fname).parent_path() / kCudaPluginName).string()};
}

/// Empty when the plug-in fits this library.
std::string VersionProblem(Plugin const* plugin) {
  if (plugin != nullptr && plugin->interface_version == kPluginInterface &&
      std::string(plugin->kauri_version) == KAURI_VERSION) {
    return {};
  }
  std::string const theirs = plugin == nullptr ? "unknown" : plugin->kauri_version;
  return "the CUDA plug-in is of version " + theirs + ", this library of " + KAURI_VERSION +
         "; install the plug-in of the same version.";
}

PluginStatus LoadFrom(std::string const& path) {
  PluginStatus status;
  status.path = path;
  if (!std::filesystem::exists(path)) {
    status.problem = "the CUDA plug-in is missing: no file '" + path +
                     "'. Build it with nvcc on the PATH, or set KAURI_PLUGIN_PATH to the folder that holds " +
                     kCudaPluginName + ".";
    return status;
  }
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    char const* reason = dlerror();
    status.problem =
        "the CUDA plug-in '" + path + "' cannot be loaded: " + (reason == nullptr ? "unknown reason" : reason);
    return status;
  }
  auto const entry = reinterpret_cast<PluginEntry>(dlsym(handle, "KauriPluginEntry"));
  auto const* plugin = entry == nullptr ? nullptr : entry();
  status.problem = VersionProblem(plugin);
  if (!status.problem.empty()) return status;
  status.loaded = true;
  plugin->register_entries(&GetRegistries());
  status.devices = plugin->describe_devices(&status.problem);
  return status;
}

PluginStatus LoadOnce() {
  PluginStatus status;
  status.problem = "the CUDA plug-in is missing: the folder of this library is unknown; set KAURI_PLUGIN_PATH.";
  for (auto const& path : PlacesToLook()) status = LoadFrom(path);
  return status;
}

}  // namespace

PluginStatus GetCudaPluginStatus() {
  static std::once_flag once;
  static PluginStatus status;
  std::call_once(once, [] {
    try {
      status = LoadOnce();
    } catch (std::exception const& error) {
      status.problem = std::string("the CUDA plug-in cannot be used: ") + error.what();
    }
  });
  return status;
}

void RequireCudaDevice(int ordinal) {
  auto const status = GetCudaPluginStatus();
  if (!status.problem.empty()) Fail(ErrorKind::kDevice, "device=cuda: ", status.problem, " Or use device=cpu.");
  int n_devices = 0;
  for (char const c : status.devices) n_devices += c == '\n' ? 1 : 0;
  if (!status.devices.empty() && status.devices.back() != '\n') ++n_devices;
  if (ordinal >= n_devices) {
    Fail(ErrorKind::kDevice, "device=cuda:", ordinal, ": there are ", n_devices,
         " CUDA devices; use cuda:0 to cuda:", n_devices - 1, ".");
  }
}

}  // namespace kauri
