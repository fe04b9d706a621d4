#include "common/distribution/count_law.h"

#include <cmath>

#include "common/host_math.h"

namespace kauri::distribution {
namespace {

constexpr double kMostSummed = 4096.0;
constexpr double kSummedFirst = 64.0;  ///< first counts of an integral, where densities may have a pole
constexpr double kNegligible = 1e-9;   ///< share of counts beyond the ends of a sum

/// Returns the share of counts up to k, with the added zeros.
double LowerOf(CountLaw const& law, double k) { return 1.0 - law.share * law.OfCounts(k).upper; }

/// Returns a count beyond which lies less than kNegligible.
double HighEnd(CountLaw const& law) {
  double high = std::floor(law.mean + 2.0 * law.Deviation()) + 2.0;
  while (law.OfCounts(high).upper > kNegligible && high < 1e15) high *= 1.5;
  return std::floor(high);
}

/// Sums (F(k) - [count <= k])^2 for k from 0 to `high`, by the recurrence of probabilities.
double SummedCrps(CountLaw const& law, double count, double high) {
  double probability = Exp(law.LogOfCount(0.0));
  double const odds = law.IsPoisson() ? law.mean : law.mean / (law.size + law.mean);
  double below = probability;
  double sum = 0.0;
  for (double k = 0.0; k <= high; k += 1.0) {
    double const lower = 1.0 - law.share * (1.0 - below);
    double const difference = k < count ? lower : 1.0 - lower;
    sum += difference * difference;
    probability *= law.IsPoisson() ? odds / (k + 1.0) : odds * (k + law.size) / (k + 1.0);
    below += probability;
  }
  return sum;
}

/// Integrates f over [from, to] by Gauss's rule of five points on 16 equal parts.
template <typename F>
double Integral(double from, double to, F&& f) {
  constexpr int kParts = 16;
  constexpr double kPlaces[] = {-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831, 0.9061798459386640};
  constexpr double kWeights[] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                                 0.2369268850561891};
  double const half = (to - from) / (2.0 * kParts);
  double sum = 0.0;
  for (int part = 0; part < kParts; ++part) {
    double const middle = from + (2.0 * part + 1.0) * half;
    for (int i = 0; i < 5; ++i) sum += kWeights[i] * f(middle + kPlaces[i] * half);
  }
  return sum * half;
}

/// Sums the first counts and integrates over the others, from 1/2 below the first of these to 1/2 above the last.
double IntegratedCrps(CountLaw const& law, double count, double high) {
  auto const lower_squared = [&](double k) {
    double const lower = LowerOf(law, k);
    return lower * lower;
  };
  auto const upper_squared = [&](double k) {
    double const upper = law.share * law.OfCounts(k).upper;
    return upper * upper;
  };
  double sum = 0.0;
  for (double k = 0.0; k < kSummedFirst; k += 1.0) sum += k < count ? lower_squared(k) : upper_squared(k);
  double const begin = kSummedFirst - 0.5;
  double const end = high + 0.5;
  double const split = count - 0.5 < begin ? begin : count - 0.5 < end ? count - 0.5 : end;
  // Cut at the mean and 10 standard deviations around it, where the distribution function bends most.
  double const width = 10.0 * std::sqrt(law.mean * (1.0 + (law.IsPoisson() ? 0.0 : law.mean / law.size)));
  double const cuts[] = {law.mean - width, law.mean, law.mean + width};
  auto const add = [&](double from, double to, auto const& f) {
    for (auto const cut : cuts) {
      if (!(from < cut && cut < to)) continue;
      sum += Integral(from, cut, f);
      from = cut;
    }
    if (from < to) sum += Integral(from, to, f);
  };
  add(begin, split, lower_squared);
  add(split, end, upper_squared);
  return sum;
}

}  // namespace

double CountLaw::LogOfCount(double count) const {
  if (!(count >= 0.0) || std::floor(count) != count) return -detail::Infinity();
  double const of_factorial = LogGamma(count + 1.0);
  if (IsPoisson()) return (count > 0.0 ? count * Log(mean) : 0.0) - mean - of_factorial;
  double const at_zero = -size * LogOfOnePlus(mean / size);
  if (count == 0.0) return at_zero;
  // Gamma(count + size) / Gamma(size) = Gamma(count) / Beta(size, count)
  return LogGamma(count) - LogBeta(size, count) - of_factorial + at_zero - count * LogOfOnePlus(size / mean);
}

Tails CountLaw::OfCounts(double count) const {
  if (count < 0.0) return {0.0, 1.0};
  if (IsPoisson()) {
    auto const tails = GammaTails(count + 1.0, mean);
    return {tails.upper, tails.lower};
  }
  double const success = size / (size + mean);
  // The complement of a probability near 1 has its own digits.
  if (success > 0.5) {
    auto const tails = BetaTails(count + 1.0, size, mean / (size + mean));
    return {tails.upper, tails.lower};
  }
  return BetaTails(size, count + 1.0, success);
}

double CountLaw::LogProbability(double count) const {
  if (share == 1.0) return LogOfCount(count);
  if (count == 0.0) return Log(1.0 - share + share * Exp(LogOfCount(0.0)));
  return Log(share) + LogOfCount(count);
}

Tails CountLaw::Cumulative(double count) const {
  if (count < 0.0) return {0.0, 1.0};
  auto const tails = OfCounts(std::floor(count));
  return share == 1.0 ? tails : Tails{1.0 - share + share * tails.lower, share * tails.upper};
}

double CountLaw::Quantile(double p) const {
  double const upper = (1.0 - p) / share;  // share of the counts that lie beyond
  auto const reaches = [&](double count) { return OfCounts(count).upper <= upper * (1.0 + 1e-14); };
  if (upper >= 1.0 || reaches(0.0)) return 0.0;
  double low = 0.0;  // does not reach
  double high = std::floor(mean) + 1.0;
  while (!reaches(high) && high < 1e15) {
    low = high;
    high *= 2.0;
  }
  while (high - low > 1.0) {
    double const middle = std::floor(0.5 * (low + high));
    (reaches(middle) ? high : low) = middle;
  }
  return high;
}

double CountLaw::Deviation() const {
  double const variance = mean + (IsPoisson() ? 0.0 : mean * mean / size);
  return std::sqrt(share * (variance + (1.0 - share) * mean * mean));
}

double CountLaw::Crps(double label) const {
  if (label < 0.0) return CrpsOf(0.0) - label;
  double const count = std::floor(label);
  if (count == label) return CrpsOf(count);
  return (1.0 - (label - count)) * CrpsOf(count) + (label - count) * CrpsOf(count + 1.0);
}

double CountLaw::CrpsOf(double count) const {
  double const high = HighEnd(*this);
  // Every count between the end of the sum and the label adds 1.
  double const beyond = count > high + 1.0 ? count - high - 1.0 : 0.0;
  if (high <= kMostSummed && LogOfCount(0.0) > -690.0) return SummedCrps(*this, count, high) + beyond;
  return IntegratedCrps(*this, count, high) + beyond;
}

}  // namespace kauri::distribution
