#include "collective/packed_integers.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::size_t kBlock = 256;
constexpr std::size_t kLanes = 2;
constexpr std::size_t kWord = sizeof(std::int64_t);

/// Encoding of the numbers of a lane.
struct Layout {
  unsigned shift = 0;  ///< in bits
  unsigned width = 0;  ///< in bytes
};

/// Returns how many numbers of a block of n belong to a lane.
std::size_t LaneSize(std::size_t n, std::size_t lane) { return (n + kLanes - 1 - lane) / kLanes; }

Layout LayoutOf(std::int64_t const* values, std::size_t n, std::size_t lane) {
  std::uint64_t any = 0;
  std::uint64_t magnitude = 0;  // bits that differ from the sign bit of their number
  for (auto i = lane; i < n; i += kLanes) {
    any |= static_cast<std::uint64_t>(values[i]);
    magnitude |= static_cast<std::uint64_t>(values[i] ^ (values[i] >> 63));
  }
  if (any == 0) return {};
  auto const shift = static_cast<unsigned>(__builtin_ctzll(any));
  auto const n_bits = magnitude == 0 ? 1U : 65U - static_cast<unsigned>(__builtin_clzll(magnitude));
  return {shift, (n_bits - shift + 7U) / 8U};
}

/// Writes a lane and returns the start of the next one.
std::byte* WriteLane(std::int64_t const* values, std::size_t n, std::size_t lane, Layout layout, std::byte* out) {
  if (layout.width == 0) return out;
  for (auto i = lane; i < n; i += kLanes, out += layout.width) {
    auto const word = values[i] >> layout.shift;
    std::memcpy(out, &word, kWord);  // the next number, or lane, overwrites the excess bytes
  }
  return out;
}

/// Reads a lane. in: must be followed by one readable word.
template <UnpackMode kMode>
void ReadLane(std::byte const* in, Layout layout, std::size_t n, std::size_t lane, std::int64_t* values) {
  auto const above = static_cast<unsigned>(8 * (kWord - layout.width));
  for (auto i = lane; i < n; i += kLanes, in += layout.width) {
    std::uint64_t word = 0;
    std::memcpy(&word, in, kWord);
    auto const number = static_cast<std::uint64_t>(static_cast<std::int64_t>(word << above) >> above) << layout.shift;
    auto const before = kMode == UnpackMode::kAdd ? static_cast<std::uint64_t>(values[i]) : 0U;
    values[i] = static_cast<std::int64_t>(before + number);
  }
}

[[noreturn]] void FailPacked(std::size_t n_bytes, std::size_t n) {
  Fail(ErrorKind::kCollective, "a message of sums from another rank is damaged: got ", n_bytes,
       " bytes, expected an encoding of ", n,
       " numbers; run the same version of Kauri on all ranks, and check that the transport delivers every byte "
       "unchanged.");
}

/// Reads packed blocks from front to back.
class Reader {
 public:
  Reader(Span<std::byte const> packed, std::size_t n) : packed_(packed), n_(n) {}

  template <UnpackMode kMode>
  void Block(std::size_t n, std::int64_t* values) {
    std::array<Layout, kLanes> layouts;
    auto const* head = Take(2 * kLanes);
    for (auto& layout : layouts) {
      layout = {static_cast<unsigned>(head[0]), static_cast<unsigned>(head[1])};
      if (layout.shift >= 8 * kWord || layout.width > kWord) FailPacked(packed_.size(), n_);
      head += 2;
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) Lane<kMode>(layouts[lane], n, lane, values);
  }

  void End() const {
    if (at_ != packed_.size()) FailPacked(packed_.size(), n_);
  }

 private:
  template <UnpackMode kMode>
  void Lane(Layout layout, std::size_t n, std::size_t lane, std::int64_t* values) {
    if (layout.width == 0) {
      for (auto i = lane; kMode == UnpackMode::kReplace && i < n; i += kLanes) values[i] = 0;
      return;
    }
    auto const n_bytes = LaneSize(n, lane) * layout.width;
    auto const* in = Take(n_bytes);
    if (packed_.size() - at_ >= kWord) return ReadLane<kMode>(in, layout, n, lane, values);
    std::array<std::byte, (kBlock / kLanes + 1) * kWord> copy{};
    std::copy(in, in + n_bytes, copy.begin());
    ReadLane<kMode>(copy.data(), layout, n, lane, values);
  }

  std::byte const* Take(std::size_t n_bytes) {
    if (n_bytes > packed_.size() - at_) FailPacked(packed_.size(), n_);
    at_ += n_bytes;
    return packed_.data() + (at_ - n_bytes);
  }

  Span<std::byte const> packed_;
  std::size_t n_;
  std::size_t at_ = 0;
};

template <UnpackMode kMode>
void Unpack(Span<std::byte const> packed, Span<std::int64_t> values) {
  Reader reader(packed, values.size());
  for (std::size_t begin = 0; begin < values.size(); begin += kBlock) {
    reader.Block<kMode>(std::min(kBlock, values.size() - begin), values.data() + begin);
  }
  reader.End();
}

}  // namespace

std::size_t PackIntegers(Span<std::int64_t const> values, Span<std::byte> room) {
  auto* out = room.data();
  for (std::size_t begin = 0; begin < values.size(); begin += kBlock) {
    auto const n = std::min(kBlock, values.size() - begin);
    auto const* block = values.data() + begin;
    std::array<Layout, kLanes> layouts;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      layouts[lane] = LayoutOf(block, n, lane);
      *out++ = static_cast<std::byte>(layouts[lane].shift);
      *out++ = static_cast<std::byte>(layouts[lane].width);
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) out = WriteLane(block, n, lane, layouts[lane], out);
  }
  return static_cast<std::size_t>(out - room.data());
}

void UnpackIntegers(Span<std::byte const> packed, UnpackMode mode, Span<std::int64_t> values) {
  mode == UnpackMode::kAdd ? Unpack<UnpackMode::kAdd>(packed, values) : Unpack<UnpackMode::kReplace>(packed, values);
}

}  // namespace kauri
