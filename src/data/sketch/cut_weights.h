/// \file Weights of rows for cuts: as integers, whose sums do not depend on the order of the rows.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "kauri/context.h"
#include "kauri/host_device.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

/// Converts weights to integers. The unit is a power of two, so small that the weights of all rows add up to less than
/// 2^62. Integer weights of up to 24 bits are represented exactly up to a common factor, which does not affect ranks;
/// other weights keep their leading bits. A weight below one unit counts as zero.
class WeightUnit {
 public:
  /// largest: the largest weight of n_rows rows.
  WeightUnit(float largest, std::int64_t n_rows) {
    constexpr int kTotalBits = 61;
    int exponent = 0;
    // the product is below 2^exponent
    std::frexp(static_cast<double>(largest) * static_cast<double>(n_rows), &exponent);
    per_one_ = std::ldexp(1.0, kTotalBits - exponent);
  }
  /// Returns the number of whole units in a weight.
  KAURI_HD std::int64_t Of(float weight) const { return static_cast<std::int64_t>(weight * per_one_); }

 private:
  double per_one_;
};

/// Returns the unit of weights for the n_rows rows of all ranks, or none if no rank has weights. weights: [n_rows_here]
/// of this rank, or empty. \throws Error(kData) on a rank that has rows without weights while another rank has weights.
std::optional<WeightUnit> FindWeightUnit(Context const& ctx, Span<float const> weights, std::int64_t n_rows_here,
                                         std::int64_t n_rows);

/// Returns the weight of each row, [n_rows], which is the weight of its query if there are queries; empty if no weights
/// are given. \throws Error(kData) as CheckQueries does.
std::vector<float> WeightPerRow(MetaInfo const& info);

/// Returns the weights in the form that CutOptions takes: as WeightPerRow, but empty if the rows of all ranks weigh the
/// same.
std::vector<float> CutWeights(Context const& ctx, MetaInfo const& info);

}  // namespace kauri
