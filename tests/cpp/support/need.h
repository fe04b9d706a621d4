/// \file Requirements of tests on the machine or build: the only places that skip tests.
///
/// Only a device may be missing: without one, or without a second one, its tests are skipped everywhere. Any other
/// missing requirement is a failure if KAURI_REQUIRE is set, as tests/run does. tests/conftest.py implements the same
/// for Python.
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

/// Continues the test only if `condition` holds; `what` names the missing requirement.
#define KAURI_NEED(condition, what)                                       \
  do {                                                                    \
    if (!(condition)) {                                                   \
      if (::kauri::MustHaveAll()) FAIL() << (what) << " (KAURI_REQUIRE)"; \
      GTEST_SKIP() << (what);                                             \
    }                                                                     \
  } while (false)

/// Does the same for CUDA devices, and for code that a sanitizer cannot follow.
#define KAURI_SKIP_UNLESS(condition, what)    \
  do {                                        \
    if (!(condition)) GTEST_SKIP() << (what); \
  } while (false)
