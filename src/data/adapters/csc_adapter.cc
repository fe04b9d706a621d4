/// Entries are sorted by runs of rows: a counting sort by run writes a few streams instead of a cache line per entry,
/// and a second sort by row stays within the cache. Both are stable, so features ascend within a row.
#include "data/adapters/csc_adapter.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "common/large_memory.h"
#include "common/threads/parallel_for.h"
#include "data/arrays/array_dispatch.h"
#include "data/arrays/compressed.h"
#include "data/arrays/value_rules.h"

namespace kauri {
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
