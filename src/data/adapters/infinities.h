/// \file Views of a caller's arrays for predictions, which may hold infinite values.
///
/// Trees take infinities for what they are, beyond every threshold, while no bins hold them. So data that are kept are
/// refused with them; rows that are predicted in place are for clients that expect it (XGBoost's).
#pragma once

#include <cstdint>
#include <memory>

#include "kauri/data_matrix.h"

namespace kauri {

/// What a view makes of infinite values: an error, as those of data_matrix.h do, or what they are.
enum class Infinities { kRefused, kTaken };

/// What becomes of a caller's values.
struct ValueRules {
  float missing;  ///< the number that stands for a missing value, or NaN
  Infinities infinities;
};

std::unique_ptr<DataView> MakeDenseView(ArrayView const& array, ValueRules const& rules, Context const& ctx);
std::unique_ptr<DataView> MakeCsrView(ArrayView const& indptr, ArrayView const& indices, ArrayView const& values,
                                      std::int64_t n_cols, ValueRules const& rules, Context const& ctx);

}  // namespace kauri
