#include "tree/sampling/gradient_threshold.h"

namespace kauri {
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

}  // namespace kauri
