/// \file Messages of errors.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "kauri/error.h"

namespace kauri {

/// Returns the message of the Error that `call` throws, or "no error".
inline std::string MessageOf(std::function<void()> const& call) {
  try {
    call();
  } catch (Error const& error) {
    return error.what();
  }
  return "no error";
}

/// Returns the message of an Error of this kind. Fails the test if there is none, or one of another kind.
inline std::string MessageOf(ErrorKind kind, std::function<void()> const& call) {
  try {
    call();
  } catch (Error const& error) {
    EXPECT_EQ(error.Kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

/// Expects that the message contains every part.
inline void ExpectParts(std::string const& message, std::vector<std::string> const& parts) {
  for (auto const& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' not in: " << message;
  }
}

}  // namespace kauri
