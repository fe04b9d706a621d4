/// \file What all ranks know of their rows, in one place, the rows in their global order: for what cannot be added up.
///
/// Volume and memory: 4 bytes per row and column on every rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kauri/collective.h"
#include "kauri/meta_info.h"

namespace kauri {

/// As many values for each row.
struct RowColumn {
  std::string name;          ///< for messages
  Span<float const> values;  ///< [n_rows, width], row-major; width 0: none are given
};

struct AllRows {
  std::int64_t n_rows = 0;
  std::vector<std::vector<float>> columns;  ///< [n_columns]: [n_rows, width] each
};

/// On every rank the columns of all. Only where IsDistributed. \throws Error(kData) unless every rank that has rows has
/// as many values for each, and each row is there exactly once; Error(kCollective) for bytes that are not what a rank
/// has.
AllRows GatherRows(Context const& ctx, MetaInfo const& info, std::vector<RowColumn> const& columns);

/// Labels, weights of rows and values, [n_rows, n_outputs], of all ranks.
struct AllLabels {
  MetaInfo info;  ///< n_rows, n_targets, labels and weights alone
  std::vector<float> values;
};
AllLabels GatherLabels(Context const& ctx, MetaInfo const& info, Span<float const> values);

/// For a call that is given what all ranks know.
inline Context Alone(Context ctx) {
  ctx.collective = nullptr;
  return ctx;
}

}  // namespace kauri
