#include "common/platform/file.h"

namespace kauri::platform {

LockOutcome TryLock(int /*file*/) {
  errno = ENOTSUP;
  return LockOutcome::kNotSupported;
}

int NumTerminalColumns() { return 0; }

}  // namespace kauri::platform
