#include "tree/hist_vector/vector_adder.h"

#include <array>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/hist_vector/vector_adder.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kauri {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t kPrefetchRows = 12;
constexpr std::int64_t kLine = 64;
constexpr std::uint32_t kUsedBits = 64;

/// Prefetches `bytes` bytes starting at `first`.
HWY_INLINE void PrefetchBytes(void const* first, std::int64_t bytes) {
  auto const* line = static_cast<char const*>(first);
  for (std::int64_t i = 0; i < bytes; i += kLine) __builtin_prefetch(line + i);
}

/// The integers of one row, widened to the type of sums. kWidth: their number, or 0 if it is known at run time only.
template <int kWidth>
class WideRow {
 public:
  explicit WideRow(std::int64_t) {}
  static constexpr std::int64_t Width() { return kWidth; }
  std::int64_t* Values() { return values_.data(); }

 private:
  alignas(64) std::array<std::int64_t, kWidth> values_;
};
template <>
class WideRow<0> {
 public:
  explicit WideRow(std::int64_t width) : values_(static_cast<std::size_t>(width)) {}
  std::int64_t Width() const { return static_cast<std::int64_t>(values_.size()); }
  std::int64_t* Values() { return values_.data(); }

 private:
  std::vector<std::int64_t> values_;
};

/// Vector tag that divides a row of the given width into whole vectors.
template <int kWidth>
using SumTag = hn::CappedTag<std::int64_t, kWidth == 4 ? 4 : 8>;

template <int kWidth>
HWY_INLINE void Widen(std::int32_t const* values, WideRow<kWidth>* row) {
  SumTag<kWidth> const d;
  hn::Rebind<std::int32_t, SumTag<kWidth>> const narrow;
  for (std::int64_t i = 0; i < row->Width(); i += static_cast<std::int64_t>(hn::Lanes(d))) {
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(narrow, values + i)), d, row->Values() + i);
  }
}

template <int kWidth>
HWY_INLINE void AddTo(WideRow<kWidth>* row, std::int64_t* cell) {
  SumTag<kWidth> const d;
  for (std::int64_t i = 0; i < row->Width(); i += static_cast<std::int64_t>(hn::Lanes(d))) {
    hn::StoreU(hn::Add(hn::LoadU(d, cell + i), hn::LoadU(d, row->Values() + i)), d, cell + i);
  }
}

template <int kWidth, typename Code>
void AddDense(BinCodes<Code> const& codes, GradientTableView const& table, RowSlice slice, Span<VectorSlot const> slots,
              std::int64_t* histogram) {
  WideRow<kWidth> wide(table.stride);
  auto const first = slots[0].column;
  auto const code_bytes = static_cast<std::int64_t>((slots[slots.size() - 1].column - first + 1) * sizeof(Code));
  auto const value_bytes = table.stride * static_cast<std::int64_t>(sizeof(std::int32_t));
  auto const stride = static_cast<std::uint64_t>(wide.Width());
  auto const* const slot_end = slots.data() + slots.size();
  for (auto i = slice.begin; i < slice.end; ++i) {
    auto const row = slice.rows == nullptr ? i : static_cast<std::int64_t>(slice.rows[i]);
    if (slice.rows != nullptr && i + kPrefetchRows < slice.end) {
      auto const later = static_cast<std::int64_t>(slice.rows[i + kPrefetchRows]);
      PrefetchBytes(table.values.data() + later * table.stride, value_bytes);
      PrefetchBytes(codes.rows.data() + later * codes.row_stride + first, code_bytes);
    }
    Widen(table.values.data() + row * table.stride, &wide);
    auto const* row_codes = codes.rows.data() + row * codes.row_stride;
    for (auto const* slot = slots.data(); slot != slot_end; ++slot) {
      AddTo(&wide, histogram + slot->first_sum + row_codes[slot->column] * stride);
    }
  }
}

template <int kWidth>
void AddSparse(BinEntries const& entries, GradientTableView const& table, RowSlice slice, std::int64_t* histogram) {
  WideRow<kWidth> wide(table.stride);
  auto const value_bytes = table.stride * static_cast<std::int64_t>(sizeof(std::int32_t));
  auto const stride = static_cast<std::uint64_t>(wide.Width());
  auto const* row_ptr = entries.row_ptr.data();
  for (auto i = slice.begin; i < slice.end; ++i) {
    auto const row = slice.rows == nullptr ? i : static_cast<std::int64_t>(slice.rows[i]);
    if (slice.rows != nullptr && i + kPrefetchRows < slice.end) {
      __builtin_prefetch(row_ptr + slice.rows[i + kPrefetchRows]);
      auto const later = static_cast<std::int64_t>(slice.rows[i + kPrefetchRows / 2]);
      PrefetchBytes(table.values.data() + later * table.stride, value_bytes);
      __builtin_prefetch(entries.cells.data() + row_ptr[later]);
    }
    Widen(table.values.data() + row * table.stride, &wide);
    for (auto entry = row_ptr[row]; entry < row_ptr[row + 1]; ++entry) {
      AddTo(&wide, histogram + entries.cells[entry] * stride);
    }
  }
}

