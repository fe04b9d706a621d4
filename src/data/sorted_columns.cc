#include "data/sorted_columns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "common/threads/parallel_for.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::size_t kSmallColumn = 1024;  // below it the radix sort's tables cost more than std::sort
constexpr std::int64_t kColumnGroups = 64;  // tasks of the transposition of sparse rows
constexpr int kDigitBits = 11;
constexpr int kDigits = 3;
constexpr std::size_t kBuckets = std::size_t{1} << kDigitBits;

/// Value and row in one integer that sorts like the pair.
using Key = std::uint64_t;

Key MakeKey(float value, std::int64_t row) {
  std::uint32_t bits;
  float const canonical = value + 0.0F;  // -0 becomes 0
  std::memcpy(&bits, &canonical, sizeof(bits));
  bits = (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
  return (Key{bits} << 32U) | static_cast<std::uint32_t>(row);
}

ColumnEntry EntryOf(Key key) {
  auto bits = static_cast<std::uint32_t>(key >> 32U);
  bits = (bits & 0x80000000U) != 0 ? bits & 0x7FFFFFFFU : ~bits;
  ColumnEntry entry{static_cast<std::uint32_t>(key), 0.0F};
  std::memcpy(&entry.value, &bits, sizeof(bits));
  return entry;
}

/// Sorts keys whose rows ascend already: a stable radix sort over the value's bits only, least significant digit first.
class ColumnSorter {
 public:
  void Sort(Span<ColumnEntry> column) {
    keys_.resize(column.size());
    std::transform(column.begin(), column.end(), keys_.begin(),
                   [](ColumnEntry entry) { return MakeKey(entry.value, entry.row); });
    if (keys_.size() < kSmallColumn) {
      std::sort(keys_.begin(), keys_.end());
    } else {
      RadixSort();
    }
    std::transform(keys_.begin(), keys_.end(), column.begin(), EntryOf);
  }

 private:
  static std::size_t DigitOf(Key key, int digit) {
    return static_cast<std::size_t>(key >> (32 + digit * kDigitBits)) & (kBuckets - 1);
  }

  void RadixSort() {
    other_.resize(keys_.size());
    for (auto& counts : counts_) counts.fill(0);
    for (auto const key : keys_) {
      for (int digit = 0; digit < kDigits; ++digit) ++counts_[digit][DigitOf(key, digit)];
    }
    for (int digit = 0; digit < kDigits; ++digit) {
      auto& counts = counts_[digit];
      if (counts[DigitOf(keys_[0], digit)] == keys_.size()) continue;  // all keys share this digit
      std::size_t begin = 0;
      for (auto& count : counts) begin += std::exchange(count, begin);
      for (auto const key : keys_) other_[counts[DigitOf(key, digit)]++] = key;
      keys_.swap(other_);
    }
  }

  std::vector<Key> keys_;
  std::vector<Key> other_;
  std::array<std::array<std::size_t, kBuckets>, kDigits> counts_;
};

/// Calls fn(feature, row, value) for the present values of features [begin, end), rows ascending.
template <typename Fn>
void ForEachEntry(CsrStorage const& csr, std::uint32_t begin, std::uint32_t end, Fn&& fn) {
  for (std::size_t row = 0; row + 1 < csr.row_ptr.size(); ++row) {
    auto const row_end = csr.features.begin() + csr.row_ptr[row + 1];
    auto entry = std::lower_bound(csr.features.begin() + csr.row_ptr[row], row_end, begin);
    for (; entry != row_end && *entry < end; ++entry) {
      fn(*entry, row, csr.values[entry - csr.features.begin()]);
    }
  }
}

/// Calls fn(begin, end) for groups of features, in parallel.
template <typename Fn>
void ForEachColumnGroup(Context const& ctx, std::int64_t n_cols, Fn&& fn) {
  auto const group_size = std::max<std::int64_t>(1, NumBlocks(n_cols, kColumnGroups));
  ParallelForBlocks(ctx, n_cols, group_size, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    fn(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
  });
}

std::vector<std::int64_t> CountEntries(Context const& ctx, DataMatrix const& data) {
  auto const n_rows = static_cast<std::size_t>(data.NumRows());
  auto const n_cols = static_cast<std::size_t>(data.NumCols());
  std::vector<std::int64_t> counts(n_cols, 0);
  if (!data.HasMissing()) {
    counts.assign(n_cols, data.NumRows());
  } else if (data.IsDense()) {
    ParallelFor(ctx, data.NumCols(), [&](std::int64_t feature) {
      auto const* value = data.Dense().values.data() + feature;
      std::int64_t count = 0;
      for (std::size_t row = 0; row < n_rows; ++row) count += std::isnan(value[row * n_cols]) ? 0 : 1;
      counts[feature] = count;
    });
  } else {
    ForEachColumnGroup(ctx, data.NumCols(), [&](std::uint32_t begin, std::uint32_t end) {
      ForEachEntry(data.Csr(), begin, end, [&](std::uint32_t feature, std::size_t, float) { ++counts[feature]; });
    });
  }
  return counts;
}

/// Writes the entries of every column, rows ascending. Copies several columns together, because a cache line of a row
/// holds several of its values, and one block of rows at a time, which stays in the first-level cache.
void TransposeDense(Context const& ctx, DataMatrix const& data, std::vector<std::int64_t> const& column_ptr,
                    ColumnEntry* out) {
  constexpr std::int64_t kRowsPerBlock = 256;
  auto const n_cols = data.NumCols();
  auto const group = std::clamp<std::int64_t>(NumBlocks(n_cols, ctx.threads), 4, 16);
  ParallelForBlocks(ctx, n_cols, group, [&](std::int64_t first, std::int64_t last, std::int64_t) {
    std::vector<std::int64_t> cursor(column_ptr.begin() + first, column_ptr.begin() + last);
    for (std::int64_t begin = 0; begin < data.NumRows(); begin += kRowsPerBlock) {
      auto const end = std::min(begin + kRowsPerBlock, data.NumRows());
      for (auto feature = first; feature < last; ++feature) {
        auto const* value = data.Dense().values.data() + begin * n_cols + feature;
        auto* to = out + cursor[feature - first];
        for (auto row = begin; row < end; ++row, value += n_cols) {
          if (!std::isnan(*value)) *to++ = {static_cast<std::uint32_t>(row), *value};
        }
        cursor[feature - first] = to - out;
      }
    }
  });
}

void TransposeSparse(Context const& ctx, DataMatrix const& data, std::vector<std::int64_t> const& column_ptr,
                     ColumnEntry* out) {
  std::vector<std::int64_t> cursor(column_ptr.begin(), column_ptr.end() - 1);
  ForEachColumnGroup(ctx, data.NumCols(), [&](std::uint32_t begin, std::uint32_t end) {
    ForEachEntry(data.Csr(), begin, end, [&](std::uint32_t feature, std::size_t row, float value) {
      out[cursor[feature]++] = {static_cast<std::uint32_t>(row), value};
    });
  });
}

void SortEach(Context const& ctx, std::vector<std::int64_t> const& column_ptr, ColumnEntry* entries) {
  std::vector<ColumnSorter> sorters(ctx.threads);
  ParallelFor(ctx, static_cast<std::int64_t>(column_ptr.size()) - 1, [&](std::int64_t feature) {
    auto const begin = column_ptr[feature];
    auto const end = column_ptr[feature + 1];
    sorters[ThreadIndex()].Sort({entries + begin, static_cast<std::size_t>(end - begin)});
  });
}

}  // namespace

