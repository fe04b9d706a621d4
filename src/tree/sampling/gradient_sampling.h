/// \file Samples rows by the size of their gradients (sampling_method=gradient_based), or weights them at random
/// (bagging_temperature).
///
/// Minimal variance sampling (Ibragimov & Gusev 2019), with the regularised magnitude of Ou 2020, "Out-of-core GPU
/// gradient boosting", section 2.4: a row is used with probability p = min(1, magnitude / threshold), where magnitude =
/// sqrt(g^2 + 0.1 h^2). Its pair is divided by p, so that every sum over rows keeps its expectation. The threshold is
/// chosen such that the probabilities add up to the wanted number of rows.
/// 1. Magnitudes become integers below 2^30, so that sums do not depend on the order of rows.
/// 2. Counts and sums by bucket, 16 per octave, determine the bucket of the threshold.
/// 3. The rows of that bucket are sorted, and the threshold follows exactly.
/// 4. Every row draws independently, as in sampling.h.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"
#include "tree/sampling/sampling.h"

namespace kauri {

// The threshold of sampling_method=gradient_based: magnitudes of rows, and the search by
// buckets of magnitudes. Used on the CPU and on CUDA devices.
//
// Buckets ascend with the magnitude, kPerOctave per octave; each magnitude below 2 * kPerOctave has its own bucket.
// Rows with magnitudes above the threshold are certain to be used. FindThresholdBucket, which proceeds from the
// highest bucket down, finds the bucket of the threshold. The magnitudes of that bucket, taken in descending order,
// determine the threshold.

constexpr int kMagnitudeWidth = 30;
constexpr int kLinearBits = 4;  ///< 2^kLinearBits buckets per octave
constexpr std::uint32_t kPerOctave = 1U << kLinearBits;
constexpr std::size_t kMagnitudeBuckets = (kMagnitudeWidth - kLinearBits + 1) * kPerOctave;

/// Returns the magnitude of consecutive outputs of a row.
KAURI_HD double RowMagnitude(GradientPair const* pairs, std::int64_t n_pairs) {
  constexpr double kHessianShare = 0.1;  // lambda of the magnitude, XGBoost's
  double square = 0.0;
  for (std::int64_t i = 0; i < n_pairs; ++i) {
    auto const gradient = static_cast<double>(pairs[i].gradient);
    auto const hessian = static_cast<double>(pairs[i].hessian);
    square += gradient * gradient + kHessianShare * hessian * hessian;
  }
  return std::sqrt(square);
}

/// Returns the pair of a sampled row, scaled to represent similar rows that were not sampled.
KAURI_HD GradientPair DivideByChance(GradientPair pair, double chance) {
  return {static_cast<float>(static_cast<double>(pair.gradient) / chance),
          static_cast<float>(static_cast<double>(pair.hessian) / chance)};
}

/// Returns the unit that makes magnitudes integers below 2^kMagnitudeWidth. largest: positive.
inline double MagnitudeUnit(double largest) { return std::ldexp(1.0, std::ilogb(largest) + 1 - kMagnitudeWidth); }

/// Returns the bucket of a magnitude. leading_zeros: number of leading zeros of `magnitude`, read only if it is
/// positive.
KAURI_HD std::uint32_t MagnitudeBucket(std::uint32_t magnitude, int leading_zeros) {
  if (magnitude < 2 * kPerOctave) return magnitude;
  auto const octave = static_cast<std::uint32_t>(31 - kLinearBits - leading_zeros);
  return octave * kPerOctave + (magnitude >> octave);
}

struct MagnitudeSum {
  std::int64_t count = 0;
  std::int64_t sum = 0;
};
using MagnitudeSums = std::array<MagnitudeSum, kMagnitudeBuckets>;

/// The search within the bucket of the threshold.
class ThresholdSearch {
 public:
  /// n_certain: rows above the bucket. sum: sum over the bucket and all lower ones.
  ThresholdSearch(std::size_t bucket, std::int64_t n_certain, std::int64_t sum, double n_wanted)
      : bucket_(bucket), n_certain_(n_certain), sum_(sum), n_wanted_(n_wanted) {
    Update();
  }

