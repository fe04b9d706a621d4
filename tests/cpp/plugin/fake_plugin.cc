/// A plug-in for tests, without CUDA. The environment variable FAKE_PLUGIN selects its behaviour.
#include <cstdlib>
#include <memory>
#include <string>

#include "kauri/engine.h"
#include "kauri/plugin.h"
#include "kauri/version.h"

namespace {

bool Is(char const* kind) {
  auto const* wanted = std::getenv("FAKE_PLUGIN");
  return wanted != nullptr && std::string(wanted) == kind;
}

std::string DescribeDevices(std::string* problem) {
  if (Is("no device")) *problem = "the fake driver sees no device. Invent one.";
  if (Is("one device") || Is("little memory")) return "cuda:0 Fake A\n";
  if (Is("two devices")) return "cuda:0 Fake A\ncuda:1 Fake B\n";
  return {};
}

std::unique_ptr<kauri::Engine> MakeEngine() {
  kauri::Fail(kauri::ErrorKind::kMemory, "cuda:0 has too little memory for a test: 2 bytes are needed, 1 is free.");
}

void RegisterEntries(kauri::Registries* registries) {
  auto const& own = kauri::GetRegistries();
  auto const several = Is("two devices") || Is("little memory");
  if (several) {
    auto const& exact = own.tree_methods.Find("exact");
    registries->tree_methods.Add(
        {"gpu_exact", "A tree method.", exact.make, exact.parameters, {{kauri::Feature::kDeviceMemory}}});
  }
  if (several || Is("one device")) {
    registries->predictors.Add({"gpu_predictor", "A predictor.", own.predictors.Find("cpu_predictor").make});
  }
  if (Is("little memory")) registries->engines.Add({"cuda", "An engine.", MakeEngine});
  if (Is("clash")) registries->engines.Add({"cpu", "A name that is taken.", nullptr});
}

}  // namespace

extern "C" kauri::Plugin const* KauriPluginEntry() {
  if (Is("nothing")) return nullptr;
  static kauri::Plugin plugin{kauri::kPluginInterface, KAURI_VERSION, "fake", &DescribeDevices, &RegisterEntries};
  if (Is("other version")) plugin.kauri_version = "99.1.2";
  if (Is("other build")) plugin.build_id = "0123456789abcdef";
  if (Is("other interface")) plugin.interface_version = kauri::kPluginInterface + 1;
  return &plugin;
}
