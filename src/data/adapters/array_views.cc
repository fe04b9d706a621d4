#include "data/adapters/array_views.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/large_memory.h"
#include "common/threads/parallel_for.h"
#include "data/arrays/array_dispatch.h"
#include "data/arrays/compressed.h"
#include "data/arrays/value_rules.h"
#include "data/matrix_view.h"
#include "kauri/data_matrix.h"

namespace kauri {
namespace {

/// Copies n floats unchanged and returns whether one of them is infinite. 16 threads took twice as long for
/// ConvertValues as for a plain copy, so pieces for the first-level cache are copied and then looked at.
bool CopyUnchanged(void const* from, std::int64_t n, float* to) {
  constexpr std::int64_t kPiece = 4096;
  std::uint32_t infinite = 0;
  for (std::int64_t begin = 0; begin < n; begin += kPiece) {
    auto const size = std::min(kPiece, n - begin);
    std::memcpy(to + begin, static_cast<float const*>(from) + begin, static_cast<std::size_t>(size) * sizeof(float));
    for (std::int64_t i = begin; i < begin + size; ++i) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, to + i, sizeof(bits));
      infinite |= static_cast<std::uint32_t>((bits & 0x7FFFFFFFU) == 0x7F800000U);
    }
  }
  return infinite != 0;
}

/// Rows that are converted on demand.
template <typename T>
class StridedView : public DataView {
 public:
  StridedView(ArrayView const& array, ValueRules const& rules) : array_(array), rules_(rules) {}
  std::int64_t NumRows() const override { return array_.shape[0]; }
  std::int64_t NumCols() const override { return array_.shape[1]; }

  void CopyRows(std::int64_t begin, std::int64_t end, std::int64_t n_cols, float* tile) const override {
    if (n_cols == NumCols() && ContiguousData<T>(array_) != nullptr) return CopyStrip(begin, end, tile);
    auto const n_shared = std::min(n_cols, NumCols());
    for (auto row = begin; row < end; ++row, tile += n_cols) {
      auto const infinite =
          ConvertValues<T>(ElementAddress(array_, row, 0), array_.strides[1], n_shared, rules_.missing, tile);
      if (infinite && rules_.infinities != Infinities::kTaken) FailAtInfinite(tile, row, 1, n_shared);
      std::fill(tile + n_shared, tile + n_cols, kMissingValue);
      if (rules_.infinities == Infinities::kRefusedWhenRead) RefuseInfinite(row, n_shared);
    }
  }

 private:
  /// Refuses infinite values in columns that the reader does not take.
  void RefuseInfinite(std::int64_t row, std::int64_t first_col) const {
    for (auto col = first_col; col < NumCols(); ++col) {
      auto const value = static_cast<float>(LoadElement<T>(ElementAddress(array_, row, col)));
      if (std::isinf(value) && value != rules_.missing) FailInfinite(row, col, value);
    }
  }

  /// Copies whole rows that lie one after the other.
  void CopyStrip(std::int64_t begin, std::int64_t end, float* tile) const {
    auto const n_cols = NumCols();
    auto const* const from = ElementAddress(array_, begin, 0);
    auto const n_values = (end - begin) * n_cols;
    auto const stays = std::is_same_v<T, float> && std::isnan(rules_.missing);
    auto const infinite =
        stays ? CopyUnchanged(from, n_values, tile) : ConvertValues<T>(from, sizeof(T), n_values, rules_.missing, tile);
    if (infinite && rules_.infinities != Infinities::kTaken) FailAtInfinite(tile, begin, end - begin, n_cols);
  }

  ArrayView array_;
  ValueRules rules_;
};

}  // namespace

std::unique_ptr<DataView> MakeDenseView(ArrayView const& array, float missing, Context const& ctx) {
  return MakeDenseView(array, {missing, Infinities::kRefused}, ctx);
}

std::unique_ptr<DataView> MakeDenseView(ArrayView const& array, ValueRules const& rules, Context const& ctx) {
  auto const* values = array.dtype == DType::kF32 && std::isnan(rules.missing) ? ContiguousData<float>(array) : nullptr;
  if (values != nullptr && rules.infinities != Infinities::kRefusedWhenRead) {
    if (rules.infinities == Infinities::kRefused) CountFinite(ctx, values, array.shape[0], array.shape[1]);
    return MakeRowsView(values, array.shape[0], array.shape[1]);
  }
  return DispatchDType(array.dtype, [&](auto tag) -> std::unique_ptr<DataView> {
    return std::make_unique<StridedView<decltype(tag)>>(array, rules);
  });
}

namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 10;

