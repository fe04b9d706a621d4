/// \file What a call's error says.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "kauri/error.h"

namespace kauri {

/// The message of the Error that `call` throws; "no error" when it throws none.
inline std::string MessageOf(std::function<void()> const& call) {
  try {
    call();
  } catch (Error const& error) {
    return error.what();
  }
  return "no error";
}

/// The same, of an Error of this kind; none, or one of another kind, fails the test.
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

/// Every part must be in the message.
inline void ExpectParts(std::string const& message, std::vector<std::string> const& parts) {
  for (auto const& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' not in: " << message;
  }
}

}  // namespace kauri
