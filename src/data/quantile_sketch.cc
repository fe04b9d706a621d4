#include "data/quantile_sketch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "common/parallel_for.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 12;
constexpr std::int64_t kColumnsPerGroup = 16;  // of float32: one cache line of a row
constexpr std::uint32_t kByteCodes = 256;
constexpr double kLargest = std::numeric_limits<float>::max();
constexpr double kBoundGap = 1e-5;  // XGBoost's distance of the outer bounds from the data

/// Unsigned integers in the order of the floats; both zeros become one.
std::uint32_t ToKey(float value) {
  value += 0.0F;
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return (bits >> 31U) != 0U ? ~bits : bits | 0x80000000U;
}

float FromKey(std::uint32_t key) {
  auto const bits = (key >> 31U) != 0U ? key & 0x7FFFFFFFU : ~key;
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// Least significant digit first, 11 bits a digit; a digit that all keys share costs nothing.
void RadixSort(std::vector<std::uint32_t>* keys, std::vector<std::uint32_t>* scratch) {
  constexpr std::uint32_t kBits = 11;
  constexpr std::uint32_t kDigits = 1U << kBits;
  constexpr std::size_t kPasses = 3;
  if (keys->size() < kDigits) {
    std::sort(keys->begin(), keys->end());
    return;
  }
  std::array<std::array<std::uint32_t, kDigits>, kPasses> counts{};
  for (auto const key : *keys) {
    ++counts[0][key % kDigits];
    ++counts[1][(key >> kBits) % kDigits];
    ++counts[2][key >> (2 * kBits)];
  }
  scratch->resize(keys->size());
  for (std::size_t pass = 0; pass < kPasses; ++pass) {
    auto& count = counts[pass];
    if (std::any_of(count.begin(), count.end(), [&](std::uint32_t c) { return c == keys->size(); })) continue;
    std::exclusive_scan(count.begin(), count.end(), count.begin(), 0U);
    auto const shift = static_cast<std::uint32_t>(pass) * kBits;
    auto* out = scratch->data();
    for (auto const key : *keys) out[count[(key >> shift) % kDigits]++] = key;
    keys->swap(*scratch);
  }
}

struct FeatureCuts {
  std::vector<float> values;
  float min_value;
};

/// The distinct keys but the first, or nothing when there are more than max_bin.
bool DistinctCuts(std::vector<std::uint32_t> const& sorted, std::uint32_t max_bin, std::vector<float>* cuts) {
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] == sorted[i - 1]) continue;
    if (cuts->size() + 1 >= max_bin) {
      cuts->clear();
      return false;
    }
    cuts->push_back(FromKey(sorted[i]));
  }
  return true;
}

/// Step 4 of the file's head: each cut is the first value of the next bin.
void RankCuts(std::vector<std::uint32_t> const& sorted, std::uint32_t max_bin, std::vector<float>* cuts) {
  auto const end = sorted.end();
  auto start = sorted.begin();  // the first element of the bin that grows
  for (auto bins_left = max_bin; bins_left > 1; --bins_left) {
    auto const step = (end - start + bins_left / 2) / bins_left;  // to the nearest
    auto const target = start + std::max<std::ptrdiff_t>(1, step);
    if (target >= end) return;
    auto next = std::lower_bound(start, target, *target);
    if (next == start) next = std::upper_bound(target, end, *start);
    if (next == end) return;
    cuts->push_back(FromKey(*next));
    start = next;
  }
}

/// Both in float64, rounded once, as in XGBoost.
float UpperBound(float max_value) {
  auto const value = static_cast<double>(max_value);
  auto const bound = value + (std::fabs(value) + kBoundGap);
  return bound > kLargest ? std::numeric_limits<float>::infinity() : static_cast<float>(bound);
}
float LowerBound(float min_value) {
  auto const value = static_cast<double>(min_value);
  return static_cast<float>(std::max(value - (std::fabs(value) + kBoundGap), -kLargest));
}

FeatureCuts MakeFeatureCuts(std::vector<std::uint32_t>* keys, bool has_missing, std::uint32_t max_bin,
                            std::vector<std::uint32_t>* scratch) {
  if (keys->empty()) return {{UpperBound(0.0F)}, LowerBound(0.0F)};
  RadixSort(keys, scratch);
  FeatureCuts feature{{}, LowerBound(FromKey(keys->front()))};
  if (!DistinctCuts(*keys, max_bin, &feature.values)) {
    RankCuts(*keys, has_missing && max_bin == kByteCodes ? max_bin - 1 : max_bin, &feature.values);
  }
  feature.values.push_back(UpperBound(FromKey(keys->back())));
  return feature;
}

/// One per thread.
struct Scratch {
  std::vector<std::uint32_t> keys;
  std::vector<std::uint32_t> sort;
};

