#include "common/platform/thread.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kauri::platform {
namespace {

void const* LowerHalf(FutexWord const* word) {
  static_assert(sizeof(FutexWord) == sizeof(std::uint64_t));
  constexpr int kFirst = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 4;
  return reinterpret_cast<char const*>(word) + kFirst;
}

}  // namespace

void NameThisThread(char const* name) { pthread_setname_np(pthread_self(), name); }

void FutexWait(FutexWord const* word, std::uint64_t value) {
  syscall(SYS_futex, LowerHalf(word), FUTEX_WAIT_PRIVATE, static_cast<std::uint32_t>(value), nullptr);
}

void FutexWake(FutexWord const* word) { syscall(SYS_futex, LowerHalf(word), FUTEX_WAKE_PRIVATE, 1); }

void FutexWakeAll(FutexWord const* word) {
  constexpr int kAll = 0x7FFFFFFF;
  syscall(SYS_futex, LowerHalf(word), FUTEX_WAKE_PRIVATE, kAll);
}

}  // namespace kauri::platform
