#include "tree/sampling/gradient_sampling.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>

#include "collective/reduce.h"
#include "common/fixed_point.h"
#include "common/host_math.h"
#include "common/random/random.h"
#include "common/threads/parallel_for.h"
#include "tree/sampling/sampling.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 16;
double MagnitudeOf(Span<GradientPair const> pairs) {
  return RowMagnitude(pairs.data(), static_cast<std::int64_t>(pairs.size()));
}

std::uint32_t BucketOf(std::uint32_t magnitude) {
  return MagnitudeBucket(magnitude, magnitude == 0 ? 0 : __builtin_clz(magnitude));
}

MagnitudeSums CountBuckets(Context const& ctx, Span<std::uint32_t const> magnitudes) {
  auto const n_rows = static_cast<std::int64_t>(magnitudes.size());
  std::vector<MagnitudeSums> of_block(NumBlocks(n_rows, kRowsPerBlock));
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    auto& buckets = of_block[block];
    for (auto row = begin; row < end; ++row) {
      auto const magnitude = magnitudes[row];
      auto& bucket = buckets[BucketOf(magnitude)];
      ++bucket.count;
      bucket.sum += magnitude;
    }
  });
  MagnitudeSums total{};
  for (auto const& buckets : of_block) {
    for (std::size_t i = 0; i < kMagnitudeBuckets; ++i) {
      total[i].count += buckets[i].count;
      total[i].sum += buckets[i].sum;
    }
  }
  static_assert(sizeof(MagnitudeSums) == 2 * kMagnitudeBuckets * sizeof(std::int64_t), "a bucket is two integers");
  SumOverRanks(ctx, {&total[0].count, 2 * kMagnitudeBuckets});
  return total;
}

/// Returns the magnitudes of a bucket over all ranks, descending; a bucket holds a small share of the rows.
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

/// The pairs of some outputs, by row.
struct PairColumns {
  Span<GradientPair const> gradients;  // [n_rows, n_outputs]
  std::int64_t n_outputs;
  OutputRange outputs;

  std::int64_t NumRows() const { return static_cast<std::int64_t>(gradients.size()) / n_outputs; }
  Span<GradientPair const> operator[](std::int64_t row) const {
    return {gradients.data() + row * n_outputs + outputs.begin, static_cast<std::size_t>(outputs.end - outputs.begin)};
  }
};

/// Returns the largest magnitude over all ranks. \throws Error(kData) for a pair that is not finite.
double LargestMagnitude(Context const& ctx, PairColumns const& pairs) {
  auto const n_rows = pairs.NumRows();
  std::vector<double> of_block(NumBlocks(n_rows, kRowsPerBlock), 0.0);
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    auto& largest = of_block[block];
    for (auto row = begin; row < end; ++row) {
      for (auto const& pair : pairs[row]) {
        if (!std::isfinite(pair.gradient) || !std::isfinite(pair.hessian)) FailGradient(pair, row);
      }
      largest = std::max(largest, MagnitudeOf(pairs[row]));
    }
  });
  auto const largest = of_block.empty() ? 0.0 : *std::max_element(of_block.begin(), of_block.end());
  std::uint64_t bits;  // bits of non-negative floats ascend with their value
  std::memcpy(&bits, &largest, sizeof(bits));
  bits = MaxOverRanks(ctx, bits);
  double of_ranks;
  std::memcpy(&of_ranks, &bits, sizeof(of_ranks));
  return of_ranks;
}

/// Returns the magnitude at which the probability reaches 1.
double ThresholdOf(Context const& ctx, PairColumns const& pairs, float rate) {
  auto const n_rows = pairs.NumRows();
  auto const largest = LargestMagnitude(ctx, pairs);
  if (largest == 0.0) return 0.0;
  auto const unit = MagnitudeUnit(largest);
  std::vector<std::uint32_t> magnitudes(n_rows);
  ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = begin; row < end; ++row) {
      magnitudes[row] = static_cast<std::uint32_t>(MagnitudeOf(pairs[row]) / unit);
    }
  });
  return unit *
         SamplingThreshold(ctx, magnitudes, static_cast<double>(rate) * static_cast<double>(SumOverRanks(ctx, n_rows)));
}

}  // namespace

double SamplingThreshold(Context const& ctx, Span<std::uint32_t const> magnitudes, double n_wanted) {
  auto const sums = CountBuckets(ctx, magnitudes);
  auto search = FindThresholdBucket(sums, n_wanted);
  if (!search.has_value()) return 0.0;
  for (auto const magnitude : RowsOfBucket(ctx, magnitudes, search->Bucket(), sums[search->Bucket()].count)) {
    if (!search->Take(magnitude)) break;
  }
  return search->Threshold();
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
      auto const magnitude = MagnitudeOf(pairs);
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

namespace {

/// Returns the smallest magnitude of a bucket.
double LowerEdge(std::size_t bucket) {
  if (bucket < 2 * kPerOctave) return static_cast<double>(bucket);
  auto const octave = static_cast<int>(bucket / kPerOctave) - 1;
  return std::ldexp(static_cast<double>(bucket % kPerOctave + kPerOctave), octave);
}

}  // namespace

std::optional<ThresholdSearch> FindThresholdBucket(MagnitudeSums const& sums, double n_wanted) {
  std::int64_t n_certain = 0;  // rows above the bucket
  std::int64_t sum = 0;        // sum over the bucket and all lower ones
  for (auto const& of_bucket : sums) sum += of_bucket.sum;
  for (auto i = kMagnitudeBuckets; i-- > 1;) {
    auto const n_here = n_certain + sums[i].count;
    auto const sum_below = sum - sums[i].sum;
    if (static_cast<double>(n_here) + static_cast<double>(sum_below) / LowerEdge(i) >= n_wanted) {
      return ThresholdSearch(i, n_certain, sum, n_wanted);
    }
    n_certain = n_here;
    sum = sum_below;
  }
  return std::nullopt;
}

namespace {

constexpr std::int64_t kWeighedRowsPerBlock = 1 << 14;
constexpr double kSteps = 1024.0;  // steps per unit of weight

}  // namespace

double BootstrapWeight(std::uint64_t key, std::int64_t number, double temperature) {
  auto const exponential = -LogOfOnePlus(-RandomUniform(key, static_cast<std::uint64_t>(number)));
  return std::max(1.0, std::nearbyint(kSteps * RealPower(exponential, temperature))) / kSteps;
}

GradientSample WeighRows(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs,
                         OutputRange outputs, RowWeighing const& weighing, std::vector<std::uint8_t> used) {
  auto const n_rows = static_cast<std::int64_t>(gradients.size()) / n_outputs;
  auto const width = outputs.end - outputs.begin;
  GradientSample sample;
  sample.used = std::move(used);
  sample.pairs.resize(n_rows * width);
  sample.chances.resize(n_rows);
  ParallelForBlocks(ctx, n_rows, kWeighedRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    weighing.numbers.ForEach(begin, end, [&](std::int64_t row, std::int64_t number) {
      if (!sample.used.empty() && sample.used[row] == 0) return;
      auto const chance = 1.0 / BootstrapWeight(weighing.key, number, weighing.temperature);
      sample.chances[row] = chance;
      for (std::int64_t output = 0; output < width; ++output) {
        sample.pairs[row * width + output] =
            DivideByChance(gradients[row * n_outputs + outputs.begin + output], chance);
      }
    });
  });
  return sample;
}

}  // namespace kauri
