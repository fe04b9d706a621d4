#include "tree/sampling/gradient_sampling.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

#include "collective/reduce.h"
#include "common/fixed_point.h"
#include "common/parallel_for.h"
#include "common/random.h"
#include "tree/sampling/row_numbers.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 16;
constexpr int kMagnitudeBits = 30;
constexpr int kLinearBits = 4;  ///< 2^kLinearBits buckets to an octave
constexpr std::uint32_t kPerOctave = 1U << kLinearBits;
constexpr std::size_t kBuckets = (kMagnitudeBits - kLinearBits + 1) * kPerOctave;
constexpr double kHessianShare = 0.1;  ///< lambda of the magnitude, XGBoost's

double Magnitude(Span<GradientPair const> pairs) {
  double square = 0.0;
  for (auto const& pair : pairs) {
    auto const gradient = static_cast<double>(pair.gradient);
    auto const hessian = static_cast<double>(pair.hessian);
    square += gradient * gradient + kHessianShare * hessian * hessian;
  }
  return std::sqrt(square);
}

/// Ascending with the magnitude; each magnitude below 2 * kPerOctave has its own.
std::size_t BucketOf(std::uint32_t magnitude) {
  if (magnitude < 2 * kPerOctave) return magnitude;
  auto const octave = static_cast<std::uint32_t>(31 - kLinearBits - __builtin_clz(magnitude));
  return octave * kPerOctave + (magnitude >> octave);
}

/// The smallest magnitude of a bucket.
double LowerEdge(std::size_t bucket) {
  if (bucket < 2 * kPerOctave) return static_cast<double>(bucket);
  auto const octave = static_cast<int>(bucket / kPerOctave) - 1;
  return std::ldexp(static_cast<double>(bucket % kPerOctave + kPerOctave), octave);
}

struct Bucket {
  std::int64_t count = 0;
  std::int64_t sum = 0;
};
using Buckets = std::array<Bucket, kBuckets>;

Buckets CountBuckets(Context const& ctx, Span<std::uint32_t const> magnitudes) {
  auto const n_rows = static_cast<std::int64_t>(magnitudes.size());
  std::vector<Buckets> of_block(NumBlocks(n_rows, kRowsPerBlock));
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    auto& buckets = of_block[block];
    for (auto row = begin; row < end; ++row) {
      auto const magnitude = magnitudes[row];
      auto& bucket = buckets[BucketOf(magnitude)];
      ++bucket.count;
      bucket.sum += magnitude;
    }
  });
  Buckets total{};
  for (auto const& buckets : of_block) {
    for (std::size_t i = 0; i < kBuckets; ++i) {
      total[i].count += buckets[i].count;
      total[i].sum += buckets[i].sum;
    }
  }
  static_assert(sizeof(Buckets) == 2 * kBuckets * sizeof(std::int64_t), "a bucket is two integers");
  SumOverRanks(ctx, {&total[0].count, 2 * kBuckets});
  return total;
}

/// Of all ranks; a bucket holds a small share of the rows.
std::vector<std::uint32_t> RowsOfBucket(Context const& ctx, Span<std::uint32_t const> magnitudes, std::size_t bucket,
                                        std::int64_t count) {
  std::vector<std::uint32_t> here;
  for (auto const magnitude : magnitudes) {
    if (BucketOf(magnitude) == bucket) here.push_back(magnitude);
  }
  std::vector<std::uint32_t> rows;
  rows.reserve(count);
  for (auto const& of_rank : GatherOverRanks(ctx, here)) rows.insert(rows.end(), of_rank.begin(), of_rank.end());
  std::sort(rows.begin(), rows.end(), std::greater<>());
  return rows;
}

/// The pairs of some outputs.
struct PairColumns {
  Span<GradientPair const> gradients;  // [n_rows, n_outputs]
  std::int64_t n_outputs;
  OutputRange outputs;

  std::int64_t NumRows() const { return static_cast<std::int64_t>(gradients.size()) / n_outputs; }
  Span<GradientPair const> operator[](std::int64_t row) const {
    return {gradients.data() + row * n_outputs + outputs.begin, static_cast<std::size_t>(outputs.end - outputs.begin)};
  }
};

