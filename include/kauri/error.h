/// \file The one exception type of the library. A message says what is wrong, the value seen and the cure.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace kauri {

enum class ErrorKind {
  kParameter,   ///< a parameter's name or value
  kData,        ///< labels, features, shapes, text files
  kModel,       ///< a model file or a model that does not fit the call
  kIo,          ///< the file system
  kDevice,      ///< no plug-in, no driver, no device
  kMemory,      ///< not enough memory
  kCollective,  ///< another rank or the connection to it failed
  kInternal     ///< a broken invariant inside the library: a bug
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string const& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind Kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

/// Throws an Error whose message is the parts written one after the other.
template <typename... Parts>
[[noreturn]] void Fail(ErrorKind kind, Parts const&... parts) {
  std::ostringstream message;
  message.precision(9);
  (message << ... << parts);
  throw Error(kind, message.str());
}

}  // namespace kauri
