/// \file The estimators that chapter 3 of the thesis compares, in their original form: without the guard for columns of
/// few values, and with sums that the library does not offer.
///
/// Naive sums (of x^k about 0), central sums that are updated value by value, logarithms, and the series of Chebyshev,
/// Fourier and Hermite exist only here. Sums about 0 lose all digits if the mean is far from zero relative to the
/// range; a density of logarithms is ten times worse by the thesis's own table 4; the series have larger errors than
/// cosines, at the same cost.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/random/random.h"
#include "data/sketch/power_sums.h"
#include "research/sketch/kll_sketch.h"
#include "research/sketch/moment_density.h"

namespace sketch_estimators {

using Numbers = std::vector<double>;

constexpr double kPi = 3.14159265358979323846;

enum class Failure {
  kNone = 0,
  kFailed = 1,  ///< moments that no distribution has, or results that are not numbers
  kFewer = 2,   ///< no fit has all moments, but one with fewer is found
};

/// A distribution over [low, high] at kCdfCells + 1 equidistant places.
struct Estimate {
  Numbers cdf;
  Failure failure = Failure::kNone;
};

inline double Half(double low, double high) { return 0.5 * (high - low); }

/// Returns whether these can be moments on [-1, 1].
inline bool AreMoments(Numbers const& moments) {
  constexpr double kRounding = 1e-9;
  for (std::size_t k = 1; k < moments.size(); ++k) {
    if (!(std::fabs(moments[k]) <= 1.0 + kRounding)) return false;
    if (k % 2 == 0 && !(moments[k] <= moments[k - 2] + kRounding && moments[k] >= 0.0)) return false;
  }
  return true;
}

/// Returns the mapped moments of the sums of x^0, x^1, ... (thesis, algorithm 1).
inline Numbers MomentsOfSums(Numbers const& sums, double low, double high) {
  auto const scale = 1.0 / Half(low, high);
  auto const shift = scale * 0.5 * (low + high);
  Numbers moments;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    auto moment = 0.0;
    auto binomial = 1.0;
    for (std::size_t i = 0; i <= k; ++i) {
      moment += binomial * sums[i] / sums[0] * std::pow(scale, static_cast<double>(i)) *
                std::pow(-shift, static_cast<double>(k - i));
      binomial = binomial * static_cast<double>(k - i) / static_cast<double>(i + 1);
    }
    moments.push_back(moment);
  }
  return moments;
}

/// Returns the sums of x^0, x^1, ..., added one value after the other.
inline Numbers NaiveSums(Numbers const& values, std::size_t order) {
  Numbers sums(order + 1, 0.0);
  for (auto const x : values) {
    auto power = 1.0;
    for (std::size_t k = 0; k <= order; ++k, power *= x) sums[k] += power;
  }
  return sums;
}

inline double SumByTree(double const* values, std::size_t n) {
  if (n == 1) return values[0];
  return SumByTree(values, n / 2) + SumByTree(values + n / 2, n - n / 2);
}

/// Returns the same sums, added in pairs along a binary tree, as devices add.
inline Numbers NaiveSumsByTree(Numbers const& values, std::size_t order) {
  Numbers sums;
  Numbers powers(values.size(), 1.0);
  for (std::size_t k = 0; k <= order; ++k) {
    sums.push_back(SumByTree(powers.data(), powers.size()));
    for (std::size_t i = 0; i < values.size(); ++i) powers[i] *= values[i];
  }
  return sums;
}

/// Central sums, updated value by value (thesis, equation 13). The work for each value is quadratic in the order.
class PublishedSums {
 public:
  explicit PublishedSums(int order) { state_.order = order; }

  void Add(float value) {
    auto const x = static_cast<double>(value);
    auto const n_before = state_.weight;
    auto const step = (x - state_.mean) / (n_before + 1.0);
    state_.weight = n_before + 1.0;
    state_.mean += step;
    state_.min = std::min(state_.min, value);
    state_.max = std::max(state_.max, value);
    std::array<double, kauri::kMaxMoment + 1> moved;  // powers of the move of the mean
    moved[0] = 1.0;
    auto own = n_before * step;  // powers of the value's own distance from the new mean
    std::array<double, kauri::kMaxMoment + 1> distance;
    distance[0] = 1.0;
    for (int k = 1; k <= state_.order; ++k) {
      moved[Index(k)] = moved[Index(k - 1)] * -step;
      distance[Index(k)] = distance[Index(k - 1)] * own;
    }
    for (int power = state_.order; power >= 2; --power) {
      auto sum = n_before * moved[Index(power)] + distance[Index(power)];
      auto binomial = 1.0;
      for (int k = 1; k <= power - 2; ++k) {
        binomial = binomial * (power - k + 1) / k;
        sum += binomial * state_.sums[Index(power - k)] * moved[Index(k)];
      }
      state_.sums[Index(power)] += sum;
    }
  }