/// Calls fn(width) with the stride as a compile-time constant where that pays, and 0 otherwise.
template <typename Fn>
void WithWidth(std::int64_t stride, Fn&& fn) {
  switch (stride) {
    case 4:
      return fn(std::integral_constant<int, 4>());
    case 8:
      return fn(std::integral_constant<int, 8>());
    case 16:
      return fn(std::integral_constant<int, 16>());
    case 24:
      return fn(std::integral_constant<int, 24>());
    case 32:
      return fn(std::integral_constant<int, 32>());
    default:
      return fn(std::integral_constant<int, 0>());
  }
}

void AddRowsOfSlots(BinMatrix const& bins, GradientTableView const& table, RowSlice slice, Span<VectorSlot const> slots,
                    std::int64_t* histogram) {
  if (slots.empty()) return;
  WithWidth(table.stride, [&](auto width) {
    if (bins.HasBundles()) {
      AddDense<width>(bins.Bundled().codes, table, slice, slots, histogram);
    } else if (bins.HasByteCodes()) {
      AddDense<width>(bins.Bytes(), table, slice, slots, histogram);
    } else {
      AddDense<width>(bins.Words(), table, slice, slots, histogram);
    }
  });
}

void AddSparseRows(BinMatrix const& bins, GradientTableView const& table, RowSlice slice, std::int64_t* histogram) {
  WithWidth(table.stride, [&](auto width) { AddSparse<width>(bins.Entries(), table, slice, histogram); });
}

template <int kWidth, typename Code>
void AddGathered(Code const* codes, GatheredRows const& rows, std::int64_t* cells, std::uint64_t* used) {
  SumTag<kWidth> const d;
  hn::Rebind<std::int32_t, SumTag<kWidth>> const narrow;
  auto const width = kWidth == 0 ? rows.stride : kWidth;
  auto const n_rows = static_cast<std::int64_t>(rows.places.size());
  for (std::int64_t row = 0; row < n_rows; ++row) {
    std::uint32_t const code = codes[rows.places[row]];
    auto const* values = rows.values.data() + row * width;
    auto* const cell = cells + code * width;
    used[code / kUsedBits] |= std::uint64_t{1} << (code % kUsedBits);
    for (std::int64_t i = 0; i < width; i += static_cast<std::int64_t>(hn::Lanes(d))) {
      auto const more = hn::PromoteTo(d, hn::LoadU(narrow, values + i));
      hn::StoreU(hn::Add(hn::LoadU(d, cell + i), more), d, cell + i);
    }
  }
}

void AddGatheredRows(BinMatrix const& bins, std::uint32_t feature, GatheredRows const& rows, std::int64_t* cells,
                     std::uint64_t* used) {
  WithWidth(rows.stride, [&](auto width) {
    if (bins.HasByteCodes()) {
      AddGathered<width>(bins.Bytes().rows.data() + feature, rows, cells, used);
    } else {
      AddGathered<width>(bins.Words().rows.data() + feature, rows, cells, used);
    }
  });
}

template <int kWidth>
std::size_t CollectUsedOf(std::int64_t const* cells, std::int64_t stride, std::uint32_t n_cells,
                          std::uint32_t* numbers) {
  SumTag<kWidth> const d;
  auto const width = kWidth == 0 ? stride : kWidth;
  std::size_t count = 0;
  for (std::uint32_t cell = 0; cell < n_cells; ++cell, cells += width) {
    auto any = hn::LoadU(d, cells);
    for (auto i = static_cast<std::int64_t>(hn::Lanes(d)); i < width; i += static_cast<std::int64_t>(hn::Lanes(d))) {
      any = hn::Or(any, hn::LoadU(d, cells + i));
    }
    numbers[count] = cell;
    count += static_cast<std::size_t>(!hn::AllTrue(d, hn::Eq(any, hn::Zero(d))));
  }
  return count;
}

std::size_t CollectUsed(std::int64_t const* cells, std::int64_t stride, std::uint32_t n_cells, std::uint32_t* numbers) {
  std::size_t count = 0;
  WithWidth(stride, [&](auto width) { count = CollectUsedOf<width>(cells, stride, n_cells, numbers); });
  return count;
}

