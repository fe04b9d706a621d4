#include "kauri/registry.h"

namespace kauri {

Registries& GetRegistries() {
  static Registries registries;
  return registries;
}

}  // namespace kauri
