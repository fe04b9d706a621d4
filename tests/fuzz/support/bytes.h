/// \file The input of a fuzz target, read as a list of choices.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kauri::fuzz {

/// Reads the input byte by byte; zeros at its end.
class Bytes {
 public:
  Bytes(std::uint8_t const* data, std::size_t size) : next_(data), end_(data + size) {}
  bool AtEnd() const { return next_ == end_; }
  unsigned Next() { return next_ == end_ ? 0 : *next_++; }
  unsigned Below(unsigned limit) { return Next() % limit; }
  bool Flag() { return Below(2) == 1; }
  /// Returns an element of an array.
  template <typename T, std::size_t kSize>
  T const& Of(T const (&choices)[kSize]) {
    return choices[Below(static_cast<unsigned>(kSize))];
  }

 private:
  std::uint8_t const* next_;
  std::uint8_t const* end_;
};

}  // namespace kauri::fuzz
