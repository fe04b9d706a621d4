#include "tree/label_bins/fixed_residuals.h"

#include <algorithm>
#include <cmath>

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
  std::vector<double> largest_weight(static_cast<std::size_t>(NumBlocks(n, kRowsPerBlock)), 0.0);
  auto largest_product = largest_weight;
  ParallelForBlocks(ctx, n, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
    for (auto row = begin; row < end; ++row) {
      largest_weight[block] = std::max(largest_weight[block], weight_of(row));
      largest_product[block] = std::max(largest_product[block], std::fabs(product_of(row)));
    }
  });
  if (n == 0) return;
  weight_unit_ = UnitFor(*std::max_element(largest_weight.begin(), largest_weight.end()), n);
  product_unit_ = UnitFor(*std::max_element(largest_product.begin(), largest_product.end()), n);
  ParallelForBlocks(ctx, n, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto row = begin; row < end; ++row) {
      rows_[row] = {std::llround(weight_of(row) / weight_unit_), std::llround(product_of(row) / product_unit_)};
    }
  });
}

}  // namespace kauri
