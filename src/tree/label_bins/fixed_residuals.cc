#include "tree/label_bins/fixed_residuals.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/parallel_for.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 14;

/// So that n numbers of this size add up to less than 2^62.
double UnitFor(double largest, std::int64_t n) {
  constexpr int kTotalBits = 61;
  int exponent = 0;
  std::frexp(largest * static_cast<double>(n), &exponent);
  return std::ldexp(1.0, exponent - kTotalBits);
}

/// Of weights above 0, and of weighted residuals.
struct Extremes {
  double largest_weight = 0.0;
  double least_weight = std::numeric_limits<double>::infinity();
  double largest_product = 0.0;
  double magnitude = 0.0;  ///< their sum

  void Add(double weight, double product) {
    largest_weight = std::max(largest_weight, weight);
    if (weight > 0.0) least_weight = std::min(least_weight, weight);
    largest_product = std::max(largest_product, product);
    magnitude += product;
  }
  void Add(Extremes const& other) {
    largest_weight = std::max(largest_weight, other.largest_weight);
    least_weight = std::min(least_weight, other.least_weight);
    largest_product = std::max(largest_product, other.largest_product);
    magnitude += other.magnitude;
  }
};

/// As std::llround, but in line.
std::int64_t Round(double value) {
  auto const whole = static_cast<std::int64_t>(value);
  auto const rest = value - static_cast<double>(whole);
  return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
}

}  // namespace

FixedResiduals::FixedResiduals(Context const& ctx, LineErrors const& errors, Span<std::uint8_t const> sampled)
    : errors_(errors), rows_(errors.residuals.size()) {
  auto const n = static_cast<std::int64_t>(rows_.size());
  auto const weight_of = [&](std::int64_t row) {
    auto const is_out = (!sampled.empty() && sampled[row] == 0) || std::isnan(errors.residuals[row]);
    return is_out ? 0.0 : (errors.weights.empty() ? 1.0 : static_cast<double>(errors.weights[row]));
  };
  auto const product_of = [&](std::int64_t row) {
    auto const weight = weight_of(row);
    return weight > 0.0 ? weight * static_cast<double>(errors.residuals[row]) : 0.0;
  };
  std::vector<Extremes> extremes(static_cast<std::size_t>(NumBlocks(n, kRowsPerBlock)));
  ParallelForBlocks(ctx, n, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    Extremes found;
    for (auto row = begin; row < end; ++row) found.Add(weight_of(row), std::fabs(product_of(row)));
    extremes[static_cast<std::size_t>(block)] = found;
  });
  if (n == 0) return;
  Extremes all;
  for (auto const& block : extremes) all.Add(block);
  weight_unit_ = UnitFor(all.largest_weight, n);
  product_unit_ = UnitFor(all.largest_product, n);
  magnitude_ = all.magnitude;
  least_weight_ = all.least_weight;
  ParallelForBlocks(ctx, n, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = begin; row < end; ++row) {
      rows_[row] = {Round(weight_of(row) / weight_unit_), Round(product_of(row) / product_unit_)};
    }
  });
}

/// In units of the loss. What constants are multiplied with is at most the magnitude over the share of the quantile's
/// nearer side; an integer is off by a half.
double FixedResiduals::Rounding() const {
  constexpr auto kOfSums = 0x1p-44;  // far more than that of a dozen operations
  auto const slopes = errors_.above + errors_.below;
  auto const largest = magnitude_ * (1.0 + slopes / std::min(errors_.above, errors_.below));
  auto const of_weights = weight_unit_ / least_weight_;
  return slopes * (largest * (kOfSums + of_weights) + 2.0 * static_cast<double>(rows_.size()) * product_unit_);
}

}  // namespace kauri