/// V is the element type of the values.
template <typename V>
class CsrArrayView : public EntryView<CsrArrayView<V>> {
 public:
  CsrArrayView(CompressedArrays csr, CompressedValues values, ValueRules const& rules)
      : csr_(std::move(csr)), values_(std::move(values)), rules_(rules) {}
  std::int64_t NumRows() const override { return static_cast<std::int64_t>(csr_.offsets.size()) - 1; }
  std::int64_t NumCols() const override { return csr_.n_minor; }

  CsrStorage CopyCsr(Context const& ctx) const override {
    CsrStorage out;
    out.row_ptr.resize(csr_.offsets.size());
    ParallelForBlocks(ctx, NumRows(), kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      for (auto row = begin; row < end; ++row) {
        std::int64_t count = 0;
        ForEachEntry(row, [&](std::uint32_t, float) { ++count; });
        out.row_ptr[row + 1] = count;
      }
    });
    for (std::size_t i = 1; i < out.row_ptr.size(); ++i) out.row_ptr[i] += out.row_ptr[i - 1];
    ResizeLarge(ctx, &out.features, static_cast<std::size_t>(out.row_ptr.back()));
    ResizeLarge(ctx, &out.values, out.features.size());
    ParallelForBlocks(ctx, NumRows(), kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      auto next = static_cast<std::size_t>(out.row_ptr[begin]);
      for (auto row = begin; row < end; ++row) {
        ForEachEntry(row, [&](std::uint32_t feature, float value) {
          out.features[next] = feature;
          out.values[next++] = value;
        });
      }
    });
    return out;
  }

  /// See EntryView.
  template <typename Fn>
  void ForEachEntry(std::int64_t row, Fn&& fn) const {
    auto const index = static_cast<std::size_t>(row);
    for (auto entry = csr_.offsets[index]; entry < csr_.offsets[index + 1]; ++entry) {
      auto const value = static_cast<float>(LoadElement<V>(ElementAddress(values_.view, entry, 0)));
      if (value == rules_.missing || std::isnan(value)) continue;
      if (std::isinf(value) && rules_.infinities != Infinities::kTaken) FailInfinite(row, csr_.indices[entry], value);
      fn(csr_.indices[entry], value);
    }
  }

 private:
  CompressedArrays csr_;
  CompressedValues values_;
  ValueRules rules_;
};

}  // namespace

std::unique_ptr<DataView> MakeCsrView(ArrayView const& indptr, ArrayView const& indices, ArrayView const& values,
                                      std::int64_t n_cols, float missing, Context const& ctx) {
  return MakeCsrView(indptr, indices, values, n_cols, {missing, Infinities::kRefused}, ctx);
}

std::unique_ptr<DataView> MakeCsrView(ArrayView const& indptr, ArrayView const& indices, ArrayView const& values,
                                      std::int64_t n_cols, ValueRules const& rules, Context const& ctx) {
  if (values.shape[1] != 1) Fail(ErrorKind::kData, "CSR values must be a vector.");
  auto csr = ReadCompressed(ctx, {"CSR", "row", "column"}, indptr, indices, values.Size(), n_cols);
  auto sums = SumRepeated(ctx, values, &csr);
  return DispatchDType(values.dtype, [&](auto tag) -> std::unique_ptr<DataView> {
    return std::make_unique<CsrArrayView<decltype(tag)>>(std::move(csr), std::move(sums), rules);
  });
}

// Entries are sorted by runs of rows: a counting sort by run writes a few streams instead of a cache line per entry,
// and a second sort by row stays within the cache. Both are stable, so features ascend within a row.

namespace {

constexpr std::int64_t kEntriesPerBlock = 1 << 17;
constexpr std::int64_t kEntriesPerRun = 1 << 15;
constexpr std::int64_t kMaxRuns = 256;  // number of cache lines for which the first-level cache can combine writes

class Transposition {
 public:
  Transposition(Context const& ctx, CompressedArrays const& csc, ArrayView const& values, float missing)
      : ctx_(ctx),
        csc_(csc),
        values_(values),
        missing_(missing),
        first_(csc.offsets.front()),
        n_entries_(csc.offsets.back() - first_) {
    auto const n_runs = std::clamp<std::int64_t>(n_entries_ / kEntriesPerRun, 1, kMaxRuns);
    while (NumRuns() > n_runs) ++run_bits_;
  }

  CsrStorage Run() {
    csr_.row_ptr.assign(ToSize(csc_.n_minor) + 1, 0);
    DispatchDType(values_.dtype, [&](auto tag) {
      CountRuns<decltype(tag)>();
      ResizeLarge(&csr_.features, ToSize(run_begin_.back()));
      ResizeLarge(&csr_.values, ToSize(run_begin_.back()));
      ResizeLarge(&rows_, ToSize(run_begin_.back()));
      SortByRun<decltype(tag)>();
    });
    ParallelFor(ctx_, NumRuns(), [&](std::int64_t run) { SortRun(run); });
    return std::move(csr_);
  }

