/// \file The discount of ndcg for the gain at a rank. Host and device.
#pragma once

#include <cstdint>
#include <vector>

#include "common/math.h"
#include "kauri/context.h"
#include "kauri/host_device.h"

namespace kauri {

/// Returns 1 / log2(place + 2); places count from 0.
KAURI_HD double RankDiscount(std::int64_t place) { return 0.69314718055994531 / Log(static_cast<double>(place) + 2.0); }

/// Returns the discounts of the first n places.
std::vector<double> RankDiscounts(Context const& ctx, std::int64_t n);

}  // namespace kauri
