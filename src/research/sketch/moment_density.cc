#include "research/sketch/moment_density.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kauri {
namespace {

constexpr double kPi = 3.14159265358979323846;

}  // namespace

std::vector<double> LegendreCdf(Span<double const> moments, std::size_t n_cells) {
  auto const n = moments.size();
  std::vector<double> factors(n);  // of L_(k + 1) - L_(k - 1): half of E L_k(x)
  std::vector<double> before(n, 0.0);
  std::vector<double> terms(n, 0.0);
  terms[0] = 1.0;
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i <= k; ++i) factors[k] += 0.5 * terms[i] * moments[i];
    auto const order = static_cast<double>(k);
    std::vector<double> next(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      next[i] = ((i > 0 ? (2.0 * order + 1.0) * terms[i - 1] : 0.0) - order * before[i]) / (order + 1.0);
    }
    before = std::exchange(terms, next);
  }
  std::vector<double> cdf(n_cells + 1, 0.0);
  for (std::size_t cell = 0; cell <= n_cells; ++cell) {
    auto const x = 2.0 * static_cast<double>(cell) / static_cast<double>(n_cells) - 1.0;
    double lower = 1.0;
    double value = x;
    cdf[cell] = factors[0] * (x + 1.0);
    for (std::size_t k = 1; k < n; ++k) {
      auto const order = static_cast<double>(k);
      auto const next = ((2.0 * order + 1.0) * x * value - order * lower) / (order + 1.0);
      cdf[cell] += factors[k] * (next - lower);
      lower = value;
      value = next;
    }
  }
  return cdf;
}

std::vector<double> CosineCdf(Span<double const> means) {
  std::vector<double> cdf(kCdfCells + 1, 0.0);
  for (std::size_t cell = 0; cell <= kCdfCells; ++cell) {
    auto const angle = kPi * static_cast<double>(cell) / static_cast<double>(kCdfCells);
    auto sum = angle;
    for (std::size_t k = 1; k < means.size(); ++k) {
      sum += 2.0 * means[k] * std::sin(static_cast<double>(k) * angle) / static_cast<double>(k);
    }
    cdf[cell] = sum / kPi;
  }
  cdf.back() = 1.0;  // the sines are 0 there apart from rounding
  return cdf;
}

std::vector<double> InvertCdf(std::vector<double> const& cdf, Span<double const> shares) {
  std::vector<double> places;
  std::size_t cell = 0;
  for (auto const share : shares) {
    while (cell < kCdfCells && cdf[cell + 1] < share) ++cell;
    if (cell == kCdfCells) {
      places.push_back(1.0);
      continue;
    }
    auto const rise = cdf[cell + 1] - cdf[cell];
    auto const part = rise > 0.0 ? std::clamp((share - cdf[cell]) / rise, 0.0, 1.0) : 0.0;
    places.push_back(CdfPlace(static_cast<double>(cell) + part));
  }
  return places;
}

}  // namespace kauri
