/// \file The configurations of trackers and communicators.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "c_api/json_config.h"

namespace kauri::c_api {

/// Key of the secret by which workers prove that they belong to a tracker.
constexpr char const* kSecretKey = "kauri_tracker_secret";
constexpr std::int64_t kMostSeconds = std::numeric_limits<std::int32_t>::max();

/// A configuration whose keys may be in upper case, as in environment variables.
class CommunicatorConfig {
 public:
  /// call: the exported function's name.
  CommunicatorConfig(JsonConfig const& document, char const* call) : document_(document), call_(call) {}

  /// Refuses another communicator than rabit, in particular federated learning, and certificates, which would not be
  /// used. \throws Error(kParameter).
  void RequireKnownCommunicator() const;
  bool IsGiven(char const* key) const { return document_.IsGiven(KeyOf(key).c_str()); }
  std::string Text(char const* key, std::string const& otherwise) const;
  std::int64_t Integer(char const* key, std::int64_t otherwise, std::int64_t least, std::int64_t most) const;
  /// Returns a port, 0 if there is none.
  int Port(char const* key) const;

 private:
  void RequireNoCertificates() const;
  std::string KeyOf(char const* key) const;

  JsonConfig const& document_;
  char const* call_;
};

}  // namespace kauri::c_api
