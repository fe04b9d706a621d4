#include "booster/boosters/tree_method.h"

#include <string_view>

#include "booster/boosters/tree_updates.h"
#include "booster/names/other_names.h"

namespace kauri {
namespace {

/// Prefix of the names of device methods.
constexpr std::string_view kDevicePrefix = "gpu_";

bool HasDevicePrefix(std::string const& name) { return name.rfind(kDevicePrefix, 0) == 0; }

}  // namespace

TreeMethod ChooseTreeMethod(GbTreeParam const& param, DeviceKind device) {
  TreeMethod method;
  auto const updates = param.process_type == GbTreeParam::kUpdate;
  method.given = updates ? param.tree_method : TreeMethodOf(param.updater, param.tree_method, device);
  method.name = ResolveTreeMethod(method.given, device);
  auto const on_cpu = ResolveTreeMethod(method.given, DeviceKind::kCpu);
  auto const& methods = GetRegistries().tree_methods;
  method.entry = methods.TryFind(method.name);
  if (method.entry != nullptr || methods.TryFind(on_cpu) != nullptr) return method;
  RefuseOtherName(NameKind::kTreeMethod, method.given);
  method.entry = &methods.Find(on_cpu);  // throws, because it is unknown
  return method;
}

std::string ResolveTreeMethod(std::string const& tree_method, DeviceKind device) {
  auto const method = tree_method == "auto" ? std::string("hist") : tree_method;
  return device == DeviceKind::kCuda && !HasDevicePrefix(method) ? std::string(kDevicePrefix) + method : method;
}

std::string WithoutDevicePrefix(std::string const& name) {
  return HasDevicePrefix(name) ? name.substr(kDevicePrefix.size()) : name;
}

}  // namespace kauri
