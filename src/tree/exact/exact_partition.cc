#include <algorithm>
#include <cstring>

#include "tree/exact/exact_columns.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/exact/exact_partition.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "common/compress_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t kBlock = 64;
constexpr std::int64_t kEntriesPerLine = 8;  // cache line
constexpr std::int64_t kAhead = 256;         // entries between prefetch and use

/// Returns an entry as one word: the new position in its lower half, the value in its upper half.
std::uint64_t Renumbered(ColumnEntry const& entry, std::uint32_t const* new_position) {
  std::uint64_t word;
  std::memcpy(&word, &entry, sizeof(word));
  return (word & ~std::uint64_t{0xFFFFFFFFU}) | new_position[static_cast<std::uint32_t>(word)];
}

void StoreWord(std::uint64_t word, ColumnEntry* entry) { std::memcpy(entry, &word, sizeof(word)); }

/// The write positions of the two streams.
struct Streams {
  ColumnEntry* left;
  ColumnEntry* right;
};

#if HWY_TARGET == HWY_SCALAR

std::int64_t PartitionBlocks(ColumnEntry const*, std::int64_t, std::uint32_t const*, std::uint32_t, Streams*) {
  return 0;
}

#else

/// Partitions whole blocks of the entries and returns the number of their entries. The positions of a block are first
/// looked up one by one into a small array, which is faster than a gather instruction. Whole vectors are stored; excess
/// lanes are overwritten by the next vector, and never reach unread entries.
std::int64_t PartitionBlocks(ColumnEntry const* entries, std::int64_t count, std::uint32_t const* new_position,
                             std::uint32_t middle, Streams* to) {
  hn::CappedTag<std::uint64_t, 8> const d;
  // Lanes move as pairs of halves: compressing 32-bit lanes is one instruction with AVX-512, and a short table without
  // it.
  hn::Repartition<std::uint32_t, decltype(d)> const dh;
  hn::Rebind<std::uint32_t, decltype(d)> const narrow;
  auto const lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto const values = hn::Set(d, ~std::uint64_t{0xFFFFFFFFU});
  auto const first_right = hn::Set(dh, middle);
  auto const* words = reinterpret_cast<std::uint64_t const*>(entries);
  auto* left = reinterpret_cast<std::uint32_t*>(to->left);
  auto* right = reinterpret_cast<std::uint32_t*>(to->right);
  HWY_ALIGN std::uint32_t positions[kBlock];
  auto const n_blocks = count / kBlock;
  for (std::int64_t block = 0; block < n_blocks; ++block, words += kBlock) {
    for (std::int64_t i = 0; i < kBlock; i += kEntriesPerLine) hwy::Prefetch(words + kAhead + i);
    for (std::int64_t i = 0; i < kBlock; ++i) positions[i] = new_position[static_cast<std::uint32_t>(words[i])];
    for (std::int64_t i = 0; i < kBlock; i += lanes) {
      auto const position = hn::PromoteTo(d, hn::Load(narrow, positions + i));
      auto const moved = hn::BitCast(dh, hn::Or(hn::And(hn::LoadU(d, words + i), values), position));
      auto const goes_left = hn::Lt(hn::BitCast(dh, hn::Or(position, hn::ShiftLeft<32>(position))), first_right);
      auto const n_left = SplitLanes(dh, moved, goes_left, left, right);
      left += n_left;
      right += 2 * lanes - n_left;
    }
  }
  *to = {reinterpret_cast<ColumnEntry*>(left), reinterpret_cast<ColumnEntry*>(right)};
  return n_blocks * kBlock;
}

#endif  // HWY_TARGET == HWY_SCALAR

std::int64_t PartitionEntries(ColumnEntry const* entries, std::int64_t count, std::uint32_t const* new_position,
                              std::uint32_t middle, ColumnEntry* buffer, ColumnEntry* out) {
  Streams to{out, buffer};
  for (auto i = PartitionBlocks(entries, count, new_position, middle, &to); i < count; ++i) {
    // Branch-free: both streams are written, but only one advances.
    auto const moved = Renumbered(entries[i], new_position);
    StoreWord(moved, to.left);
    StoreWord(moved, to.right);
    auto const goes_left = static_cast<std::uint32_t>(moved) < middle ? 1 : 0;
    to.left += goes_left;
    to.right += 1 - goes_left;
  }
  std::copy(buffer, to.right, to.left);
  return to.left - out;
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(PartitionEntries);

std::int64_t PartitionEntries(ColumnEntry const* entries, std::int64_t count, std::uint32_t const* new_position,
                              std::uint32_t middle, ColumnEntry* buffer, ColumnEntry* out) {
  return HWY_DYNAMIC_DISPATCH(PartitionEntries)(entries, count, new_position, middle, buffer, out);
}

std::int64_t SelectEntries(ColumnEntry const* entries, std::int64_t count, std::uint32_t const* new_position,
                           std::uint32_t first, std::uint32_t end, ColumnEntry* out) {
  std::int64_t n_kept = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    ColumnEntry const moved{new_position[entries[i].row], entries[i].value};
    out[n_kept] = moved;
    n_kept += moved.row - first < end - first ? 1 : 0;
  }
  return n_kept;
}

}  // namespace kauri
#endif  // HWY_ONCE
