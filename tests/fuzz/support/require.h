/// \file Conditions that must hold for any input.
#pragma once

#include <cstdint>
#include <cstdio>

#include "kauri/c_api.h"

namespace kauri::fuzz {

/// Ends the process with a reason unless `holds`.
inline void Require(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\nlast error: %s\n", what, XGBGetLastError());
  __builtin_trap();
}

/// Checks a status. \return whether the call succeeded. A call that failed has a reason, and never an internal error.
inline bool Done(int status) {
  if (status == 0) return true;
  Require(status == -1 || status == -2, "a call returns 0, -1 or -2");
  Require(KauriGetLastErrorKind() != KAURI_ERROR_INTERNAL, "no call ends in an internal error");
  Require(XGBGetLastError()[0] != '\0' || KauriGetLastErrorKind() == KAURI_ERROR_MEMORY, "an error says what is wrong");
  return false;
}

}  // namespace kauri::fuzz
