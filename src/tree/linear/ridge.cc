#include "tree/linear/ridge.h"

#include <cmath>
#include <cstddef>

namespace kauri {
namespace {

/// Minimum share of a variable's own sum of squares that must remain after the previous variables.
constexpr double kDetermined = 1e-10;

std::size_t At(std::size_t row, std::size_t column) { return row * (row + 1) / 2 + column; }

/// Factorises in place. The columns of variables left out are 0, including their diagonal.
void Factorise(std::size_t n, std::vector<double>* lower) {
  auto& a = *lower;
  for (std::size_t column = 0; column < n; ++column) {
    auto const whole = a[At(column, column)];
    auto rest = whole;
    for (std::size_t i = 0; i < column; ++i) rest -= a[At(column, i)] * a[At(column, i)];
    auto const diagonal = rest > kDetermined * whole ? std::sqrt(rest) : 0.0;
    a[At(column, column)] = diagonal;
    for (auto row = column + 1; row < n; ++row) {
      auto value = a[At(row, column)];
      for (std::size_t i = 0; i < column; ++i) value -= a[At(row, i)] * a[At(column, i)];
      a[At(row, column)] = diagonal > 0.0 ? value / diagonal : 0.0;
    }
  }
}

}  // namespace

std::vector<double> SolveSemidefinite(std::vector<double> lower, Span<double const> b) {
  auto const n = b.size();
  Factorise(n, &lower);
  std::vector<double> x(b.begin(), b.end());
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t i = 0; i < row; ++i) x[row] -= lower[At(row, i)] * x[i];
    auto const diagonal = lower[At(row, row)];
    x[row] = diagonal > 0.0 ? x[row] / diagonal : 0.0;
  }
  for (auto row = n; row-- > 0;) {
    for (auto i = row + 1; i < n; ++i) x[row] -= lower[At(i, row)] * x[i];
    auto const diagonal = lower[At(row, row)];
    x[row] = diagonal > 0.0 ? x[row] / diagonal : 0.0;
  }
  return x;
}

}  // namespace kauri
