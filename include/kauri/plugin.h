/// \file How a shared object adds entries to the registries.
///
/// The core loads `libkauri_cuda.so` when a CUDA device is first requested: from KAURI_PLUGIN_PATH if set, else from
/// the folder that holds libkauri.so. It calls the plug-in's one exported function, checks both versions, then lets it
/// register. Other plug-ins (plugin/example is one) are loaded in the same way from the files that KAURI_PLUGINS names,
/// when the registries are first used.
#pragma once

#include <string>

#include "kauri/build_id.h"
#include "kauri/registry.h"

namespace kauri {

/// Changes whenever a class in include/kauri changes its layout or virtual functions.
constexpr int kPluginInterface = 17;

/// A plug-in's description. The first two members never move: they are read before it is known whether the rest is
/// compatible.
struct Plugin {
  int interface_version = kPluginInterface;
  char const* kauri_version = "";  ///< version of the build that made it; must equal the core's
  char const* name = "";
  /// Describes the devices, one line each in the order of their ordinals, ending with a newline. Without devices,
  /// `problem` says what is missing (driver or device) and the cure, in whole sentences. nullptr: not a plug-in for
  /// devices.
  std::string (*describe_devices)(std::string* problem) = nullptr;
  void (*register_entries)(Registries* registries) = nullptr;
  /// Identifier of the headers that it was compiled with; must equal the core's.
  char const* build_id = KAURI_BUILD_ID;
};

/// The type of `KauriPluginEntry`, the exported function. The returned object is static.
using PluginEntry = Plugin const* (*)();

/// Loads the plug-ins that KAURI_PLUGINS names, paths separated by colons. \throws Error(kParameter): one cannot be
/// loaded, is not a plug-in or has another version.
void LoadPlugins(Registries* registries);

/// The state of the CUDA plug-in; reading it does not require the plug-in and never throws.
struct PluginStatus {
  bool loaded = false;
  std::string path;     ///< path where it is, or was looked for
  std::string devices;  ///< one per line, each with a newline
  std::string problem;  ///< why it cannot be used and the cure, in whole sentences; empty if it can
};
PluginStatus GetCudaPluginStatus();

/// Returns the number of CUDA devices, at least one. \throws Error(kDevice): plug-in missing (with the place looked
/// at), broken or of another version; no driver, no device.
int RequireCudaDevices();
/// Checks that a device exists. \throws Error(kDevice) as RequireCudaDevices, or if no device has this ordinal.
void RequireCudaDevice(int ordinal);

}  // namespace kauri
