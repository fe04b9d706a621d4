/// \file The threshold of sampling_method=gradient_based (gradient_sampling.h): magnitudes of rows, and the search by
/// buckets of magnitudes. Used on the CPU and on CUDA devices.
///
/// Buckets ascend with the magnitude, kPerOctave per octave; each magnitude below 2 * kPerOctave has its own bucket.
/// Rows with magnitudes above the threshold are certain to be used. FindThresholdBucket, which proceeds from the
/// highest bucket down, finds the bucket of the threshold. The magnitudes of that bucket, taken in descending order,
/// determine the threshold.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "kauri/gradient.h"
#include "kauri/host_device.h"

namespace kauri {

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

}  // namespace kauri
