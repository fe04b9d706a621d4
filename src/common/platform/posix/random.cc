#include "common/platform/random.h"

#include <sys/random.h>
#include <unistd.h>

#include <cerrno>

namespace kauri::platform {

int RandomBytes(void* data, std::size_t n_bytes) { return getentropy(data, n_bytes) == 0 ? 0 : errno; }

}  // namespace kauri::platform
