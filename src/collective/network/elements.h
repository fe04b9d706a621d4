/// \file The numbers of a reduction: their type, the operation, and their form in messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kauri/span.h"

namespace kauri {

/// The types and operations of XGBoost's clients, with their numbers there.
enum class ElementType : int { kF16, kF32, kF64, kLongDouble, kI8, kI16, kI32, kI64, kU8, kU16, kU32, kU64 };
enum class ReduceOp : int { kMax, kMin, kSum, kAnd, kOr, kXor };

/// An array that ranks reduce together.
class SharedArray {
 public:
  virtual ~SharedArray() = default;
  virtual std::uint64_t Count() const = 0;
  virtual std::uint64_t NumBytes() const = 0;
  /// Writes elements [begin, end) to a message.
  virtual void Write(std::uint64_t begin, std::uint64_t end, std::vector<std::byte>* message) const = 0;
  /// Replaces elements by the message's, or combines them with the message's. \throws Error(kCollective) for a message
  /// of another number of elements.
  virtual void Replace(std::uint64_t begin, std::uint64_t end, Span<std::byte const> message) = 0;
  virtual void Combine(std::uint64_t begin, std::uint64_t end, Span<std::byte const> message) = 0;
};

/// Sums of integers modulo 2^64, in as few bytes as they need.
std::unique_ptr<SharedArray> PackedSums(Span<std::int64_t> values);

/// Returns the size of an element in bytes. \throws Error(kParameter) for an unknown type.
std::size_t SizeOfElement(ElementType type);

/// Returns a name of the operation on the type, such as "sum f32", of at most 15 letters. \throws Error(kParameter) as
/// PlainElements.
std::string ReductionName(ReduceOp op, ElementType type);

/// data: [count] of the type, at any address. \throws Error(kParameter) for an unknown type or operation, or an
/// operation of bits on floating-point numbers.
std::unique_ptr<SharedArray> PlainElements(void* data, std::uint64_t count, ElementType type, ReduceOp op);

}  // namespace kauri
