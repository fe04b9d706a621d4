/// The maximum-entropy density exp(sum theta_k T_k(x)) with the given moments, in Chebyshev polynomials T_k (Gan et al.
/// 2018; Mitchell et al. 2021, section 3).
///
/// 1. Newton's method on the convex dual, with Gauss-Legendre quadrature. Steps are halved until they lower the dual
///    enough.
/// 2. If exponents differ much, or a peak lies between two of 512 points, 2,048 points are used.
/// 3. If Newton's method fails from the flat density, it starts from the solution without the last moment.
/// 4. If it fails again, the moments lie at the edge of the feasible set. They are mixed with the moments of the flat
///    density: first a millionth of it, then ten times as much each time, up to a hundredth.
/// 5. If this fails, too, the last moment is dropped.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "research/sketch/moment_density.h"

namespace kauri {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr std::size_t kFewPoints = 512;
constexpr std::size_t kManyPoints = 2048;

struct Rule {
  std::vector<double> points;
  std::vector<double> weights;
};

/// Computes Gauss-Legendre points by Newton's method, starting at their asymptotic places.
Rule MakeRule(std::size_t n_points) {
  Rule rule;
  for (std::size_t i = 0; i < n_points; ++i) {
    auto x = std::cos(kPi * (static_cast<double>(i) + 0.75) / (static_cast<double>(n_points) + 0.5));
    double slope = 1.0;
    for (int step = 0; step < 5; ++step) {
      double before = 1.0;
      double value = x;
      for (std::size_t n = 2; n <= n_points; ++n) {
        auto const next = ((2.0 * static_cast<double>(n) - 1.0) * x * value - (static_cast<double>(n) - 1.0) * before) /
                          static_cast<double>(n);
        before = value;
        value = next;
      }
      slope = static_cast<double>(n_points) * (x * value - before) / (x * x - 1.0);
      x -= value / slope;
    }
    rule.points.push_back(x);
    rule.weights.push_back(2.0 / ((1.0 - x * x) * slope * slope));
  }
  return rule;
}

Rule const& RuleOf(std::size_t n_points) {
  static Rule const kFew = MakeRule(kFewPoints);
  if (n_points == kFewPoints) return kFew;
  static Rule const kMany = MakeRule(kManyPoints);
  return kMany;
}

/// Computes T_0(x) .. T_(n - 1)(x).
void Chebyshev(double x, std::size_t n, double* out) {
  for (std::size_t k = 0; k < n; ++k) out[k] = k == 0 ? 1.0 : (k == 1 ? x : 2.0 * x * out[k - 1] - out[k - 2]);
}

/// Returns E T_k(x) computed from E x^k. The coefficients of the polynomials follow from their recurrence.
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

/// std::exp without its slow paths for results beyond the range of float64.
double Exp(double exponent) {
  constexpr double kAllAbove = 710.0;
  constexpr double kAllBelow = -746.0;
  if (exponent > kAllAbove) return std::numeric_limits<double>::infinity();
  return exponent < kAllBelow ? 0.0 : std::exp(exponent);
}

/// Returns (1 - share) times the moments plus `share` times the moments of the flat density.
std::vector<double> Mixed(std::vector<double> means, double share) {
  for (std::size_t k = 0; k < means.size(); ++k) {
    auto const order = static_cast<double>(k);
    auto const flat = k % 2 == 1 ? 0.0 : 1.0 / (1.0 - order * order);
    means[k] = (1.0 - share) * means[k] + share * flat;
  }
  return means;
}

/// Newton's method on the dual problem.
class MaxEntropy {
 public:
  /// start: theta for at most the same number of moments, or empty for the flat density.
  MaxEntropy(std::vector<double> means, std::size_t n_points, std::vector<double> start)
      : means_(std::move(means)), n_(means_.size()), theta_(std::move(start)), rule_(&RuleOf(n_points)) {
    if (theta_.empty()) theta_.push_back(std::log(0.5));
    theta_.resize(n_, 0.0);
    basis_.resize(n_points * 2 * n_);
    for (std::size_t point = 0; point < n_points; ++point) {
      Chebyshev(rule_->points[point], 2 * n_, basis_.data() + point * 2 * n_);
    }
  }

  /// Returns false if it does not converge.
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
  /// Returns the difference between the largest and the smallest exponent of the solution.
  double ExponentRange() const { return highest_ - lowest_; }

 private:
  /// Returns the dual at theta. Sets integrals_ to the integrals of T_k times the density.
  double Integrate(std::vector<double> const& theta) {
    integrals_.assign(2 * n_, 0.0);
    for (std::size_t point = 0; point < rule_->points.size(); ++point) {
      auto const* basis = basis_.data() + point * 2 * n_;
      double exponent = 0.0;
      for (std::size_t k = 0; k < n_; ++k) exponent += theta[k] * basis[k];
      lowest_ = point == 0 ? exponent : std::min(lowest_, exponent);
      highest_ = point == 0 ? exponent : std::max(highest_, exponent);
      auto const mass = rule_->weights[point] * Exp(exponent);
      if (mass == 0.0) continue;
      for (std::size_t k = 0; k < 2 * n_; ++k) integrals_[k] += mass * basis[k];
    }
    auto dual = integrals_[0];
    for (std::size_t k = 0; k < n_; ++k) dual -= theta[k] * means_[k];
    return dual;
  }

