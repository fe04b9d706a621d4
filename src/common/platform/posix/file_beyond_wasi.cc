/// \file The operations on files that POSIX systems have and WASI lacks, which takes the others from file.cc.
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/platform/file.h"

namespace kauri::platform {

LockOutcome TryLock(int file) {
  if (flock(file, LOCK_EX | LOCK_NB) == 0) return LockOutcome::kTaken;
  return errno == EWOULDBLOCK ? LockOutcome::kHeldByAnother : LockOutcome::kNotSupported;
}

int NumTerminalColumns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace kauri::platform
