/// \file The estimators that chapter 3 of the thesis compares, in their original form: without the guard for columns of
/// few values, and with sums that the library does not offer.
///
/// Naive sums (of x^k about 0), logarithms, and the series of Chebyshev, Fourier and Hermite exist only here. Sums
/// about 0 lose all digits if the mean is far from zero relative to the range; a density of logarithms is ten times
/// worse by the thesis's own table 4; the series have larger errors than cosines, at the same cost.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "data/sketch/power_sums.h"
#include "research/sketch/kll_sketch.h"
#include "research/sketch/moment_density.h"

namespace sketch_estimators {

using Numbers = std::vector<double>;

constexpr double kPi = 3.14159265358979323846;

/// A distribution over [low, high] at kCdfCells + 1 equidistant places.
struct Estimate {
  Numbers cdf;
  bool failed = false;  ///< moments that no distribution has, no fit with all of them, or results that are not numbers
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

/// Returns the mapped moments of plain sums (thesis, algorithm 1).
inline Numbers NaiveMoments(Numbers const& values, std::size_t order) {
  Numbers sums(order + 1, 0.0);
  for (auto const x : values) {
    auto power = 1.0;
    for (std::size_t k = 0; k <= order; ++k, power *= x) sums[k] += power;
  }
  auto const low = values.front();
  auto const high = values.back();
  auto const scale = 1.0 / Half(low, high);
  auto const shift = scale * 0.5 * (low + high);
  Numbers moments;
  for (std::size_t k = 0; k <= order; ++k) {
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

/// Returns the mapped moments of the library's central sums, computed in one pass from the values rounded to float32.
inline Numbers CentralMoments(Numbers const& values, std::size_t order) {
  std::vector<float> const floats(values.begin(), values.end());
  kauri::PowerSumTree sums(static_cast<int>(order));
  sums.Add(floats, {});
  return sums.Sums().MappedMoments();
}

inline Estimate FromMoments(Numbers const& moments, std::size_t order, bool with_entropy) {
  Estimate estimate;
  estimate.failed = moments.size() <= order || !AreMoments(moments);
  if (!with_entropy) {
    estimate.cdf = kauri::LegendreCdf(moments);
    return estimate;
  }
  // A placeholder: failed estimates are left out of every mean, and their fit would take the longest.
  if (estimate.failed) {
    estimate.cdf = kauri::LegendreCdf(Numbers{1.0});
    return estimate;
  }
  std::size_t n_used = 0;
  estimate.cdf = kauri::MaxEntropyCdf(moments, &n_used);
  estimate.failed = n_used <= order;
  return estimate;
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

template <typename Fn>
double MeanOf(Numbers const& places, Fn&& fn) {
  auto sum = 0.0;
  for (auto const place : places) sum += fn(place);
  return sum / static_cast<double>(places.size());
}

inline Estimate Cosine(Numbers const& places, std::size_t order) {
  Numbers means;
  for (std::size_t k = 0; k <= order; ++k) {
    means.push_back(MeanOf(places, [&](double u) { return std::cos(kPi * static_cast<double>(k) * u); }));
  }
  return {kauri::CosineCdf(means)};
}

inline Estimate Fourier(Numbers const& places, std::size_t order) {
  Numbers cosines;
  Numbers sines;
  for (std::size_t k = 1; k <= order; ++k) {
    auto const pace = 2.0 * kPi * static_cast<double>(k);
    cosines.push_back(MeanOf(places, [&](double u) { return std::cos(pace * u); }));
    sines.push_back(MeanOf(places, [&](double u) { return std::sin(pace * u); }));
  }
  return {CdfOf([&](double u) {
    auto sum = u;
    for (std::size_t k = 1; k <= order; ++k) {
      auto const angle = 2.0 * kPi * static_cast<double>(k) * u;
      sum +=
          (cosines[k - 1] * std::sin(angle) + sines[k - 1] * (1.0 - std::cos(angle))) / (kPi * static_cast<double>(k));
    }
    return sum;
  })};
}

/// Estimates by Chebyshev's series. The weight 1 / sqrt(1 - y^2) is infinite at both ends; values there are moved
/// inwards by a millionth.
inline Estimate Chebyshev(Numbers const& places, std::size_t order) {
  constexpr double kEnd = 1.0 - 1e-6;
  auto const t = [](std::size_t k, double y) { return std::cos(static_cast<double>(k) * std::acos(y)); };
  Numbers terms;
  for (std::size_t k = 0; k <= order; ++k) {
    auto const mean = MeanOf(places, [&](double u) {
      auto const y = std::clamp(2.0 * u - 1.0, -kEnd, kEnd);
      return t(k, y) / std::sqrt(1.0 - y * y);
    });
    terms.push_back(mean / (k == 0 ? kPi : 0.5 * kPi));
  }
  auto const integral = [&](std::size_t k, double y) {  // integral of T_k, up to a constant
    if (k == 0) return y;
    if (k == 1) return 0.5 * y * y;
    auto const n = static_cast<double>(k);
    return 0.5 * (t(k + 1, y) / (n + 1.0) - t(k - 1, y) / (n - 1.0));
  };
  return {CdfOf([&](double u) {
    auto sum = 0.0;
    for (std::size_t k = 0; k <= order; ++k) sum += terms[k] * (integral(k, 2.0 * u - 1.0) - integral(k, -1.0));
    return sum;
  })};
}

/// Estimates by Hermite's series; places are standardised by their mean and deviation.
inline Estimate Hermite(Numbers const& places, std::size_t order) {
  auto const mean = MeanOf(places, [](double u) { return u; });
  auto const deviation = std::sqrt(MeanOf(places, [&](double u) { return (u - mean) * (u - mean); }));
  auto const he = [](std::size_t k, double z) {
    auto before = 0.0;
    auto value = 1.0;
    for (std::size_t n = 0; n < k; ++n) {
      auto const next = z * value - static_cast<double>(n) * before;
      before = value;
      value = next;
    }
    return value;
  };
  Numbers terms;
  auto factorial = 1.0;
  for (std::size_t k = 0; k <= order; ++k) {
    factorial *= k == 0 ? 1.0 : static_cast<double>(k);
    auto const moment = MeanOf(places, [&](double u) {
      auto const z = (u - mean) / deviation;
      return he(k, z) * std::exp(-0.5 * z * z);
    });
    terms.push_back(moment / (std::sqrt(2.0 * kPi) * factorial));
  }
  auto const first = -mean / deviation;
  return {CdfOf([&](double u) {
    auto sum = 0.0;
    for (std::size_t k = 0; k <= order; ++k) {
      auto const n = static_cast<double>(k) + 1.0;
      sum += terms[k] * (he(k + 1, (u - mean) / deviation) - he(k + 1, first)) / n;
    }
    return sum;
  })};
}

}  // namespace sketch_estimators