  std::size_t Bucket() const { return bucket_; }
  double Threshold() const { return threshold_; }
  /// Takes the next magnitude of the bucket, in descending order. Returns false if it does not exceed the threshold,
  /// which is then final.
  bool Take(std::uint32_t magnitude) {
    if (threshold_ >= static_cast<double>(magnitude)) return false;
    sum_ -= magnitude;
    ++n_certain_;
    Update();
    return true;
  }

 private:
  void Update() { threshold_ = static_cast<double>(sum_) / (n_wanted_ - static_cast<double>(n_certain_)); }

  std::size_t bucket_;
  std::int64_t n_certain_;
  std::int64_t sum_;
  double n_wanted_;
  double threshold_ = 0.0;
};

/// Finds the bucket of the threshold. n_wanted: positive. Returns nothing, meaning threshold 0, if at most n_wanted
/// magnitudes are positive.
std::optional<ThresholdSearch> FindThresholdBucket(MagnitudeSums const& sums, double n_wanted);

/// A range of consecutive outputs, or a single output.
struct OutputRange {
  OutputRange(std::int64_t only) : begin(only), end(only + 1) {}  // implicit: one output is a range
  OutputRange(std::int64_t first, std::int64_t last) : begin(first), end(last) {}

  std::int64_t begin;
  std::int64_t end;
};

struct GradientSample {
  std::vector<std::uint8_t> used;   ///< [n_rows], 1 = used; empty if all are used
  std::vector<GradientPair> pairs;  ///< [n_rows, outputs], divided by the row's probability; zero if not used
  std::vector<double> chances;  ///< [n_rows], defined for used rows; in (0, 1], except for weights: gradient_sampling.h
};

/// Parameters of a draw of rows.
struct RowDraw {
  float rate;                          ///< in (0, 1), the expected share of rows
  std::uint64_t key;                   ///< RowSamplingKey
  Span<RowRange const> global_rows{};  ///< global_rows of MetaInfo, in a distributed run
};

/// Samples the rows of one tree. gradients: [n_rows, n_outputs], restricted to `outputs`. The squared magnitude of
/// several outputs is the sum of their squared magnitudes. Rows whose pair is zero are never used. In a distributed
/// run, the draw is the same as in one process with all rows. The result has the same bits for any number of threads.
/// \throws Error(kData) for a gradient or hessian that is not finite, naming the row.
GradientSample SampleByGradient(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs,
                                OutputRange outputs, RowDraw const& draw);

/// Returns the threshold t at which the sum of min(1, magnitude / t) is `n_wanted`; 0 if at most that many magnitudes
/// are positive. magnitudes: below 2^30; in a distributed run only this rank's, whereas n_wanted counts rows of all
/// ranks. n_wanted: positive.
double SamplingThreshold(Context const& ctx, Span<std::uint32_t const> magnitudes, double n_wanted);

// The Bayesian bootstrap (Rubin 1981): random weights of rows instead of a sample of them.
//
// A row's weight is (-ln u)^temperature with u uniform: exponential with mean 1 for temperature 1, and 1 for
// temperature 0 (the name is from Prokhorenkova et al. 2018). It is rounded to a positive multiple of 1/1024, so that
// neither the last bit of a logarithm matters nor a row is lost.

/// Returns the weight of a row. temperature: in [0, 4]. number: from RowNumbers.
double BootstrapWeight(std::uint64_t key, std::int64_t number, double temperature);

/// Parameters of the weights of rows.
struct RowWeighing {
  double temperature;
  std::uint64_t key;  ///< RowWeightKey
  RowNumbers const& numbers;
};

/// Returns the pairs of one tree, multiplied by the weights of their rows, with the reciprocal weights as chances.
/// gradients: [n_rows, n_outputs], restricted to `outputs`. used: [n_rows] or empty, as returned by SampleRows; the
/// pairs of unused rows are zero. The result has the same bits for any number of threads and ranks.
GradientSample WeighRows(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs,
                         OutputRange outputs, RowWeighing const& weighing, std::vector<std::uint8_t> used);

}  // namespace kauri
