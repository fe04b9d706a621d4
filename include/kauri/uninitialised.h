/// \file Vectors whose new numbers are not initialised: for large arrays that are filled at once, by all threads.
///
/// std::vector writes zeros first, on one thread. For 1 GB that takes longer than filling the array.
#pragma once

#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace kauri {

template <typename T>
class Uninitialised : public std::allocator<T> {
 public:
  static_assert(std::is_trivial<T>::value, "only numbers may stay uninitialised");

  // The standard library prescribes these names.
  // NOLINTBEGIN(readability-identifier-naming)
  template <typename U>
  struct rebind {
    using other = Uninitialised<U>;
  };

  Uninitialised() = default;
  template <typename U>
  Uninitialised(Uninitialised<U> const& /*other*/) {}

  template <typename U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <typename U, typename... Args>
  void construct(U* place, Args&&... args) {
    ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
  }
  // NOLINTEND(readability-identifier-naming)
};

/// Floats whose `resize` leaves the new ones uninitialised.
using FloatVector = std::vector<float, Uninitialised<float>>;

}  // namespace kauri
