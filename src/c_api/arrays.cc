#include "c_api/arrays.h"

#include "c_api/guard.h"
#include "common/text/json_text.h"

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

std::string InterfaceOf(void const* data, std::vector<std::size_t> const& shape, char const* typestr,
                        std::size_t stride) {
  std::vector<std::string> lengths;
  for (auto const length : shape) lengths.push_back(std::to_string(length));
  return JsonObject({{"data", "[" + std::to_string(reinterpret_cast<std::uintptr_t>(data)) + ",true]"},
                     {"mask", "null"},
                     {"shape", JsonArray(lengths)},
                     {"strides", stride == 0 ? "null" : "[" + std::to_string(stride) + "]"},
                     {"typestr", JsonQuoted(typestr)},
                     {"version", "3"}});
}

}  // namespace kauri::c_api
