/// \file Typed access to the elements of an ArrayView.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "kauri/array_interface.h"
#include "kauri/error.h"
#include "kauri/host_device.h"

namespace kauri {

/// IEEE 754 binary16, as stored.
struct Half {
  std::uint16_t bits;
  KAURI_HD explicit operator float() const {
    auto const magnitude = static_cast<std::uint32_t>(bits & 0x7FFFU) << 13U;
    float value;
    std::memcpy(&value, &magnitude, sizeof(value));
    value *= 0x1p112F;  // the difference of the exponents' biases; exact, subnormals included
    if (magnitude >= 0x0F800000U) {
      auto const special = magnitude | 0x7F800000U;  // infinity and NaN
      std::memcpy(&value, &special, sizeof(value));
    }
    return (bits & 0x8000U) != 0U ? -value : value;
  }
  explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }
};

/// A byte that is true unless it is 0.
struct ByteBool {
  std::uint8_t byte;
  KAURI_HD explicit operator float() const { return byte != 0 ? 1.0F : 0.0F; }
  explicit operator double() const { return byte != 0 ? 1.0 : 0.0; }
};

/// Loads through memcpy: strides need not respect T's alignment.
template <typename T>
T LoadElement(char const* address) {
  T value;
  std::memcpy(&value, address, sizeof(T));
  return value;
}

/// Calls fn with a value of the element type; only the type of the value matters.
template <typename Fn>
decltype(auto) DispatchDType(DType dtype, Fn&& fn) {
  switch (dtype) {
    case DType::kF16:
      return fn(Half{});
    case DType::kF32:
      return fn(float{});
    case DType::kF64:
      return fn(double{});
    case DType::kF128:
      return fn(static_cast<long double>(0));
    case DType::kI8:
      return fn(std::int8_t{});
    case DType::kI16:
      return fn(std::int16_t{});
    case DType::kI32:
      return fn(std::int32_t{});
    case DType::kI64:
      return fn(std::int64_t{});
    case DType::kU8:
      return fn(std::uint8_t{});
    case DType::kU16:
      return fn(std::uint16_t{});
    case DType::kU32:
      return fn(std::uint32_t{});
    case DType::kU64:
      return fn(std::uint64_t{});
    case DType::kBool:
      return fn(ByteBool{});
  }
  Fail(ErrorKind::kInternal, "unknown dtype ", static_cast<int>(dtype));
}

inline std::int64_t ItemSize(DType dtype) {
  return DispatchDType(dtype, [](auto value) { return static_cast<std::int64_t>(sizeof(value)); });
}

/// Returns the address of an element; the indices are not checked.
inline char const* ElementAddress(ArrayView const& array, std::int64_t row, std::int64_t col) {
  return static_cast<char const*>(array.data) + row * array.strides[0] + col * array.strides[1];
}

/// Returns true if the elements follow each other row by row without gaps.
inline bool IsContiguous(ArrayView const& array) {
  auto const item = ItemSize(array.dtype);
  auto const columns_follow = array.shape[1] <= 1 || array.strides[1] == item;
  return columns_follow && (array.shape[0] <= 1 || array.strides[0] == item * array.shape[1]);
}

/// Returns the elements as a T array if they are stored exactly so, otherwise nullptr. The caller must check the dtype.
template <typename T>
T const* ContiguousData(ArrayView const& array) {
  auto const aligned = reinterpret_cast<std::uintptr_t>(array.data) % alignof(T) == 0;
  return aligned && IsContiguous(array) ? static_cast<T const*>(array.data) : nullptr;
}

/// Returns an element of an integer array as int64. `what` names the array. \throws Error(kData) for other dtypes and
/// for values beyond int64.
inline std::int64_t ElementAsIndex(ArrayView const& array, std::int64_t row, char const* what) {
  return DispatchDType(array.dtype, [&](auto tag) -> std::int64_t {
    using T = decltype(tag);
    if constexpr (std::is_integral_v<T>) {
      auto const value = LoadElement<T>(ElementAddress(array, row, 0));
      auto const index = static_cast<std::int64_t>(value);
      if (value > T{0} && index < 0) Fail(ErrorKind::kData, what, "[", row, "] is ", value, ", which is past int64.");
      return index;
    } else {
      Fail(ErrorKind::kData, what, " must hold integers; convert it to int32 or int64.");
    }
  });
}

}  // namespace kauri
