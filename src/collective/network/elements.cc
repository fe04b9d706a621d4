#include "collective/network/elements.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "collective/packed_integers.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// A half-precision number (IEEE 754 binary16), computed with in float32.
struct Half {
  std::uint16_t bits;

  explicit operator float() const {
    auto const sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16U;
    auto const exponent = static_cast<std::uint32_t>(bits >> 10U) & 31U;
    auto const fraction = static_cast<std::uint32_t>(bits & 0x3FFU);
    constexpr float kSubnormal = 1.0F / (1U << 24U);
    if (exponent == 0) return (sign != 0 ? -1.0F : 1.0F) * static_cast<float>(fraction) * kSubnormal;
    auto const wide = exponent == 31 ? 255U : exponent + 112U;
    auto const all = sign | (wide << 23U) | (fraction << 13U);
    float value = 0;
    std::memcpy(&value, &all, sizeof(value));
    return value;
  }

  /// Rounds to the nearest, ties to even.
  static Half Of(float value) {
    std::uint32_t all = 0;
    std::memcpy(&all, &value, sizeof(all));
    auto const sign = static_cast<std::uint16_t>((all >> 16U) & 0x8000U);
    auto const size = all & 0x7FFFFFFFU;
    constexpr std::uint32_t kInfinite = 255U << 23U;
    if (size > kInfinite) return {static_cast<std::uint16_t>(sign | 0x7E00U)};
    constexpr std::uint32_t kTooLarge = 0x477FF000U;  // 65520, which rounds to infinity
    if (size >= kTooLarge) return {static_cast<std::uint16_t>(sign | 0x7C00U)};
    constexpr std::uint32_t kNormal = 113U << 23U;  // 2^-14
    if (size < kNormal) return {static_cast<std::uint16_t>(sign | Subnormal(size))};
    auto const rounded = size + 0xFFFU + ((size >> 13U) & 1U);
    return {static_cast<std::uint16_t>(sign | ((rounded - (112U << 23U)) >> 13U))};
  }

 private:
  /// Adding 0.5 puts the number's last place where that of float32 is, and float32 rounds.
  static std::uint16_t Subnormal(std::uint32_t size) {
    float value = 0;
    std::memcpy(&value, &size, sizeof(value));
    value += 0.5F;
    std::uint32_t all = 0;
    std::memcpy(&all, &value, sizeof(all));
    return static_cast<std::uint16_t>(all - (126U << 23U));
  }
};

template <typename T>
T ReducedNumbers(ReduceOp op, T one, T other) {
  if (op == ReduceOp::kMax) return std::max(one, other);
  if (op == ReduceOp::kMin) return std::min(one, other);
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    auto const a = static_cast<Unsigned>(one);
    auto const b = static_cast<Unsigned>(other);
    if (op == ReduceOp::kAnd) return static_cast<T>(a & b);
    if (op == ReduceOp::kOr) return static_cast<T>(a | b);
    if (op == ReduceOp::kXor) return static_cast<T>(a ^ b);
    return static_cast<T>(static_cast<Unsigned>(std::uint64_t{a} + std::uint64_t{b}));
  } else {
    return one + other;
  }
}

template <typename T>
T Reduced(ReduceOp op, T one, T other) {
  if constexpr (std::is_same_v<T, Half>) {
    return Half::Of(ReducedNumbers(op, static_cast<float>(one), static_cast<float>(other)));
  } else {
    return ReducedNumbers(op, one, other);
  }
}

template <typename T>
class Plain : public SharedArray {
 public:
  Plain(void* data, std::uint64_t count, ReduceOp op) : data_(static_cast<char*>(data)), count_(count), op_(op) {}

  std::uint64_t Count() const override { return count_; }
  std::uint64_t NumBytes() const override { return count_ * sizeof(T); }
  void Write(std::uint64_t begin, std::uint64_t end, std::vector<std::byte>* message) const override {
    auto const* const from = reinterpret_cast<std::byte const*>(data_);
    message->assign(from + begin * sizeof(T), from + end * sizeof(T));
  }
  void Replace(std::uint64_t begin, std::uint64_t end, Span<std::byte const> message) override {
    RequireSize(end - begin, message);
    if (!message.empty()) std::memcpy(data_ + begin * sizeof(T), message.data(), message.size());
  }
  void Combine(std::uint64_t begin, std::uint64_t end, Span<std::byte const> message) override {
    RequireSize(end - begin, message);
    for (std::uint64_t i = 0; i < end - begin; ++i) {
      T mine;
      T theirs;
      auto* const place = data_ + (begin + i) * sizeof(T);
      std::memcpy(&mine, place, sizeof(T));
      std::memcpy(&theirs, message.data() + i * sizeof(T), sizeof(T));
      mine = Reduced(op_, mine, theirs);
      std::memcpy(place, &mine, sizeof(T));
    }
  }