SortedColumns::SortedColumns(Context const& ctx, DataMatrix const& data) : n_rows_(data.NumRows()) {
  if (n_rows_ >= 0xFFFFFFFFLL) {
    Fail(ErrorKind::kData, "the exact method was given ", n_rows_, " rows; it takes fewer than 4294967295. Use hist.");
  }
  auto const counts = CountEntries(ctx, data);
  column_ptr_.assign(1, 0);
  for (auto const count : counts) column_ptr_.push_back(column_ptr_.back() + count);
  entries_.reset(new ColumnEntry[NumEntries()]);
  auto const transpose = data.IsDense() ? TransposeDense : TransposeSparse;
  transpose(ctx, data, column_ptr_, entries_.get());
  SortEach(ctx, column_ptr_, entries_.get());
}

Span<ColumnEntry const> SortedColumns::Column(std::int64_t feature) const {
  auto const begin = column_ptr_[feature];
  auto const end = column_ptr_[feature + 1];
  return {entries_.get() + begin, static_cast<std::size_t>(end - begin)};
}

bool SortedColumns::IsComplete(std::int64_t feature) const {
  return Column(feature).size() == static_cast<std::size_t>(n_rows_);
}

bool SortedColumns::IsConstant(std::int64_t feature) const {
  auto const column = Column(feature);
  return !column.empty() && column[0].value == column[column.size() - 1].value;
}

}  // namespace kauri
