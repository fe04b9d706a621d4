/// \file Integers in as few bytes as they need, for messages between ranks.
///
/// Sums of histograms are 64 bits wide so that those of any rows fit. Those of a node's rows in one bin need far fewer:
/// gradients of 30 bits of a thousand rows need 40, and hessians that are all the same are that number many times over,
/// which ends in as many zeros as it does.
///
/// 1. Numbers come in blocks of 256. Those at even and those at odd places of a block, gradients and hessians of a
///    histogram, are a lane each.
/// 2. Of a lane the low bits that are zero in all of its numbers are left out (shift), and what lies above the sign.
/// 3. What is left is rounded up to whole bytes (width): a number is one load or store, at any address, and a shift.
/// A block is shift and width of both lanes, one byte each, then the numbers of one lane and those of the other,
/// little-endian. Nothing is agreed on before: each block says for itself how it is to be read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kauri/span.h"

namespace kauri {

/// Room that PackIntegers needs for n numbers, in bytes; it writes 4 bytes a block and 8 a number at most.
constexpr std::uint64_t PackedRoom(std::uint64_t n) { return 9 * n + 16; }

/// Returns how many bytes it has written. room: at least PackedRoom(values.size()); bytes behind those that count may
/// be written to. Cost: two passes over the numbers, about a nanosecond each.
std::size_t PackIntegers(Span<std::int64_t const> values, Span<std::byte> room);

enum class UnpackMode { kReplace, kAdd };

/// The numbers that were packed, in place of `values` or added to them modulo 2^64; as many of them as were packed.
/// \throws Error(kCollective) for bytes that are not those of as many numbers: they came over a wire. What `values` are
/// is not defined then.
void UnpackIntegers(Span<std::byte const> packed, UnpackMode mode, Span<std::int64_t> values);

}  // namespace kauri