/// \throws Error(kData) for a pair that is not finite.
double LargestMagnitude(Context const& ctx, PairColumns const& pairs) {
  auto const n_rows = pairs.NumRows();
  std::vector<double> of_block(NumBlocks(n_rows, kRowsPerBlock), 0.0);
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    auto& largest = of_block[block];
    for (auto row = begin; row < end; ++row) {
      for (auto const& pair : pairs[row]) {
        if (!std::isfinite(pair.gradient) || !std::isfinite(pair.hessian)) FailGradient(pair, row);
      }
      largest = std::max(largest, Magnitude(pairs[row]));
    }
  });
  auto const largest = of_block.empty() ? 0.0 : *std::max_element(of_block.begin(), of_block.end());
  std::uint64_t bits;  // that ascend with what is not negative
  std::memcpy(&bits, &largest, sizeof(bits));
  bits = MaxOverRanks(ctx, bits);
  double of_ranks;
  std::memcpy(&of_ranks, &bits, sizeof(of_ranks));
  return of_ranks;
}

/// The magnitude with chance 1.
double ThresholdOf(Context const& ctx, PairColumns const& pairs, float rate) {
  auto const n_rows = pairs.NumRows();
  auto const largest = LargestMagnitude(ctx, pairs);
  if (largest == 0.0) return 0.0;
  auto const unit = std::ldexp(1.0, std::ilogb(largest) + 1 - kMagnitudeBits);
  std::vector<std::uint32_t> magnitudes(n_rows);
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = begin; row < end; ++row) {
      magnitudes[row] = static_cast<std::uint32_t>(Magnitude(pairs[row]) / unit);
    }
  });
  return unit *
         SamplingThreshold(ctx, magnitudes, static_cast<double>(rate) * static_cast<double>(SumOverRanks(ctx, n_rows)));
}

}  // namespace

double SamplingThreshold(Context const& ctx, Span<std::uint32_t const> magnitudes, double n_wanted) {
  auto const buckets = CountBuckets(ctx, magnitudes);
  std::int64_t n_certain = 0;  // above the bucket
  std::int64_t sum = 0;        // of the bucket and all below
  for (auto const& bucket : buckets) sum += bucket.sum;
  for (auto i = kBuckets; i-- > 1;) {
    auto const n_here = n_certain + buckets[i].count;
    auto const sum_below = sum - buckets[i].sum;
    if (static_cast<double>(n_here) + static_cast<double>(sum_below) / LowerEdge(i) < n_wanted) {
      n_certain = n_here;
      sum = sum_below;
      continue;
    }
    auto threshold = static_cast<double>(sum) / (n_wanted - static_cast<double>(n_certain));
    for (auto const magnitude : RowsOfBucket(ctx, magnitudes, i, buckets[i].count)) {
      if (threshold >= static_cast<double>(magnitude)) break;
      sum -= magnitude;
      ++n_certain;
      threshold = static_cast<double>(sum) / (n_wanted - static_cast<double>(n_certain));
    }
    return threshold;
  }
  return 0.0;
}

GradientSample SampleByGradient(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs,
                                OutputRange outputs, RowDraw const& draw) {
  PairColumns const columns{gradients, n_outputs, outputs};
  auto const n_rows = columns.NumRows();
  auto const width = static_cast<std::size_t>(outputs.end - outputs.begin);
  auto const threshold = ThresholdOf(ctx, columns, draw.rate);
  GradientSample sample;
  sample.used.resize(n_rows);
  sample.chances.resize(n_rows);
  sample.pairs.resize(static_cast<std::size_t>(n_rows) * width);
  RowNumbers const numbers(draw.global_rows);
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    numbers.ForEach(begin, end, [&](std::int64_t row, std::int64_t number) {
      auto const pairs = columns[row];
      auto const magnitude = Magnitude(pairs);
      auto const chance = magnitude < threshold ? magnitude / threshold : 1.0;
      if (magnitude == 0.0 || RandomUniform(draw.key, static_cast<std::uint64_t>(number)) >= chance) return;
      auto const index = static_cast<std::size_t>(row);
      sample.used[index] = 1;
      sample.chances[index] = chance;
      for (std::size_t output = 0; output < width; ++output) {
        sample.pairs[index * width + output] = DivideByChance(pairs[output], chance);
      }
    });
  });
  return sample;
}

}  // namespace kauri
