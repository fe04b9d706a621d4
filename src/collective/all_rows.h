/// \file Gathers the rows of all ranks in their global order, for computations that are not sums.
///
/// Volume and memory: 4 bytes per row and column on every rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kauri/collective.h"
#include "kauri/meta_info.h"

namespace kauri {

/// A column with the same number of values for each row.
struct RowColumn {
  std::string name;          ///< for messages
  Span<float const> values;  ///< [n_rows, width], row-major; width 0 if there are no values
};

struct AllRows {
  std::int64_t n_rows = 0;
  std::vector<std::vector<float>> columns;  ///< [n_columns]: [n_rows, width] each
};

/// Returns the columns of all ranks, on every rank. Requires IsDistributed. \throws Error(kData) unless all ranks with
/// rows have the same number of values per row, and each row exists exactly once; Error(kCollective) for a message that
/// is inconsistent with the rank's rows.
AllRows GatherRows(Context const& ctx, MetaInfo const& info, std::vector<RowColumn> const& columns);

/// Labels, row weights and values, [n_rows, n_outputs], of all ranks.
struct AllLabels {
  MetaInfo info;  ///< only n_rows, n_targets, labels and weights are set
  std::vector<float> values;
};
AllLabels GatherLabels(Context const& ctx, MetaInfo const& info, Span<float const> values);

/// Returns a context without ranks, for a function whose arguments already cover all ranks.
inline Context Alone(Context ctx) {
  ctx.collective = nullptr;
  return ctx;
}

}  // namespace kauri