 private:
  std::int64_t NumRuns() const { return (csc_.n_minor >> run_bits_) + 1; }
  std::int64_t RunOf(std::uint32_t row) const { return row >> run_bits_; }

  /// Calls fn(row, column, value) for the present entries [begin, end), counted from the first entry.
  template <typename T, typename Fn>
  void ForEachEntry(std::int64_t begin, std::int64_t end, Fn&& fn) const {
    auto const& offsets = csc_.offsets;
    auto column = std::upper_bound(offsets.begin(), offsets.end(), first_ + begin) - offsets.begin() - 1;
    for (auto entry = first_ + begin; entry < first_ + end; ++entry) {
      while (entry == offsets[column + 1]) ++column;
      auto const value = static_cast<float>(LoadElement<T>(ElementAddress(values_, entry, 0)));
      if (value == missing_ || std::isnan(value)) continue;
      if (std::isinf(value)) FailInfinite(csc_.indices[entry], column, value);
      fn(csc_.indices[entry], static_cast<std::uint32_t>(column), value);
    }
  }

  /// Sets next_ to the target of each block's first entry of each run, and run_begin_ to the beginnings of the runs.
  template <typename T>
  void CountRuns() {
    auto const n_blocks = NumBlocks(n_entries_, kEntriesPerBlock);
    next_.assign(n_blocks * NumRuns(), 0);
    ParallelForBlocks(
        ctx_, n_entries_, kEntriesPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
          auto* counts = next_.data() + block * NumRuns();
          ForEachEntry<T>(begin, end, [&](std::uint32_t row, std::uint32_t, float) { ++counts[RunOf(row)]; });
        });
    std::int64_t sum = 0;
    for (std::int64_t run = 0; run < NumRuns(); ++run) {
      run_begin_.push_back(sum);
      for (std::int64_t block = 0; block < n_blocks; ++block) {
        sum += std::exchange(next_[block * NumRuns() + run], sum);
      }
    }
    run_begin_.push_back(sum);
  }

  template <typename T>
  void SortByRun() {
    ParallelForBlocks(ctx_, n_entries_, kEntriesPerBlock,
                      [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
                        auto* next = next_.data() + block * NumRuns();
                        ForEachEntry<T>(begin, end, [&](std::uint32_t row, std::uint32_t column, float value) {
                          auto const slot = ToSize(next[RunOf(row)]++);
                          rows_[slot] = row;
                          csr_.features[slot] = column;
                          csr_.values[slot] = value;
                        });
                      });
  }

  void SortRun(std::int64_t run) {
    auto const begin = run_begin_[run];
    auto const end = run_begin_[run + 1];
    auto const first_row = run << run_bits_;
    auto const last_row = std::min(csc_.n_minor, (run + 1) << run_bits_);
    std::vector<std::uint32_t> const features(csr_.features.begin() + begin, csr_.features.begin() + end);
    std::vector<float> const values(csr_.values.begin() + begin, csr_.values.begin() + end);
    std::vector<std::int64_t> next(ToSize(last_row - first_row) + 1, 0);
    for (auto i = begin; i < end; ++i) ++next[(rows_[i] - first_row) + 1];
    next[0] = begin;
    for (std::size_t row = 1; row < next.size(); ++row) {
      next[row] += next[row - 1];
      csr_.row_ptr[first_row + row] = next[row];
    }
    for (auto i = begin; i < end; ++i) {
      auto const slot = ToSize(next[rows_[i] - first_row]++);
      csr_.features[slot] = features[i - begin];
      csr_.values[slot] = values[i - begin];
    }
  }

  Context const& ctx_;
  CompressedArrays const& csc_;
  ArrayView const& values_;
  float missing_;
  std::int64_t first_;  ///< index of the first entry
  std::int64_t n_entries_;
  unsigned run_bits_ = 0;                ///< a run has 2^run_bits rows
  std::vector<std::int64_t> next_;       ///< [n_blocks, n_runs]
  std::vector<std::int64_t> run_begin_;  ///< [n_runs + 1], indices into the present entries
  std::vector<std::uint32_t> rows_;      ///< rows of the entries sorted by run
  CsrStorage csr_;
};

}  // namespace

std::unique_ptr<DataMatrix> MakeCscMatrix(Context const& ctx, ArrayView const& indptr, ArrayView const& indices,
                                          ArrayView const& values, std::int64_t n_rows, float missing) {
  if (values.shape[1] != 1) Fail(ErrorKind::kData, "CSC values must be a vector.");
  auto csc = ReadCompressed(ctx, {"CSC", "column", "row"}, indptr, indices, values.Size(), n_rows);
  auto const sums = SumRepeated(ctx, values, &csc);
  return DataMatrix::FromCsr(Transposition(ctx, csc, sums.view, missing).Run(),
                             static_cast<std::int64_t>(csc.offsets.size()) - 1, ctx);
}

}  // namespace kauri
