/// \file Packs integers into as few bytes as they need, for messages between ranks.
///
/// Sums of histograms are 64 bits wide, enough for any rows. The sums of a node's rows in one bin need far fewer bits:
/// 30-bit gradients of a thousand rows need 40. If all hessians are equal, their sums are multiples of one number, and
/// end in at least as many zero bits as that number does.
///
/// 1. Numbers come in blocks of 256. The even and the odd positions of a block, which are gradients and hessians of a
///    histogram, form one lane each.
/// 2. In each lane, low bits that are zero in all numbers (shift) and bits above the sign are dropped.
/// 3. The remaining bits are rounded up to whole bytes (width), so that a number is one load or store at any address,
///    and a shift.
/// A block contains shift and width of both lanes, one byte each, then the numbers of each lane, little-endian. The
/// format needs no agreement: each block describes its own encoding.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kauri/span.h"

namespace kauri {

/// Returns the room that PackIntegers needs for n numbers, in bytes. It writes at most 4 bytes per block and 8 per
/// number.
constexpr std::uint64_t PackedRoom(std::uint64_t n) { return 9 * n + 16; }

/// Packs the values and returns the number of bytes written. room: at least PackedRoom(values.size()) bytes; bytes
/// after the result may be overwritten. Cost: two passes over the numbers, about a nanosecond each.
std::size_t PackIntegers(Span<std::int64_t const> values, Span<std::byte> room);

enum class UnpackMode { kReplace, kAdd };

/// Unpacks numbers, which replace `values` or are added to them modulo 2^64. values: exactly as many as were packed.
/// \throws Error(kCollective) if the message does not decode to exactly that many numbers (messages are untrusted);
/// `values` are then undefined.
void UnpackIntegers(Span<std::byte const> packed, UnpackMode mode, Span<std::int64_t> values);

}  // namespace kauri