  kauri::PowerSums const& Sums() const { return state_; }

 private:
  static std::size_t Index(int k) { return static_cast<std::size_t>(k); }

  kauri::PowerSums state_;
};

/// Returns the mapped moments of these sums.
inline Numbers PublishedMoments(Numbers const& values, std::size_t order) {
  PublishedSums sums(static_cast<int>(order));
  for (auto const value : values) sums.Add(static_cast<float>(value));
  return sums.Sums().MappedMoments();
}

/// Returns the mapped moments of the library's central sums, computed in one pass from the values rounded to float32.
inline Numbers CentralMoments(Numbers const& values, std::size_t order) {
  std::vector<float> const floats(values.begin(), values.end());
  kauri::PowerSumTree sums(static_cast<int>(order));
  sums.Add(floats, {});
  return sums.Sums().MappedMoments();
}

inline Estimate FromMoments(Numbers const& moments, std::size_t order, bool with_entropy) {
  Estimate estimate;
  if (moments.size() <= order || !AreMoments(moments)) estimate.failure = Failure::kFailed;
  if (!with_entropy) {
    estimate.cdf = kauri::LegendreCdf(moments);
    return estimate;
  }
  // A placeholder: failed estimates are left out of every mean, and their fit would take the longest.
  if (estimate.failure != Failure::kNone) {
    estimate.cdf = kauri::LegendreCdf(Numbers{1.0});
    return estimate;
  }
  std::size_t n_used = 0;
  estimate.cdf = kauri::MaxEntropyCdf(moments, &n_used);
  if (n_used <= order) estimate.failure = Failure::kFewer;
  return estimate;
}

template <typename Fn>
double MeanOf(Numbers const& places, Fn&& fn) {
  auto sum = 0.0;
  for (auto const place : places) sum += fn(place);
  return sum / static_cast<double>(places.size());
}

/// Samples a distribution for a series: values in [0, 1] at places in [0, 1].
template <typename Fn>
Numbers CdfOf(Fn&& distribution) {
  Numbers cdf;
  for (std::size_t cell = 0; cell <= kauri::kCdfCells; ++cell) {
    cdf.push_back(distribution(static_cast<double>(cell) / static_cast<double>(kauri::kCdfCells)));
  }
  return cdf;
}

/// A series of two passes. The first pass finds the range, which maps values to places in [0, 1].
struct Series {
  char const* name;
  Numbers (*sums)(Numbers const& places, std::size_t order);
  Numbers (*cdf)(Numbers const& sums);
};

inline Numbers CosineSums(Numbers const& places, std::size_t order) {
  Numbers means;
  for (std::size_t k = 0; k <= order; ++k) {
    means.push_back(MeanOf(places, [&](double u) { return std::cos(kPi * static_cast<double>(k) * u); }));
  }
  return means;
}

inline Numbers CosineDistribution(Numbers const& means) { return kauri::CosineCdf(means); }

/// Returns the means of cosines, then those of sines.
inline Numbers FourierSums(Numbers const& places, std::size_t order) {
  Numbers sums(2 * order);
  for (std::size_t k = 1; k <= order; ++k) {
    auto const pace = 2.0 * kPi * static_cast<double>(k);
    sums[k - 1] = MeanOf(places, [&](double u) { return std::cos(pace * u); });
    sums[order + k - 1] = MeanOf(places, [&](double u) { return std::sin(pace * u); });
  }
  return sums;
}

inline Numbers FourierCdf(Numbers const& sums) {
  auto const order = sums.size() / 2;
  return CdfOf([&](double u) {
    auto sum = u;
    for (std::size_t k = 1; k <= order; ++k) {
      auto const angle = 2.0 * kPi * static_cast<double>(k) * u;
      auto const term = sums[k - 1] * std::sin(angle) + sums[order + k - 1] * (1.0 - std::cos(angle));
      sum += term / (kPi * static_cast<double>(k));
    }
    return sum;
  });
}

inline double ChebyshevPolynomial(std::size_t k, double y) { return std::cos(static_cast<double>(k) * std::acos(y)); }

/// The weight 1 / sqrt(1 - y^2) is infinite at both ends, where every column has a value. Values beyond kChebyshevEnd
/// are moved there: by experiment, this gives errors of the printed size (the thesis does not say what it did).
constexpr double kChebyshevEnd = 0.97;

