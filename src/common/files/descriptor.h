/// \file An open file of the operating system.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace kauri {

/// Returns the text of an errno; strerror is not thread-safe.
inline std::string ReasonOf(int error) { return std::generic_category().message(error); }

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;

  int Get() const { return number_; }
  bool IsOpen() const { return number_ >= 0; }
  void Replace(int number) {
    if (number_ >= 0) close(number_);
    number_ = number;
  }
  /// Closes the file. \returns 0 or an errno: a file system may report a failed write only here.
  int Close() {
    auto const result = close(number_);
    number_ = -1;
    return result == 0 ? 0 : errno;
  }

 private:
  int number_;
};

}  // namespace kauri
