/// \file Where a test needs what a machine or a build may lack: the only places that skip.
///
/// Only the device may be missing for good: without one, or without a second, its tests are skipped everywhere.
/// Whatever else is missing fails where KAURI_REQUIRE is set, as tests/run sets it; tests/conftest.py says the same of
/// Python.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace kauri {

inline bool MustHaveAll() {
  auto const* const text = std::getenv("KAURI_REQUIRE");
  return text != nullptr && std::string(text) != "0";
}

}  // namespace kauri

/// The test goes on only where `condition` holds; `what` says what is missing otherwise.
#define KAURI_NEED(condition, what)                                       \
  do {                                                                    \
    if (!(condition)) {                                                   \
      if (::kauri::MustHaveAll()) FAIL() << (what) << " (KAURI_REQUIRE)"; \
      GTEST_SKIP() << (what);                                             \
    }                                                                     \
  } while (false)

/// The same of a CUDA device, and of what a sanitizer cannot follow.
#define KAURI_SKIP_UNLESS(condition, what)    \
  do {                                        \
    if (!(condition)) GTEST_SKIP() << (what); \
  } while (false)
