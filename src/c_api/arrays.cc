#include "c_api/arrays.h"

#include "c_api/guard.h"

namespace kauri::c_api {

ArrayView ArrayOf(char const* json, char const* name) { return ParseArrayInterface(NotNull(json, name)); }

DeviceArray DeviceArrayOf(char const* json, char const* name) { return ParseDeviceArrayInterface(NotNull(json, name)); }

HostArray AnyArray::OnHost() const {
  if (on_device) return RequireDeviceMemory()->ToHost(array);
  return {{}, array.view};
}

AnyArray AnyArrayOf(char const* json, char const* name) {
  AnyArray any;
  any.array = ParseAnyArrayInterface(NotNull(json, name));
  any.on_device = any.array.names_stream || IsDeviceAddress(any.array.view.data);
  if (any.on_device) any.array = DeviceArrayOf(json, name);
  return any;
}

nlohmann::json InterfaceOf(void const* data, std::vector<std::size_t> const& shape, char const* typestr,
                           std::size_t stride) {
  nlohmann::json document{{"data", {reinterpret_cast<std::uintptr_t>(data), true}},
                          {"mask", nullptr},
                          {"shape", shape},
                          {"strides", nullptr},
                          {"typestr", typestr},
                          {"version", 3}};
  if (stride != 0) document["strides"] = {stride};
  return document;
}

}  // namespace kauri::c_api
