/// \file The client that calls the library. XGBoost's own package loads it as libxgboost.so in place of its own
/// library. Such a client expects the version that it was written for, and a more lenient behaviour than Kauri's own.
#pragma once

#include <array>
#include <string>

namespace kauri {

/// How a booster handles requests that it cannot fulfil.
enum class Habits {
  kKauri,   ///< an unknown parameter or an absent device is an error with its cure
  kXgboost  ///< a warning, and the booster continues without it
};

struct Client {
  Habits habits = Habits::kKauri;
  std::array<int, 3> version{3, 2, 0};  ///< version of XGBoost that the client expects
};

/// Describes the client of a library that was loaded from `library`. Its version is the first that exists of: the text
/// of the file VERSION of the package that holds the library; `otherwise`; the version set by the build. Texts that are
/// not versions are ignored.
Client DescribeClient(std::string const& library, std::string const& otherwise);

/// Returns the client of this library, determined at the first call; the environment's KAURI_XGBOOST_VERSION is the
/// second source.
Client const& ThisClient();

}  // namespace kauri
