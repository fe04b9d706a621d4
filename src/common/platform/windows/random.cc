#include "common/platform/random.h"

#include <stdlib.h>

#include <algorithm>
#include <cstring>

namespace kauri::platform {

int RandomBytes(void* data, std::size_t n_bytes) {
  for (std::size_t i = 0; i < n_bytes; i += sizeof(unsigned)) {
    unsigned number = 0;
    if (auto const error = rand_s(&number)) return error;
    std::memcpy(static_cast<char*>(data) + i, &number, std::min(sizeof(number), n_bytes - i));
  }
  return 0;
}

}  // namespace kauri::platform