inline Numbers ChebyshevSums(Numbers const& places, std::size_t order) {
  Numbers terms;
  for (std::size_t k = 0; k <= order; ++k) {
    auto const mean = MeanOf(places, [&](double u) {
      auto const y = std::clamp(2.0 * u - 1.0, -kChebyshevEnd, kChebyshevEnd);
      return ChebyshevPolynomial(k, y) / std::sqrt(1.0 - y * y);
    });
    terms.push_back(mean / (k == 0 ? kPi : 0.5 * kPi));
  }
  return terms;
}

inline Numbers ChebyshevCdf(Numbers const& terms) {
  auto const integral = [](std::size_t k, double y) {  // integral of T_k, up to a constant
    if (k == 0) return y;
    if (k == 1) return 0.5 * y * y;
    auto const n = static_cast<double>(k);
    return 0.5 * (ChebyshevPolynomial(k + 1, y) / (n + 1.0) - ChebyshevPolynomial(k - 1, y) / (n - 1.0));
  };
  return CdfOf([&](double u) {
    auto sum = 0.0;
    for (std::size_t k = 0; k < terms.size(); ++k) sum += terms[k] * (integral(k, 2.0 * u - 1.0) - integral(k, -1.0));
    return sum;
  });
}

/// Returns the Hermite polynomial He_k of probability theory.
inline double HermitePolynomial(std::size_t k, double z) {
  auto before = 0.0;
  auto value = 1.0;
  for (std::size_t n = 0; n < k; ++n) before = std::exchange(value, z * value - static_cast<double>(n) * before);
  return value;
}

/// Places are mapped to [-1, 1], which gives errors of the printed size. Standardised places give errors of 10^4 and
/// more, since the polynomials grow without limit in the tails.
inline Numbers HermiteSums(Numbers const& places, std::size_t order) {
  Numbers terms;
  auto factorial = 1.0;
  for (std::size_t k = 0; k <= order; ++k) {
    factorial *= k == 0 ? 1.0 : static_cast<double>(k);
    auto const mean = MeanOf(places, [&](double u) {
      auto const z = 2.0 * u - 1.0;
      return HermitePolynomial(k, z) * std::exp(-0.5 * z * z);
    });
    terms.push_back(mean / (std::sqrt(2.0 * kPi) * factorial));
  }
  return terms;
}

inline Numbers HermiteCdf(Numbers const& terms) {
  return CdfOf([&](double u) {
    auto sum = 0.0;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      auto const rise = HermitePolynomial(k + 1, 2.0 * u - 1.0) - HermitePolynomial(k + 1, -1.0);
      sum += terms[k] * rise / static_cast<double>(k + 1);
    }
    return sum;
  });
}

constexpr Series kSeries[] = {{"cosine", CosineSums, CosineDistribution},
                              {"chebyshev", ChebyshevSums, ChebyshevCdf},
                              {"fourier", FourierSums, FourierCdf},
                              {"hermite", HermiteSums, HermiteCdf}};

/// Returns the most values that a KLL sketch of this size keeps at a time while it reads n values. It does not depend
/// on the values.
inline std::size_t MostKept(std::size_t size, std::size_t n) {
  kauri::KllSketch sketch(size);
  std::size_t most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    auto const value = static_cast<float>(i);
    sketch.Add({&value, 1}, {});
    most = std::max(most, sketch.NumValues());
  }
  return most;
}

/// Returns the largest size of a KLL sketch that never keeps more than `room` of n values; 2, the smallest, if there is
/// none. The thesis measures the size of a sketch by all values that it keeps; the library's parameter is the size of
/// the highest compactor.
inline std::size_t SizeWithin(std::size_t room, std::size_t n) {
  static std::map<std::pair<std::size_t, std::size_t>, std::size_t> found;
  auto const [at, is_new] = found.emplace(std::pair(room, n), 2);
  if (!is_new) return at->second;
  std::size_t low = 2;
  for (auto high = room; low < high;) {
    auto const middle = (low + high + 1) / 2;
    if (MostKept(middle, n) <= room) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return at->second = low;
}

/// Returns `size` of the values, each with the same probability: the simplest of all sketches.
inline std::vector<float> RandomSample(std::vector<float> const& stream, std::size_t size) {
  std::vector<float> sample(stream.begin(),
                            stream.begin() + static_cast<std::ptrdiff_t>(std::min(size, stream.size())));
  for (auto i = size; i < stream.size(); ++i) {
    auto const place = kauri::RandomUniform(7, i) * static_cast<double>(i + 1);
    if (place < static_cast<double>(size)) sample[static_cast<std::size_t>(place)] = stream[i];
  }
  std::sort(sample.begin(), sample.end());
  return sample;
}

}  // namespace sketch_estimators
