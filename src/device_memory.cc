/// \file Finds the component that handles memory of CUDA devices.
#include "kauri/device_memory.h"

#include "common/platform/library.h"
#include "kauri/error.h"
#include "kauri/plugin.h"
#include "kauri/registry.h"

namespace kauri {
namespace {

constexpr char const* kEntry = "cuda";

/// Returns nullptr, with the reason in `problem`, if there is none. An entry registered by other code than the plug-in
/// is used without the plug-in.
std::unique_ptr<DeviceMemory> FindDeviceMemory(std::string* problem) {
  auto const status = GetCudaPluginStatus();
  *problem = status.problem;
  auto const* entry = GetRegistries().device_memories.TryFind(kEntry);
  if (entry == nullptr || (status.loaded && !problem->empty())) return nullptr;
  return entry->make();
}

}  // namespace

std::unique_ptr<DeviceMemory> RequireDeviceMemory() {
  std::string problem;
  auto memory = FindDeviceMemory(&problem);
  if (memory == nullptr) {
    Fail(ErrorKind::kDevice, "an array in device memory was given, but ", problem,
         " Or copy the array to host memory.");
  }
  return memory;
}

bool IsDeviceAddress(void const* address) {
  if (!platform::IsLibraryLoaded(platform::kCudaDriverName)) return false;
  std::string problem;
  auto const memory = FindDeviceMemory(&problem);
  return memory != nullptr && memory->Holds(address);
}

}  // namespace kauri
