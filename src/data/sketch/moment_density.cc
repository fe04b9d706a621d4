#include "data/sketch/moment_density.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kauri {
namespace {

constexpr std::size_t kPoints = 512;
constexpr double kPi = 3.14159265358979323846;

struct Rule {
  std::vector<double> points;
  std::vector<double> weights;
};

/// Gauss-Legendre points by Newton from their asymptotic places.
Rule MakeRule() {
  Rule rule;
  for (std::size_t i = 0; i < kPoints; ++i) {
    auto x = std::cos(kPi * (static_cast<double>(i) + 0.75) / (static_cast<double>(kPoints) + 0.5));
    double slope = 1.0;
    for (int step = 0; step < 5; ++step) {
      double before = 1.0;
      double value = x;
      for (std::size_t n = 2; n <= kPoints; ++n) {
        auto const next = ((2.0 * static_cast<double>(n) - 1.0) * x * value - (static_cast<double>(n) - 1.0) * before) /
                          static_cast<double>(n);
        before = value;
        value = next;
      }
      slope = static_cast<double>(kPoints) * (x * value - before) / (x * x - 1.0);
      x -= value / slope;
    }
    rule.points.push_back(x);
    rule.weights.push_back(2.0 / ((1.0 - x * x) * slope * slope));
  }
  return rule;
}

/// T_0(x) .. T_(n - 1)(x).
void Chebyshev(double x, std::size_t n, double* out) {
  for (std::size_t k = 0; k < n; ++k) out[k] = k == 0 ? 1.0 : (k == 1 ? x : 2.0 * x * out[k - 1] - out[k - 2]);
}

/// E T_k(x) from E x^k: the polynomials' coefficients follow from their recurrence.
std::vector<double> ChebyshevMoments(Span<double const> moments) {
  auto const n = moments.size();
  std::vector<std::vector<double>> terms(n, std::vector<double>(n, 0.0));
  std::vector<double> means(n, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    if (k < 2) {
      terms[k][k] = 1.0;
    } else {
      for (std::size_t i = 0; i <= k; ++i) terms[k][i] = (i > 0 ? 2.0 * terms[k - 1][i - 1] : 0.0) - terms[k - 2][i];
    }
    for (std::size_t i = 0; i <= k; ++i) means[k] += terms[k][i] * moments[i];
  }
  return means;
}

/// Newton's method on the dual.
class MaxEntropy {
 public:
  explicit MaxEntropy(std::vector<double> means) : means_(std::move(means)), n_(means_.size()), theta_(n_, 0.0) {
    static Rule const kRule = MakeRule();
    rule_ = &kRule;
    theta_[0] = std::log(0.5);
    basis_.resize(kPoints * 2 * n_);
    for (std::size_t point = 0; point < kPoints; ++point) {
      Chebyshev(kRule.points[point], 2 * n_, basis_.data() + point * 2 * n_);
    }
  }

  /// False where it does not converge.
  bool Solve() {
    constexpr int kMaxSteps = 100;
    constexpr double kTolerance = 1e-9;
    auto dual = Integrate(theta_);
    for (int step = 0; step < kMaxSteps && std::isfinite(dual); ++step) {
      std::vector<double> gradient(n_);
      double largest = 0.0;
      for (std::size_t k = 0; k < n_; ++k) {
        gradient[k] = integrals_[k] - means_[k];
        largest = std::max(largest, std::fabs(gradient[k]));
      }
      if (largest < kTolerance) return true;
      auto direction = gradient;
      if (!SolveHessian(&direction) || !Step(gradient, direction, &dual)) return false;
    }
    return false;
  }

  std::vector<double> const& Theta() const { return theta_; }

 private:
  /// The dual at theta; integrals_ becomes those of T_k times the density.
  double Integrate(std::vector<double> const& theta) {
    integrals_.assign(2 * n_, 0.0);
    for (std::size_t point = 0; point < kPoints; ++point) {
      auto const* basis = basis_.data() + point * 2 * n_;
      double exponent = 0.0;
      for (std::size_t k = 0; k < n_; ++k) exponent += theta[k] * basis[k];
      auto const mass = rule_->weights[point] * std::exp(exponent);
      for (std::size_t k = 0; k < 2 * n_; ++k) integrals_[k] += mass * basis[k];
    }
    auto dual = integrals_[0];
    for (std::size_t k = 0; k < n_; ++k) dual -= theta[k] * means_[k];
    return dual;
  }

