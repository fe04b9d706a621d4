/// \file What rows weigh where cuts are made: as integers, whose sums do not depend on the order of the rows.
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

/// The unit is a power of two, so small that the weights of all rows add up to less than 2^62: whole weights of up to
/// 24 bits stay as they are up to that factor, which ranks do not mind, and others keep their leading bits. One that is
/// less than a unit counts as none.
class WeightUnit {
 public:
  /// largest: of the weights of n_rows rows.
  WeightUnit(float largest, std::int64_t n_rows) {
    constexpr int kTotalBits = 61;
    int exponent = 0;
    std::frexp(static_cast<double>(largest) * static_cast<double>(n_rows), &exponent);  // the product is below 2^that
    per_one_ = std::ldexp(1.0, kTotalBits - exponent);
  }
  /// The whole units in a weight.
  KAURI_HD std::int64_t Of(float weight) const { return static_cast<std::int64_t>(weight * per_one_); }

 private:
  double per_one_;
};

/// The unit of weights ([n_rows] of this rank, or empty) where those of n_rows rows of all ranks are given; none where
/// no rank has weights. \throws Error(kData) on a rank that has rows without weights where another has weights.
std::optional<WeightUnit> FindWeightUnit(Context const& ctx, Span<float const> weights, std::int64_t n_rows_here,
                                         std::int64_t n_rows);

/// [n_rows], the weight of each row, that of its query where there are queries; empty where none are given. \throws
/// Error(kData) as CheckQueries does.
std::vector<float> WeightPerRow(MetaInfo const& info);

/// The same, what CutOptions takes: empty when the rows of all ranks weigh the same.
std::vector<float> CutWeights(Context const& ctx, MetaInfo const& info);

}  // namespace kauri
