/// \file Views of a caller's arrays for predictions, which may hold infinite values.
///
/// Trees compare infinities like any value beyond every threshold, but bins cannot hold them. Stored data with
/// infinities are therefore refused; rows that are predicted in place may hold them for clients that expect it
/// (XGBoost's).
#pragma once

#include <cstdint>
#include <memory>

#include "kauri/data_matrix.h"

namespace kauri {

/// Treatment of infinite values in a view: an error, as in the views of data_matrix.h, or accepted as they are.
enum class Infinities { kRefused, kTaken };

/// Rules for the values of a caller.
struct ValueRules {
  float missing;  ///< the number that represents a missing value, or NaN
  Infinities infinities;
};

std::unique_ptr<DataView> MakeDenseView(ArrayView const& array, ValueRules const& rules, Context const& ctx);
std::unique_ptr<DataView> MakeCsrView(ArrayView const& indptr, ArrayView const& indices, ArrayView const& values,
                                      std::int64_t n_cols, ValueRules const& rules, Context const& ctx);

}  // namespace kauri
