/// \file Labels, weights, query groups and label bounds in device memory; not owning.
#pragma once

#include <cstdint>

#include "kauri/span.h"

namespace kauri::cuda {

struct DeviceInfo {
  std::int64_t n_rows = 0;
  std::int64_t n_targets = 1;
  Span<float const> labels;                 ///< [n_rows, n_targets]
  Span<float const> weights;                ///< [n_rows], [n_groups] for ranking, or empty: all 1
  Span<std::int64_t const> group_ptr = {};  ///< [n_groups + 1], from 0 to n_rows; empty: one group
  Span<float const> lower_bounds = {};      ///< [n_rows] or empty: label_lower_bound
  Span<float const> upper_bounds = {};      ///< [n_rows] or empty: label_upper_bound
  std::int64_t largest_group = 0;           ///< rows of the largest of the given groups
};

}  // namespace kauri::cuda
