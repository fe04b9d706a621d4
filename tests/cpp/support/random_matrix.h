/// \file Seeded random data for tests, the same on every machine because the library's counter-based generator is used.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "common/fixed_point.h"
#include "common/random/random.h"
#include "kauri/data_matrix.h"

namespace kauri::testing {

/// A stream of random numbers.
class Random {
 public:
  explicit Random(std::uint64_t seed) : key_(MixBits(seed)) {}
  double Uniform() { return RandomUniform(key_, counter_++); }
  std::uint32_t Below(std::uint32_t bound) { return RandomBelow(key_, counter_++, bound); }
  float Normal() {
    auto const radius = std::sqrt(-2.0 * std::log(1.0 - Uniform()));
    return static_cast<float>(radius * std::cos(6.283185307179586 * Uniform()));
  }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

struct MatrixSpec {
  std::int64_t n_rows = 100;
  std::int64_t n_cols = 4;
  double missing = 0.0;          ///< probability for each cell
  std::uint32_t n_distinct = 0;  ///< small integers 0 .. n_distinct - 1; 0: normal deviates
  bool sparse = false;           ///< CSR storage
  std::uint64_t seed = 0;
};

/// Returns [n_rows, n_cols] row-major values, NaN where missing.
inline std::vector<float> MakeValues(MatrixSpec const& spec) {
  Random random(spec.seed);
  std::vector<float> values(spec.n_rows * spec.n_cols);
  for (auto& value : values) {
    auto const drawn = spec.n_distinct == 0 ? random.Normal() : static_cast<float>(random.Below(spec.n_distinct));
    value = random.Uniform() < spec.missing ? std::numeric_limits<float>::quiet_NaN() : drawn;
  }
  return values;
}

/// Makes a matrix; NaN cells are left out of CSR storage.
inline std::unique_ptr<DataMatrix> MakeMatrix(std::vector<float> const& values, std::int64_t n_cols, bool sparse) {
  auto const n_rows = static_cast<std::int64_t>(values.size()) / n_cols;
  if (!sparse) return DataMatrix::FromDense({FloatVector(values.begin(), values.end())}, n_rows, n_cols);
  CsrStorage csr;
  csr.row_ptr.push_back(0);
  for (std::size_t cell = 0; cell < values.size(); ++cell) {
    auto const feature = static_cast<std::uint32_t>(cell % static_cast<std::size_t>(n_cols));
    if (!std::isnan(values[cell])) {
      csr.features.push_back(feature);
      csr.values.push_back(values[cell]);
    }
    if (feature + 1 == n_cols) csr.row_ptr.push_back(static_cast<std::int64_t>(csr.features.size()));
  }
  return DataMatrix::FromCsr(std::move(csr), n_cols);
}

inline std::unique_ptr<DataMatrix> MakeMatrix(MatrixSpec const& spec) {
  return MakeMatrix(MakeValues(spec), spec.n_cols, spec.sparse);
}

/// Returns columns of 2 to 9 different values, one of which fills four rows in five; in every third column that value
/// is NaN if `missing` is set. The last column has distinct numbers.
inline std::vector<float> MakeFlagValues(std::int64_t n_rows, std::int64_t n_cols, bool missing, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values;
  for (std::int64_t row = 0; row < n_rows; ++row) {
    for (std::int64_t column = 0; column + 1 < n_cols; ++column) {
      auto const most_frequent = missing && column % 3 == 0 ? std::numeric_limits<float>::quiet_NaN() : 0.0F;
      auto const other = static_cast<float>(1 + random.Below(1 + column % 8));
      values.push_back(random.Below(5) == 0 ? other : most_frequent);
    }
    values.push_back(static_cast<float>(random.Normal()));
  }
  return values;
}

/// Returns [n_rows, n_variables * n_levels] row-major values: one of each variable's columns is 1, or none if its value
/// is missing; the others are 0, or NaN with `absent`.
inline std::vector<float> MakeOneHotValues(std::int64_t n_rows, std::uint32_t n_variables, std::uint32_t n_levels,
                                           bool absent, double missing = 0.0) {
  Random random(77);
  auto const n_cols = static_cast<std::size_t>(n_variables) * n_levels;
  std::vector<float> values(static_cast<std::size_t>(n_rows) * n_cols,
                            absent ? std::numeric_limits<float>::quiet_NaN() : 0.0F);
  for (std::size_t row = 0; row < static_cast<std::size_t>(n_rows); ++row) {
    for (std::size_t variable = 0; variable < n_variables; ++variable) {
      auto const level = random.Below(n_levels);
      if (random.Uniform() >= missing) values[row * n_cols + variable * n_levels + level] = 1.0F;
    }
  }
  return values;
}

/// Returns column costs: zero, less than most splits gain, about as much, or more than any gain.
inline std::vector<float> MakeCosts(std::int64_t n_cols, Random* random) {
  constexpr float kCosts[] = {0.0F, 0.1F, 1.0F, 3.0F, 10.0F, 1e30F};
  std::vector<float> costs(n_cols);
  for (auto& cost : costs) cost = kCosts[random->Below(6)];
  return costs;
}

/// Makes the gradients of one output: normal gradients, hessians in (0, 1], one row in ten with weight 0.
inline FixedGradients MakeGradients(std::int64_t n_rows, std::uint64_t seed, Span<std::uint8_t const> sampled = {}) {
  Random random(seed);
  std::vector<GradientPair> pairs(n_rows);
  for (auto& pair : pairs) {
    auto const weight = random.Below(10) == 0 ? 0.0F : 1.0F;
    pair = {weight * random.Normal(), weight * static_cast<float>(1.0 - random.Uniform())};
  }
  FixedGradients fixed;
  QuantiseGradients(Context{}, pairs, 1, 0, sampled, &fixed);
  return fixed;
}

}  // namespace kauri::testing
