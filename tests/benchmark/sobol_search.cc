/// \file Chooses the first numbers of Sobol's sequence: prints src/shapley/sobol_points.cc's table.
///
///   sobol_search [dimensions 1111] [draws 256]
///
/// For one dimension after the other it takes, among the draws numbered by SobolDirections, the one of least cost. The
/// cost is the sum over the earlier dimensions and m = 3 .. 10 of 2^t, where the first 2^m points of the two dimensions
/// are a (t, m, 2)-net (Niederreiter 1987), and, up to dimension 23, 0.3 times the same sum over pairs of earlier
/// dimensions. The printed table does not depend on how many dimensions follow. It takes a few minutes for all.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "shapley/sobol_points.h"

namespace kauri {
namespace {

constexpr int kLeast = 3;
constexpr int kMost = 10;
constexpr std::int32_t kTripleDimensions = 24;
constexpr double kTripleWeight = 0.3;

/// The bits of a coordinate, highest first, as functions of the bits of a point's number.
using Rows = std::vector<std::uint32_t>;

Rows RowsOf(std::vector<std::uint32_t> const& directions) {
  Rows rows(kMost, 0);
  for (unsigned bit = 0; bit < kMost; ++bit) {
    for (unsigned column = 0; column < kMost; ++column) {
      rows[bit] |= (directions[column] >> (31U - bit) & 1U) << column;
    }
  }
  return rows;
}

/// A set of independent rows over the field of two elements.
class Basis {
 public:
  /// Adds a row. Returns false, without a change, if the row depends on the present ones.
  bool Add(std::uint32_t row) {
    while (row != 0) {
      auto& with_bit = rows_[31 - __builtin_clz(row)];
      if (with_bit == 0) {
        with_bit = row;
        return true;
      }
      row ^= with_bit;
    }
    return false;
  }

 private:
  std::uint32_t rows_[kMost] = {};
};

/// Lowers `strength` to the largest number k such that any k leading rows are independent: the `taken` rows of `basis`
/// and rows of the dimensions from `next` on.
void LowerStrength(Basis basis, int taken, std::vector<Rows const*> const& dimensions, std::size_t next,
                   std::uint32_t columns, int* strength) {
  for (int count = 0; taken + count < *strength; ++count) {
    if (next + 1 < dimensions.size()) LowerStrength(basis, taken + count, dimensions, next + 1, columns, strength);
    if (taken + count >= *strength) return;
    if (!basis.Add((*dimensions[next])[static_cast<std::size_t>(count)] & columns)) *strength = taken + count;
  }
}

/// Returns the sum over m of 2^t.
double CostOf(std::vector<Rows const*> const& dimensions) {
  auto cost = 0.0;
  for (int m = kLeast; m <= kMost; ++m) {
    auto strength = m;
    LowerStrength(Basis(), 0, dimensions, 0, (1U << static_cast<unsigned>(m)) - 1U, &strength);
    cost += std::ldexp(1.0, m - strength);
  }
  return cost;
}

double CostOf(Rows const& rows, std::vector<Rows> const& before, double best) {
  auto cost = 0.0;
  for (auto other = before.begin(); other != before.end() && cost < best; ++other) cost += CostOf({&*other, &rows});
  if (static_cast<std::int32_t>(before.size()) >= kTripleDimensions) return cost;
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::size_t j = i + 1; j < before.size(); ++j) {
      cost += kTripleWeight * CostOf({&before[i], &before[j], &rows});
    }
  }
  return cost;
}

void Search(std::int32_t n_dimensions, std::uint32_t n_draws) {
  auto const polynomials = PrimitivePolynomials(n_dimensions - 1);
  std::vector<Rows> chosen(1);
  for (unsigned bit = 0; bit < kMost; ++bit) chosen[0].push_back(1U << bit);
  for (std::int32_t dimension = 1; dimension < n_dimensions; ++dimension) {
    auto best = std::numeric_limits<double>::infinity();
    std::uint32_t choice = 0;
    Rows best_rows;
    for (std::uint32_t draw = 0; draw < n_draws; ++draw) {
      auto const rows = RowsOf(SobolDirections(polynomials[static_cast<std::size_t>(dimension - 1)], dimension, draw));
      auto const cost = CostOf(rows, chosen, best);
      if (cost >= best) continue;
      best = cost;
      choice = draw;
      best_rows = rows;
    }
    chosen.push_back(best_rows);
    std::printf("%u,%s", choice, dimension % 24 == 0 ? "\n" : " ");
  }
  std::printf("\n");
}

}  // namespace
}  // namespace kauri

int main(int argc, char** argv) {
  kauri::Search(argc > 1 ? std::atoi(argv[1]) : kauri::kSobolDimensions,
                argc > 2 ? static_cast<std::uint32_t>(std::atoi(argv[2])) : 256U);
  return 0;
}
