/// \file A pointer and a length. Indices are signed, like every count of rows. Operator [] checks its index in debug
/// builds, `At` always.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kauri/error.h"

namespace kauri {

/// Converts a signed count to the size type of the standard library. A negative count is an error of the caller.
constexpr std::size_t ToSize(std::int64_t count) { return static_cast<std::size_t>(count); }

template <typename T>
class Span {
 public:
  constexpr Span() = default;
  template <typename Size, typename = std::enable_if_t<std::is_integral_v<Size>>>
  constexpr Span(T* data, Size size) : data_(data), size_(static_cast<std::size_t>(size)) {}
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>>>
  constexpr Span(Span<U> other) : data_(other.data()), size_(other.size()) {}  // implicit, as std::span
  template <typename U, typename A, typename = std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>>>
  Span(std::vector<U, A>& owner) : data_(owner.data()), size_(owner.size()) {}  // implicit, as std::span
  template <typename U, typename A, typename = std::enable_if_t<std::is_convertible_v<U const (*)[], T (*)[]>>>
  Span(std::vector<U, A> const& owner) : data_(owner.data()), size_(owner.size()) {}  // implicit, as std::span

  constexpr T& operator[](std::int64_t index) const {
    assert(static_cast<std::size_t>(index) < size_);
    return data_[index];
  }
  T& At(std::int64_t index) const {
    if (static_cast<std::size_t>(index) >= size_)
      Fail(ErrorKind::kInternal, "index ", index, " is past the end of a span of ", size_);
    return data_[index];
  }
  constexpr T* data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  constexpr Span subspan(std::size_t offset, std::size_t count) const {
    assert(offset + count <= size_);
    return {data_ + offset, count};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace kauri
