/// \file Thread-local values for a library that must not end the process.
///
/// A library that is opened at run time gets the memory for its thread_local variables at a thread's first use of them,
/// and also the memory to register their destructors. If there is none, glibc ends the process. So small variables
/// without a destructor are KAURI_STATIC_THREAD_LOCAL and lie in the space that glibc keeps for opened libraries (512
/// bytes per process). Everything else is on the heap, where a lack of memory is an ordinary error. The CUDA plug-in
/// has no KAURI_STATIC_THREAD_LOCAL variables: one of them would move all thread_local variables of the CUDA runtime,
/// which is linked into it, into that space, where they do not fit.
#pragma once

#include <pthread.h>

#include <exception>
#include <memory>
#include <new>

#ifdef __ELF__
#define KAURI_STATIC_THREAD_LOCAL [[gnu::tls_model("initial-exec")]] thread_local
#else
#define KAURI_STATIC_THREAD_LOCAL thread_local
#endif

namespace kauri {

/// Makes the C++ runtime allocate the calling thread's exception state, a thread_local variable of its library. The
/// runtime would do so at the thread's first exception, which may be the one that says that memory has run out.
inline void PrepareForExceptions() noexcept {
  [[maybe_unused]] int const volatile n_exceptions = std::uncaught_exceptions();  // volatile: the call must stay
}

/// A T for each thread that uses it, made at the first use and deleted when the thread ends. For objects of static
/// storage.
template <typename T>
class PerThread {
 public:
  PerThread() noexcept : has_key_(pthread_key_create(&key_, Delete) == 0) {}
  PerThread(PerThread const&) = delete;
  PerThread& operator=(PerThread const&) = delete;

  /// Returns the thread's value, nullptr before its first use.
  T* Find() const noexcept { return has_key_ ? static_cast<T*>(pthread_getspecific(key_)) : nullptr; }

  /// \throws std::bad_alloc.
  T& OfThisThread() {
    if (auto* const found = Find()) return *found;
    auto made = std::make_unique<T>();
    if (!has_key_ || pthread_setspecific(key_, made.get()) != 0) throw std::bad_alloc();
    return *made.release();
  }

 private:
  static void Delete(void* value) { delete static_cast<T*>(value); }

  pthread_key_t key_{};
  bool has_key_;
};

}  // namespace kauri
