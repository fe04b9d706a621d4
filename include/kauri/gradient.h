/// \file Gradient pairs: float from the objective, fixed point wherever they are added.
///
/// Each output has, per round, one power-of-two unit for the gradients and one for the hessians, chosen so that the
/// largest magnitude becomes an integer below 2^30. Sums are int64, so 2^32 rows cannot overflow, and integer sums
/// commute: any order, thread count or device gives the same tree.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/host_device.h"
#include "kauri/span.h"

namespace kauri {

/// First and second derivative of the loss of one row with respect to one margin.
struct GradientPair {
  float gradient;
  float hessian;
};

/// A GradientPair in fixed point: value = integer * unit.
struct FixedPair {
  std::int32_t gradient;
  std::int32_t hessian;
};

/// A sum of pairs, each a FixedPair.
struct FixedSum {
  std::int64_t gradient = 0;
  std::int64_t hessian = 0;

  KAURI_HD FixedSum& operator+=(FixedPair pair) {
    gradient += pair.gradient;
    hessian += pair.hessian;
    return *this;
  }
  KAURI_HD FixedSum& operator+=(FixedSum other) {
    gradient += other.gradient;
    hessian += other.hessian;
    return *this;
  }
  KAURI_HD FixedSum operator-(FixedSum other) const { return {gradient - other.gradient, hessian - other.hessian}; }
  KAURI_HD FixedSum operator+(FixedSum other) const { return {gradient + other.gradient, hessian + other.hessian}; }
  KAURI_HD bool operator==(FixedSum other) const { return gradient == other.gradient && hessian == other.hessian; }
};

/// The float64 value of one integer step; powers of two, so that conversion is exact.
struct GradientUnit {
  double gradient = 1.0;
  double hessian = 1.0;
};

/// The gradients of one output, in the form that tree builders read. Not owning.
struct GradientView {
  Span<FixedPair const> pairs;  ///< [n_rows]
  GradientUnit unit;
};

/// The gradients of all outputs side by side, in the form that builders of vector leaves read. Not owning. A row holds
/// the integers of its gradients [n_outputs], then of its hessians [n_hessians], then zeros up to `stride`.
struct GradientTableView {
  Span<std::int32_t const> values;  ///< [n_rows, stride]
  Span<GradientUnit const> units;   ///< [n_outputs]
  std::int64_t n_hessians = 0;      ///< n_outputs, or 1 where each row has the same hessian for all outputs
  std::int64_t stride = 0;

  std::int64_t NumOutputs() const { return static_cast<std::int64_t>(units.size()); }
  /// Returns the index of an output's hessian within a row.
  std::int64_t HessianPlace(std::int64_t output) const { return NumOutputs() + (n_hessians == 1 ? 0 : output); }
};

}  // namespace kauri