  /// Cholesky; T_a T_b is the mean of T_(a + b) and T_|a - b|, so the integrals at hand are the Hessian.
  bool SolveHessian(std::vector<double>* x) const {
    constexpr double kRidge = 1e-14;
    std::vector<double> lower(n_ * n_);
    for (std::size_t a = 0; a < n_; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        auto sum = 0.5 * (integrals_[a + b] + integrals_[a - b]) + (a == b ? kRidge : 0.0);
        for (std::size_t k = 0; k < b; ++k) sum -= lower[a * n_ + k] * lower[b * n_ + k];
        if (a == b && !(sum > 0.0)) return false;
        lower[a * n_ + b] = a == b ? std::sqrt(sum) : sum / lower[b * n_ + b];
      }
    }
    for (std::size_t a = 0; a < n_; ++a) {
      for (std::size_t k = 0; k < a; ++k) (*x)[a] -= lower[a * n_ + k] * (*x)[k];
      (*x)[a] /= lower[a * n_ + a];
    }
    for (std::size_t a = n_; a-- > 0;) {
      for (std::size_t k = a + 1; k < n_; ++k) (*x)[a] -= lower[k * n_ + a] * (*x)[k];
      (*x)[a] /= lower[a * n_ + a];
    }
    return true;
  }

  /// Against the direction, halved until the dual falls by a share of what its slope promises.
  bool Step(std::vector<double> const& gradient, std::vector<double> const& direction, double* dual) {
    constexpr double kShare = 1e-4;
    constexpr double kSmallestStep = 1e-10;
    double slope = 0.0;
    for (std::size_t k = 0; k < n_; ++k) slope += gradient[k] * direction[k];
    auto const rounding = 1e-15 * std::fabs(*dual);
    for (auto length = 1.0; length > kSmallestStep; length *= 0.5) {
      auto next = theta_;
      for (std::size_t k = 0; k < n_; ++k) next[k] -= length * direction[k];
      auto const value = Integrate(next);
      if (std::isfinite(value) && value <= *dual - kShare * length * slope + rounding) {
        theta_ = std::move(next);
        *dual = value;
        return true;
      }
    }
    return false;
  }

  std::vector<double> means_;
  std::size_t n_;
  std::vector<double> theta_;
  Rule const* rule_;
  std::vector<double> basis_;      ///< [kPoints, 2 n]
  std::vector<double> integrals_;  ///< [2 n]
};

double PlaceOf(double cell) { return 2.0 * cell / static_cast<double>(kCdfCells) - 1.0; }

}  // namespace

std::vector<double> MaxEntropyCdf(Span<double const> moments) {
  std::vector<double> theta{0.0};
  for (auto n = moments.size(); n > 1; --n) {
    MaxEntropy fit(ChebyshevMoments(moments.subspan(0, n)));
    if (!fit.Solve()) continue;
    theta = fit.Theta();
    break;
  }
  std::vector<double> basis(theta.size());
  std::vector<double> cdf(kCdfCells + 1, 0.0);
  for (std::size_t cell = 0; cell < kCdfCells; ++cell) {
    Chebyshev(PlaceOf(static_cast<double>(cell) + 0.5), theta.size(), basis.data());
    double exponent = 0.0;
    for (std::size_t k = 0; k < theta.size(); ++k) exponent += theta[k] * basis[k];
    cdf[cell + 1] = cdf[cell] + std::exp(exponent);
  }
  auto const total = cdf.back();
  for (auto& value : cdf) value /= total;
  return cdf;
}

std::vector<double> LegendreCdf(Span<double const> moments) {
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
  std::vector<double> cdf(kCdfCells + 1, 0.0);
  for (std::size_t cell = 0; cell <= kCdfCells; ++cell) {
    auto const x = PlaceOf(static_cast<double>(cell));
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
    places.push_back(PlaceOf(static_cast<double>(cell) + part));
  }
  return places;
}

}  // namespace kauri
