/// A plug-in for tests, without CUDA. FAKE_PLUGIN in the environment says what it is.
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "kauri/plugin.h"
#include "kauri/tree_builder.h"
#include "kauri/version.h"

namespace {

bool Is(char const* kind) {
  auto const* wanted = std::getenv("FAKE_PLUGIN");
  return wanted != nullptr && std::string(wanted) == kind;
}

std::string DescribeDevices(std::string* problem) {
  if (Is("no device")) *problem = "the fake driver sees no device. Invent one.";
  if (Is("one device")) return "cuda:0 Fake A\n";
  if (Is("two devices")) return "cuda:0 Fake A\ncuda:1 Fake B\n";
  return {};
}

void RegisterEntries(kauri::Registries* registries) {
  if (Is("two devices")) {
    registries->tree_methods.Add({"gpu_exact", "A tree method.", [](kauri::ParamMap const& params) {
                                    return kauri::GetRegistries().tree_methods.Find("exact").make(params);
                                  }});
  }
  if (Is("clash")) registries->engines.Add({"cpu", "A name that is taken.", nullptr});
}

}  // namespace

extern "C" kauri::Plugin const* KauriPluginEntry() {
  if (Is("nothing")) return nullptr;
  static kauri::Plugin plugin{kauri::kPluginInterface, KAURI_VERSION, "fake", &DescribeDevices, &RegisterEntries};
  if (Is("other version")) plugin.kauri_version = "99.1.2";
  if (Is("other interface")) plugin.interface_version = kauri::kPluginInterface + 1;
  return &plugin;
}
