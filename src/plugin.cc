/// \file Finds, checks and loads plug-ins.
#include "kauri/plugin.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <sstream>
#include <vector>

#include "common/platform/library.h"
#include "common/platform/process.h"
#include "kauri/error.h"
#include "kauri/version.h"

namespace kauri {
namespace {

using platform::kCudaPluginName;
constexpr char const* kEntryName = "KauriPluginEntry";

/// Returns KAURI_PLUGIN_PATH (a folder or a file) alone if it is set, otherwise the folder of this library.
std::vector<std::string> PlacesToLook() {
  if (auto const path = platform::EnvironmentVariable("KAURI_PLUGIN_PATH"); path && !path->empty()) {
    auto const is_folder = std::filesystem::is_directory(*path);
    return {is_folder ? (std::filesystem::path(*path) / kCudaPluginName).string() : *path};
  }
  auto const library = platform::LibraryOf(reinterpret_cast<void const*>(&GetCudaPluginStatus));
  if (library.empty()) return {};
  return {(std::filesystem::path(library).parent_path() / kCudaPluginName).lexically_normal().string()};
}

/// Returns why the plug-in does not fit this library; empty if it fits.
std::string VersionProblem(std::string const& title, Plugin const* plugin) {
  std::string const theirs = plugin == nullptr || plugin->kauri_version == nullptr ? "?" : plugin->kauri_version;
  auto const interface = plugin == nullptr ? 0 : plugin->interface_version;
  if (interface == kPluginInterface && theirs == KAURI_VERSION) {
    if (plugin->build_id != nullptr && std::string(plugin->build_id) == KAURI_BUILD_ID) return {};
    return title + " was compiled with other headers than this library of the same version, " + KAURI_VERSION +
           ". Install the plug-in that was built with this library.";
  }
  std::ostringstream text;
  text << title << " is of version " << theirs << " (interface " << interface << "), this library of " << KAURI_VERSION
       << " (interface " << kPluginInterface << "). Install the plug-in that was built with this library.";
  return text.str();
}

/// A fitting plug-in, or the problem in whole sentences. Its handle is never closed, because the registries point into
/// it.
struct Opened {
  Plugin const* plugin = nullptr;
  std::string problem;
};

/// Opens and checks a plug-in. title: beginning of messages. cure: advice for a file that is not a plug-in.
Opened Open(std::string const& path, std::string const& title, std::string const& cure) {
  std::string reason;
  void* const handle = platform::OpenLibrary(path, &reason);
  if (handle == nullptr) return {nullptr, title + " cannot be loaded: " + reason + ". Install it again."};
  Opened opened;
  auto const entry = reinterpret_cast<PluginEntry>(platform::FindFunction(handle, kEntryName));
  if (entry == nullptr) {
    opened.problem = "'" + path + "' is no plug-in of Kauri: it has no function " + kEntryName + ". " + cure;
  } else {
    opened.plugin = entry();
    opened.problem = VersionProblem(title, opened.plugin);
  }
  if (!opened.problem.empty()) platform::CloseLibrary(handle);
  return opened;
}

void Use(Plugin const& plugin, PluginStatus* status) {
  plugin.register_entries(&GetRegistries());
  status->loaded = true;
  status->devices = plugin.describe_devices(&status->problem);
}

PluginStatus LoadFrom(std::string const& path) {
  PluginStatus status;
  status.path = path;
  if (!std::filesystem::exists(path)) {
    status.problem = "the CUDA plug-in is missing: no file '" + path +
                     "'. Install kauriboost-cuda, build it with nvcc on the PATH, or set KAURI_PLUGIN_PATH to the "
                     "folder that holds " +
                     kCudaPluginName + ".";
    return status;
  }
  auto const opened = Open(path, "the CUDA plug-in '" + path + "'",
                           std::string("Set KAURI_PLUGIN_PATH to the folder that holds ") + kCudaPluginName + ".");
  status.problem = opened.problem;
  if (status.problem.empty()) Use(*opened.plugin, &status);
  return status;
}

PluginStatus LoadOnce() {
  PluginStatus status;
  status.problem = "the CUDA plug-in is missing: the folder of this library is unknown; set KAURI_PLUGIN_PATH.";
  for (auto const& path : PlacesToLook()) status = LoadFrom(path);
  return status;
}

}  // namespace

void LoadPlugins(Registries* registries) {
  std::istringstream list(platform::EnvironmentVariable("KAURI_PLUGINS").value_or(""));
  for (std::string path; std::getline(list, path, platform::kListSeparator);) {
    if (path.empty()) continue;
    auto const opened = Open(path, "the plug-in '" + path + "'", "Correct KAURI_PLUGINS.");
    if (!opened.problem.empty()) Fail(ErrorKind::kParameter, "KAURI_PLUGINS: ", opened.problem);
    opened.plugin->register_entries(registries);
  }
}

PluginStatus GetCudaPluginStatus() {
  static std::once_flag once;
  static PluginStatus status;
  std::call_once(once, [] {
    try {
      status = LoadOnce();
    } catch (std::exception const& error) {
      status.problem = std::string("the CUDA plug-in cannot be used: ") + error.what() + ". Install it again.";
    }
  });
  return status;
}

int RequireCudaDevices() {
  auto const status = GetCudaPluginStatus();
  if (!status.problem.empty()) Fail(ErrorKind::kDevice, "device=cuda: ", status.problem, " Or use device=cpu.");
  return static_cast<int>(std::count(status.devices.begin(), status.devices.end(), '\n'));
}

void RequireCudaDevice(int ordinal) {
  auto const n_devices = RequireCudaDevices();
  if (ordinal < n_devices) return;
  Fail(ErrorKind::kDevice, "device=cuda:", ordinal, ": there is no such device; ",
       n_devices == 1 ? "the only one is cuda:0." : "they are cuda:0 to cuda:" + std::to_string(n_devices - 1) + ".",
       " Use one that is there, or device=cpu.");
}

}  // namespace kauri