 private:
  static void RequireSize(std::uint64_t count, Span<std::byte const> message) {
    if (message.size() == count * sizeof(T)) return;
    Fail(ErrorKind::kCollective, "a message has ", message.size(), " bytes; expected ", count * sizeof(T),
         ". Run the same version of Kauri on all ranks.");
  }

  char* data_;
  std::uint64_t count_;
  ReduceOp op_;
};

class Packed : public SharedArray {
 public:
  explicit Packed(Span<std::int64_t> values) : values_(values) {}

  std::uint64_t Count() const override { return values_.size(); }
  std::uint64_t NumBytes() const override { return values_.size() * sizeof(std::int64_t); }
  void Write(std::uint64_t begin, std::uint64_t end, std::vector<std::byte>* message) const override {
    message->resize(PackedRoom(end - begin));
    message->resize(begin == end ? 0 : PackIntegers(values_.subspan(begin, end - begin), *message));
  }
  void Replace(std::uint64_t begin, std::uint64_t end, Span<std::byte const> message) override {
    UnpackIntegers(message, UnpackMode::kReplace, values_.subspan(begin, end - begin));
  }
  void Combine(std::uint64_t begin, std::uint64_t end, Span<std::byte const> message) override {
    UnpackIntegers(message, UnpackMode::kAdd, values_.subspan(begin, end - begin));
  }

 private:
  Span<std::int64_t> values_;
};

/// Calls fn(T()) with the C++ type. \throws Error(kParameter) for an unknown type.
template <typename Fn>
auto DispatchElement(ElementType type, Fn&& fn) {
  switch (type) {
    case ElementType::kF16:
      return fn(Half());
    case ElementType::kF32:
      return fn(float());
    case ElementType::kF64:
      return fn(double());
    case ElementType::kLongDouble:
      return fn(static_cast<long double>(0));
    case ElementType::kI8:
      return fn(std::int8_t());
    case ElementType::kI16:
      return fn(std::int16_t());
    case ElementType::kI32:
      return fn(std::int32_t());
    case ElementType::kI64:
      return fn(std::int64_t());
    case ElementType::kU8:
      return fn(std::uint8_t());
    case ElementType::kU16:
      return fn(std::uint16_t());
    case ElementType::kU32:
      return fn(std::uint32_t());
    case ElementType::kU64:
      return fn(std::uint64_t());
  }
  Fail(ErrorKind::kParameter, "data_type=", static_cast<int>(type), " is unknown; expected 0 to 11.");
}

void RequireKnown(ReduceOp op) {
  if (op >= ReduceOp::kMax && op <= ReduceOp::kXor) return;
  Fail(ErrorKind::kParameter, "op=", static_cast<int>(op), " is unknown; expected 0 to 5.");
}

}  // namespace

std::unique_ptr<SharedArray> PackedSums(Span<std::int64_t> values) { return std::make_unique<Packed>(values); }

std::size_t SizeOfElement(ElementType type) {
  return DispatchElement(type, [](auto zero) { return sizeof(zero); });
}

std::string ReductionName(ReduceOp op, ElementType type) {
  constexpr std::array<char const*, 6> kOps{"max", "min", "sum", "and", "or", "xor"};
  constexpr std::array<char const*, 12> kTypes{"f16", "f32", "f64", "long double", "i8",  "i16",
                                               "i32", "i64", "u8",  "u16",         "u32", "u64"};
  SizeOfElement(type);  // refuses an unknown type
  RequireKnown(op);
  return std::string(kOps[static_cast<std::size_t>(op)]) + " " + kTypes[static_cast<std::size_t>(type)];
}

std::unique_ptr<SharedArray> PlainElements(void* data, std::uint64_t count, ElementType type, ReduceOp op) {
  RequireKnown(op);
  return DispatchElement(type, [&](auto zero) -> std::unique_ptr<SharedArray> {
    using T = decltype(zero);
    if (!std::is_integral_v<T> && op > ReduceOp::kSum) {
      Fail(ErrorKind::kParameter,
           "operations on bits need integers, not floating-point numbers (data_type=", static_cast<int>(type),
           "); pass an array of integers.");
    }
    return std::make_unique<Plain<T>>(data, count, op);
  });
}

}  // namespace kauri
