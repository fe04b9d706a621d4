/// \file Threads below the standard library's: what a thread keeps for itself, how it starts and how it sleeps, and
/// what a fork() does to it.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>  // defines __GLIBC__

/// A thread_local variable in the space that glibc keeps for opened libraries (per_thread.h). Other systems have no
/// such space, or provide the memory of all variables when the library is opened.
#if defined(__ELF__) && defined(__GLIBC__)
#define KAURI_STATIC_THREAD_LOCAL [[gnu::tls_model("initial-exec")]] thread_local
#else
#define KAURI_STATIC_THREAD_LOCAL thread_local
#endif

namespace kauri::platform {

/// Starts a thread that handles no signals and runs until the process ends. It has a stack of some megabytes
/// even where the system's are small. \returns false if no more threads can be created now.
bool StartThread(void* (*run)(void*), void* argument);

/// Names the calling thread for tools that list threads, where they have names.
void NameThisThread(char const* name);

/// Calls `in_child` in the child of every later fork(), on systems that have it. \returns 0 or an errno.
int AtFork(void (*in_child)());

/// A pointer for each thread. For objects of static storage: the key is never given back.
class ThreadPointer {
 public:
  /// destroy: called with the pointer of a thread that ends, unless it is nullptr.
  explicit ThreadPointer(void (*destroy)(void*)) noexcept;
  ThreadPointer(ThreadPointer const&) = delete;
  ThreadPointer& operator=(ThreadPointer const&) = delete;

  /// Returns the thread's pointer; nullptr at first.
  void* Get() const noexcept;
  /// Sets the thread's pointer. \returns false if there is no memory for it.
  bool Set(void* pointer) noexcept;

 private:
  std::uintptr_t key_ = 0;
  bool has_key_;
};

/// A 64-bit word on which threads sleep; the system sees its lower half.
using FutexWord = std::atomic<std::uint64_t>;

/// Sleeps while the lower half of `word` equals the lower half of `value`, until FutexWake; may return at any time
/// without reason.
void FutexWait(FutexWord const* word, std::uint64_t value);
/// Wakes one thread that sleeps there. `word` is used as an address only: the object may already be freed.
void FutexWake(FutexWord const* word);
/// Wakes all threads that sleep there; `word` as above.
void FutexWakeAll(FutexWord const* word);

}  // namespace kauri::platform