template <int kWidth>
void AddCellsOf(std::int64_t const* cells, std::int64_t stride, Span<std::uint32_t const> numbers, std::int64_t* sums) {
  SumTag<kWidth> const d;
  auto const width = kWidth == 0 ? stride : kWidth;
  for (std::int64_t i = 0; i < width; i += static_cast<std::int64_t>(hn::Lanes(d))) {
    auto sum = hn::LoadU(d, sums + i);
    for (auto const number : numbers) sum = hn::Add(sum, hn::LoadU(d, cells + number * width + i));
    hn::StoreU(sum, d, sums + i);
  }
}

void AddCells(std::int64_t const* cells, std::int64_t stride, Span<std::uint32_t const> numbers, std::int64_t* sums) {
  WithWidth(stride, [&](auto width) { AddCellsOf<width>(cells, stride, numbers, sums); });
}

template <int kWidth>
void WipeCellsOf(std::int64_t stride, Span<std::uint32_t const> numbers, std::int64_t* cells) {
  SumTag<kWidth> const d;
  auto const width = kWidth == 0 ? stride : kWidth;
  for (auto const number : numbers) {
    for (std::int64_t i = 0; i < width; i += static_cast<std::int64_t>(hn::Lanes(d))) {
      hn::StoreU(hn::Zero(d), d, cells + number * width + i);
    }
  }
}

void WipeCells(std::int64_t stride, Span<std::uint32_t const> numbers, std::int64_t* cells) {
  WithWidth(stride, [&](auto width) { WipeCellsOf<width>(stride, numbers, cells); });
}

void AddSums(std::int64_t const* other, std::size_t n, std::int64_t* to) {
  SumTag<8> const d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    hn::StoreU(hn::Add(hn::LoadU(d, to + i), hn::LoadU(d, other + i)), d, to + i);
  }
  for (; i < n; ++i) to[i] += other[i];
}

void SubtractSums(std::int64_t const* other, std::size_t n, std::int64_t* to) {
  SumTag<8> const d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    hn::StoreU(hn::Sub(hn::LoadU(d, to + i), hn::LoadU(d, other + i)), d, to + i);
  }
  for (; i < n; ++i) to[i] -= other[i];
}

}  // namespace HWY_NAMESPACE
}  // namespace kauri
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kauri {

HWY_EXPORT(AddRowsOfSlots);
HWY_EXPORT(AddSparseRows);
HWY_EXPORT(AddGatheredRows);
HWY_EXPORT(CollectUsed);
HWY_EXPORT(AddCells);
HWY_EXPORT(WipeCells);
HWY_EXPORT(AddSums);
HWY_EXPORT(SubtractSums);

void AddRowsOfSlots(BinMatrix const& bins, GradientTableView const& table, RowSlice slice, Span<VectorSlot const> slots,
                    std::int64_t* histogram) {
  HWY_DYNAMIC_DISPATCH(AddRowsOfSlots)(bins, table, slice, slots, histogram);
}

void AddSparseRows(BinMatrix const& bins, GradientTableView const& table, RowSlice slice, std::int64_t* histogram) {
  HWY_DYNAMIC_DISPATCH(AddSparseRows)(bins, table, slice, histogram);
}

void AddGatheredRows(BinMatrix const& bins, std::uint32_t feature, GatheredRows const& rows, std::int64_t* cells,
                     std::uint64_t* used) {
  HWY_DYNAMIC_DISPATCH(AddGatheredRows)(bins, feature, rows, cells, used);
}

std::size_t CollectUsed(std::int64_t const* cells, std::int64_t stride, std::uint32_t n_cells, std::uint32_t* numbers) {
  return HWY_DYNAMIC_DISPATCH(CollectUsed)(cells, stride, n_cells, numbers);
}

void AddCells(std::int64_t const* cells, std::int64_t stride, Span<std::uint32_t const> numbers, std::int64_t* sums) {
  HWY_DYNAMIC_DISPATCH(AddCells)(cells, stride, numbers, sums);
}

void WipeCells(std::int64_t stride, Span<std::uint32_t const> numbers, std::int64_t* cells) {
  HWY_DYNAMIC_DISPATCH(WipeCells)(stride, numbers, cells);
}

void AddSums(std::int64_t const* other, std::size_t n, std::int64_t* to) {
  HWY_DYNAMIC_DISPATCH(AddSums)(other, n, to);
}

void SubtractSums(std::int64_t const* other, std::size_t n, std::int64_t* to) {
  HWY_DYNAMIC_DISPATCH(SubtractSums)(other, n, to);
}

}  // namespace kauri
#endif  // HWY_ONCE
