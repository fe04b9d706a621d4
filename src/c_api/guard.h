/// \file The boundary of the C ABI: no exception crosses it; each becomes a message and a kind of the calling thread.
#pragma once

#include "common/threads/per_thread.h"
#include "kauri/c_api.h"
#include "kauri/error.h"

namespace kauri::c_api {

/// Keeps the exception in flight as the thread's last error. Call it inside a catch block. Never throws.
void KeepCurrentException() noexcept;

/// Runs the body of an exported function; returns 0, or -1 with the last error set.
template <typename Fn>
int Guard(Fn&& fn) noexcept {
  PrepareForExceptions();
  try {
    fn();
    return 0;
  } catch (...) {
    KeepCurrentException();
    return -1;
  }
}

/// Returns `pointer`, which must not be null. `name` is the argument's name in the header.
template <typename T>
T* NotNull(T* pointer, char const* name) {
  if (pointer == nullptr) Fail(ErrorKind::kParameter, "argument '", name, "' is a null pointer; pass a valid one.");
  return pointer;
}

}  // namespace kauri::c_api
