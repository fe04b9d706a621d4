#include "tree/absolute_error/fixed_residuals.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/threads/parallel_for.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 14;

/// Extremes of positive weights and of weighted residuals.
struct Extremes {
  double largest_weight = 0.0;
  double least_weight = std::numeric_limits<double>::infinity();
  double largest_product = 0.0;
  double magnitude = 0.0;  ///< sum of the magnitudes of the products

  void Add(WeighedResidual const& row) {
    largest_weight = std::max(largest_weight, row.weight);
    if (row.weight > 0.0) least_weight = std::min(least_weight, row.weight);
    largest_product = std::max(largest_product, std::fabs(row.product));
    magnitude += std::fabs(row.product);
  }
  void Add(Extremes const& other) {
    largest_weight = std::max(largest_weight, other.largest_weight);
    least_weight = std::min(least_weight, other.least_weight);
    largest_product = std::max(largest_product, other.largest_product);
    magnitude += other.magnitude;
  }
};

}  // namespace

FixedResiduals::FixedResiduals(Context const& ctx, LineErrors const& errors, Span<std::uint8_t const> sampled)
    : errors_(errors), rows_(errors.residuals.size()) {
  auto const n = static_cast<std::int64_t>(rows_.size());
  auto const weighed = [&](std::int64_t row) {
    return Weigh(sampled.empty() || sampled[row] != 0, errors.residuals[row],
                 errors.weights.empty() ? 1.0F : errors.weights[row]);
  };
  std::vector<Extremes> extremes(static_cast<std::size_t>(NumBlocks(n, kRowsPerBlock)));
  ParallelForBlocks(ctx, n, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    Extremes found;
    for (auto row = begin; row < end; ++row) found.Add(weighed(row));
    extremes[static_cast<std::size_t>(block)] = found;
  });
  scale_.above = errors.above;
  scale_.below = errors.below;
  if (n == 0) return;
  Extremes all;
  for (auto const& block : extremes) all.Add(block);
  scale_.weight_unit = UnitFor(all.largest_weight, n);
  scale_.product_unit = UnitFor(all.largest_product, n);
  magnitude_ = all.magnitude;
  least_weight_ = all.least_weight;
  ParallelForBlocks(ctx, n, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = begin; row < end; ++row) rows_[row] = scale_.Fix(weighed(row));
  });
}

/// Computed in units of the loss. Constants are multiplied with at most the magnitude divided by the share of the
/// quantile's nearer side; an integer is off by at most one half.
double FixedResiduals::Rounding() const {
  constexpr auto kOfSums = 0x1p-44;  // far more than the rounding of a dozen operations
  auto const slopes = errors_.above + errors_.below;
  auto const largest = magnitude_ * (1.0 + slopes / std::min(errors_.above, errors_.below));
  auto const of_weights = scale_.weight_unit / least_weight_;
  return slopes * (largest * (kOfSums + of_weights) + 2.0 * static_cast<double>(rows_.size()) * scale_.product_unit);
}

}  // namespace kauri
