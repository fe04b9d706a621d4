#include "common/platform/thread.h"

#include <pthread.h>
#include <signal.h>

#include <cstddef>
#include <initializer_list>

namespace kauri::platform {
namespace {

constexpr std::size_t kLeastStackBytes = std::size_t{8} << 20U;

/// Attributes of a thread that nobody waits for. Its stack is as large as the system's default, or 8 MiB if that is
/// smaller: musl gives 128 KiB, macOS 512 KiB.
class ThreadAttributes {
 public:
  ThreadAttributes() {
    is_made_ = pthread_attr_init(&attributes_) == 0;
    if (!is_made_) return;
    pthread_attr_setdetachstate(&attributes_, PTHREAD_CREATE_DETACHED);
    std::size_t n_bytes = 0;
    constexpr std::size_t kSmall = std::size_t{1} << 20U;
    if (pthread_attr_getstacksize(&attributes_, &n_bytes) != 0 || n_bytes >= kSmall) return;
    pthread_attr_setstacksize(&attributes_, kLeastStackBytes);
  }
  ~ThreadAttributes() {
    if (is_made_) pthread_attr_destroy(&attributes_);
  }
  ThreadAttributes(ThreadAttributes const&) = delete;
  ThreadAttributes& operator=(ThreadAttributes const&) = delete;

  pthread_attr_t const* Get() const { return is_made_ ? &attributes_ : nullptr; }

 private:
  pthread_attr_t attributes_{};
  bool is_made_ = false;
};

}  // namespace

bool StartThread(void* (*run)(void*), void* argument) {
  ThreadAttributes const attributes;
  if (attributes.Get() == nullptr) return false;
  sigset_t signals;
  sigset_t before;
  sigfillset(&signals);
  for (auto const fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) sigdelset(&signals, fault);
  if (pthread_sigmask(SIG_SETMASK, &signals, &before) != 0) return false;
  pthread_t thread{};
  auto const problem = pthread_create(&thread, attributes.Get(), run, argument);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return problem == 0;
}

int AtFork(void (*in_child)()) { return pthread_atfork(nullptr, nullptr, in_child); }

ThreadPointer::ThreadPointer(void (*destroy)(void*)) noexcept {
  static_assert(sizeof(pthread_key_t) <= sizeof(std::uintptr_t));
  pthread_key_t key{};
  has_key_ = pthread_key_create(&key, destroy) == 0;
  key_ = static_cast<std::uintptr_t>(key);
}

void* ThreadPointer::Get() const noexcept {
  return has_key_ ? pthread_getspecific(static_cast<pthread_key_t>(key_)) : nullptr;
}

bool ThreadPointer::Set(void* pointer) noexcept {
  return has_key_ && pthread_setspecific(static_cast<pthread_key_t>(key_), pointer) == 0;
}

}  // namespace kauri::platform
