/// \file Who calls the library. XGBoost's own package loads it as libxgboost.so, standing in the place of its library;
/// such a client expects the version that it was written for, and habits that are softer than Kauri's own.
#pragma once

#include <array>
#include <string>

namespace kauri {

/// How a booster meets what it cannot do as asked.
enum class Habits {
  kKauri,   ///< an unknown parameter, a device that is not there: an error with its cure
  kXgboost  ///< a warning, and it goes on without
};

struct Client {
  Habits habits = Habits::kKauri;
  std::array<int, 3> version{3, 2, 0};  ///< of XGBoost, that the client expects
};

/// The client of a library that was loaded from `library`. Its version is, in this order: the text of the file VERSION
/// of the package that holds the library; `otherwise`; what the library was built for. What is no version is passed
/// over.
Client DescribeClient(std::string const& library, std::string const& otherwise);

/// That of this library, found out at the first call; the environment's KAURI_XGBOOST_VERSION is the second source.
Client const& ThisClient();

}  // namespace kauri