/// columns [n_columns, n_rows]: features [first, first + n_columns) of all rows, NaN where missing.
void CopyColumns(Context const& ctx, DataMatrix const& data, std::int64_t first, std::int64_t n_columns,
                 std::vector<float>* columns) {
  auto const n_rows = data.NumRows();
  auto const n_cols = data.NumCols();
  auto const* values = data.Dense().values.data() + first;
  columns->resize(static_cast<std::size_t>(n_rows * n_columns));
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = begin; row < end; ++row) {
      for (std::int64_t column = 0; column < n_columns; ++column) {
        (*columns)[static_cast<std::size_t>(column * n_rows + row)] = values[row * n_cols + column];
      }
    }
  });
}

std::vector<FeatureCuts> DenseCuts(Context const& ctx, DataMatrix const& data, std::uint32_t max_bin) {
  auto const n_rows = data.NumRows();
  auto const n_cols = data.NumCols();
  auto const group = NumBlocks(ctx.threads, kColumnsPerGroup) * kColumnsPerGroup;
  std::vector<FeatureCuts> cuts(static_cast<std::size_t>(n_cols));
  std::vector<Scratch> scratches(static_cast<std::size_t>(ctx.threads));
  std::vector<float> columns;
  for (std::int64_t first = 0; first < n_cols; first += group) {
    auto const n_columns = std::min(group, n_cols - first);
    CopyColumns(ctx, data, first, n_columns, &columns);
    ParallelFor(ctx, n_columns, [&](std::int64_t column) {
      auto& scratch = scratches[static_cast<std::size_t>(ThreadIndex())];
      scratch.keys.clear();
      auto const* values = columns.data() + column * n_rows;
      for (std::int64_t row = 0; row < n_rows; ++row) {
        if (!std::isnan(values[row])) scratch.keys.push_back(ToKey(values[row]));
      }
      auto const has_missing = static_cast<std::int64_t>(scratch.keys.size()) < n_rows;
      cuts[static_cast<std::size_t>(first + column)] =
          MakeFeatureCuts(&scratch.keys, has_missing, max_bin, &scratch.sort);
    });
  }
  return cuts;
}

/// The keys of each column, one column after the other: a counting sort of the entries by feature.
std::vector<std::uint32_t> KeysByColumn(CsrStorage const& csr, std::int64_t n_cols, std::vector<std::int64_t>* begin) {
  begin->assign(static_cast<std::size_t>(n_cols) + 1, 0);
  for (auto const feature : csr.features) ++(*begin)[feature + 1];
  std::partial_sum(begin->begin(), begin->end(), begin->begin());
  auto next = *begin;
  std::vector<std::uint32_t> keys(csr.values.size());
  for (std::size_t i = 0; i < csr.values.size(); ++i) {
    keys[static_cast<std::size_t>(next[csr.features[i]]++)] = ToKey(csr.values[i]);
  }
  return keys;
}

std::vector<FeatureCuts> SparseCuts(Context const& ctx, DataMatrix const& data, std::uint32_t max_bin) {
  constexpr std::int64_t kColumnsPerTask = 64;  // wide data have short columns
  std::vector<std::int64_t> begin;
  auto const keys = KeysByColumn(data.Csr(), data.NumCols(), &begin);
  std::vector<FeatureCuts> cuts(static_cast<std::size_t>(data.NumCols()));
  std::vector<Scratch> scratches(static_cast<std::size_t>(ctx.threads));
  ParallelForBlocks(ctx, data.NumCols(), kColumnsPerTask, [&](std::int64_t first, std::int64_t last, std::int64_t) {
    auto& scratch = scratches[static_cast<std::size_t>(ThreadIndex())];
    for (auto feature = static_cast<std::size_t>(first); feature < static_cast<std::size_t>(last); ++feature) {
      scratch.keys.assign(keys.begin() + begin[feature], keys.begin() + begin[feature + 1]);
      auto const has_missing = begin[feature + 1] - begin[feature] < data.NumRows();
      cuts[feature] = MakeFeatureCuts(&scratch.keys, has_missing, max_bin, &scratch.sort);
    }
  });
  return cuts;
}

}  // namespace

QuantileCuts MakeQuantileCuts(Context const& ctx, DataMatrix const& data, int max_bin) {
  auto const limit = static_cast<std::uint32_t>(max_bin);
  auto const features = data.IsDense() ? DenseCuts(ctx, data, limit) : SparseCuts(ctx, data, limit);
  QuantileCuts cuts;
  cuts.feature_begin.push_back(0);
  for (auto const& feature : features) {
    cuts.values.insert(cuts.values.end(), feature.values.begin(), feature.values.end());
    cuts.min_values.push_back(feature.min_value);
    cuts.feature_begin.push_back(static_cast<std::uint32_t>(cuts.values.size()));
  }
  return cuts;
}

}  // namespace kauri
