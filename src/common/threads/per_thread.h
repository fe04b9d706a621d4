/// \file Thread-local values for a library that must not end the process.
///
/// A library that is opened at run time gets the memory for its thread_local variables at a thread's first use of them,
/// and also the memory to register their destructors. If there is none, glibc ends the process. So small variables
/// without a destructor are KAURI_STATIC_THREAD_LOCAL and lie in the space that glibc keeps for opened libraries (512
/// bytes per process). Everything else is on the heap, where a lack of memory is an ordinary error. The CUDA plug-in
/// has no KAURI_STATIC_THREAD_LOCAL variables: one of them would move all thread_local variables of the CUDA runtime,
/// which is linked into it, into that space, where they do not fit.
#pragma once

#include <exception>
#include <memory>
#include <new>

#include "common/platform/thread.h"

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
  PerThread() noexcept : value_(Delete) {}
  PerThread(PerThread const&) = delete;
  PerThread& operator=(PerThread const&) = delete;

  /// Returns the thread's value, nullptr before its first use.
  T* Find() const noexcept { return static_cast<T*>(value_.Get()); }

  /// \throws std::bad_alloc.
  T& OfThisThread() {
    if (auto* const found = Find()) return *found;
    auto made = std::make_unique<T>();
    if (!value_.Set(made.get())) throw std::bad_alloc();
    return *made.release();
  }

 private:
  static void Delete(void* value) { delete static_cast<T*>(value); }

  platform::ThreadPointer value_;
};

}  // namespace kauri