  /// Solves by Cholesky factorisation. T_a T_b is the mean of T_(a + b) and T_|a - b|, so the integrals computed
  /// already give the Hessian.
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

  /// Steps against the direction. Halves the step until the dual falls by a share of the decrease that its slope
  /// predicts.
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
  std::vector<double> basis_;      ///< [points, 2 n]
  std::vector<double> integrals_;  ///< [2 n]
  double lowest_ = 0.0;            ///< smallest exponent at the points
  double highest_ = 0.0;
};

/// Quadrature points of the cells of a distribution, at even steps of the angle t with x = cos(t), in which exponents
/// are smooth. A cell near an end has many points.
struct CellRule {
  Rule rule;
  std::vector<std::size_t> begin;  ///< [kCdfCells + 1]: the first point of each cell
};

CellRule MakeCellRule() {
  CellRule cells;
  for (std::size_t cell = 0; cell < kCdfCells; ++cell) {
    cells.begin.push_back(cells.rule.points.size());
    auto const last = std::acos(CdfPlace(static_cast<double>(cell)));
    auto const first = std::acos(CdfPlace(static_cast<double>(cell + 1)));
    auto const n_steps = std::ceil((last - first) * static_cast<double>(kCdfCells) / kPi);
    auto const step = (last - first) / n_steps;
    for (auto at = 0.5; at < n_steps; at += 1.0) {
      cells.rule.points.push_back(std::cos(first + at * step));
      cells.rule.weights.push_back(2.0 * std::sin(first + at * step) * std::sin(0.5 * step));  // the width of the piece
    }
  }
  cells.begin.push_back(cells.rule.points.size());
  return cells;
}

/// Returns the mass below each place, not normalised: [kCdfCells + 1].
std::vector<double> MassBelow(std::vector<double> const& theta) {
  static CellRule const kCells = MakeCellRule();
  std::vector<double> below(kCdfCells + 1, 0.0);
  std::vector<double> basis(theta.size());
  for (std::size_t cell = 0; cell < kCdfCells; ++cell) {
    auto mass = 0.0;
    for (auto point = kCells.begin[cell]; point < kCells.begin[cell + 1]; ++point) {
      Chebyshev(kCells.rule.points[point], theta.size(), basis.data());
      auto exponent = 0.0;
      for (std::size_t k = 0; k < theta.size(); ++k) exponent += theta[k] * basis[k];
      mass += Exp(exponent) * kCells.rule.weights[point];
    }
    below[cell + 1] = below[cell] + mass;
  }
  return below;
}

struct Density {
  std::vector<double> theta;
  std::vector<double> below;  ///< MassBelow(theta)
};
using MaybeDensity = std::optional<Density>;

/// Returns the density of a fit, or none unless the points captured all of its mass: a peak between two points makes
/// the mass far more than 1.
MaybeDensity Seen(MaxEntropy const& fit) {
  constexpr double kUnseen = 0.02;
  Density density{fit.Theta(), MassBelow(fit.Theta())};
  if (!(std::fabs(density.below.back() - 1.0) < kUnseen)) return std::nullopt;
  return density;
}

/// Solves with the number of points that is needed.
MaybeDensity Solution(std::vector<double> const& means, std::vector<double> const& start) {
  MaxEntropy fit(means, kFewPoints, start);
  auto const is_solved = fit.Solve();
  if (is_solved) {
    if (auto density = Seen(fit)) return density;
  }
  constexpr double kSteep = 60.0;
  if (!is_solved && fit.ExponentRange() <= kSteep) return std::nullopt;
  MaxEntropy finer(means, kManyPoints, start);
  return finer.Solve() ? Seen(finer) : std::nullopt;
}

/// Returns the solution for all moments but the last, each solution starting from the one before; empty if there is
/// none.
std::vector<double> SolutionBelow(std::vector<double> const& means) {
  std::vector<double> start;
  for (std::size_t n = 2; n < means.size(); ++n) {
    auto below = Solution({means.begin(), means.begin() + static_cast<std::ptrdiff_t>(n)}, start);
    if (below) start = std::move(below->theta);
  }
  return start;
}

/// Returns a density with all moments, or with moments near them; none if no density is found.
MaybeDensity Fit(std::vector<double> const& means) {
  if (auto density = Solution(means, {})) return density;
  auto const start = SolutionBelow(means);
  if (auto density = Solution(means, start)) return density;
  for (auto const share : {1e-6, 1e-5, 1e-4, 1e-3, 1e-2}) {
    auto const mixed = Mixed(means, share);
    if (auto density = Solution(mixed, start)) return density;
    if (auto density = Solution(mixed, {})) return density;
  }
  return std::nullopt;
}

}  // namespace

std::vector<double> MaxEntropyCdf(Span<double const> moments, std::size_t* n_used) {
  Density density{{0.0}, MassBelow({0.0})};
  for (auto n = moments.size(); n > 1; --n) {
    auto fit = Fit(ChebyshevMoments(moments.subspan(0, n)));
    if (!fit) continue;
    density = *std::move(fit);
    break;
  }
  if (n_used != nullptr) *n_used = density.theta.size();
  auto const total = density.below.back();
  for (auto& value : density.below) value /= total;
  return std::move(density.below);
}

}  // namespace kauri
