#include "common/platform/file.h"

#include <fcntl.h>

namespace kauri::platform {

int ReserveSpace(int file, std::int64_t n_bytes) {
  if (n_bytes == 0 || fallocate(file, 0, 0, n_bytes) == 0) return 0;
  return errno == EOPNOTSUPP || errno == ENOSYS || errno == EINTR ? 0 : errno;
}

}  // namespace kauri::platform
