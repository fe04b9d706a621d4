#include <algorithm>

#include "collective/row_ranges.h"
#include "data/meta_info.h"
#include "kauri/error.h"

namespace kauri {
namespace {

template <typename T>
void RequireSize(char const* field, std::vector<T> const& values, std::int64_t expected, char const* of_what) {
  if (values.empty() || static_cast<std::int64_t>(values.size()) == expected) return;
  Fail(ErrorKind::kData, field, " has ", values.size(), " values; expected ", expected, ", the number of ", of_what,
       ".");
}

void CheckGroups(MetaInfo const& info) {
  auto const& group_ptr = info.group_ptr;
  if (group_ptr.empty()) return;
  auto const ok =
      group_ptr.front() == 0 && group_ptr.back() == info.n_rows && std::is_sorted(group_ptr.begin(), group_ptr.end());
  if (!ok) {
    Fail(ErrorKind::kData, "query groups run from ", group_ptr.front(), " to ", group_ptr.back(),
         "; they must ascend from 0 to the number of rows, ", info.n_rows,
         ". Invalid query group structure: give sizes that add up to it.");
  }
}

void CheckBounds(MetaInfo const& info) {
  auto const& lower = info.label_lower_bound;
  auto const& upper = info.label_upper_bound;
  RequireSize("label_lower_bound", lower, info.n_rows, "rows");
  RequireSize("label_upper_bound", upper, info.n_rows, "rows");
  if (lower.empty() != upper.empty()) {
    Fail(ErrorKind::kData, lower.empty() ? "label_lower_bound" : "label_upper_bound", " is missing; give both bounds.");
  }
  for (std::size_t row = 0; row < lower.size(); ++row) {
    if (lower[row] > upper[row]) {
      Fail(ErrorKind::kData, "row ", row, ": label_lower_bound ", lower[row], " is above label_upper_bound ",
           upper[row], ".");
    }
  }
}

}  // namespace

void CheckWeightCount(MetaInfo const& info, std::int64_t n_weights) {
  auto const n_groups = static_cast<std::int64_t>(info.group_ptr.size()) - 1;
  if (n_weights == 0 || n_weights == (n_groups >= 0 ? n_groups : info.n_rows)) return;
  if (n_groups < 0) {
    Fail(ErrorKind::kData, "weight has ", n_weights, " values; give one sample weight per row, ", info.n_rows, ".");
  }
  Fail(ErrorKind::kData, "weight has ", n_weights, " values, which must be equal to the number of query groups, ",
       n_groups, "; give one per group, or leave the groups out to weigh rows.");
}

void CheckQueries(MetaInfo const& info) {
  CheckGroups(info);
  CheckWeightCount(info, static_cast<std::int64_t>(info.weights.size()));
}

void CheckBaseMargin(Span<float const> base_margin, std::int64_t n_rows, std::int64_t n_outputs) {
  if (base_margin.empty() || static_cast<std::int64_t>(base_margin.size()) == n_rows * n_outputs) return;
  Fail(ErrorKind::kData, "base_margin has ", base_margin.size(), " values for ", n_rows, " rows and ", n_outputs,
       " outputs; give one per row and output.");
}

void ValidateInfo(MetaInfo const& info) {
  ValidateNewInfo(info);
  CheckWeightCount(info, static_cast<std::int64_t>(info.weights.size()));
}

void ValidateNewInfo(MetaInfo const& info) {
  RequireSize("label", info.labels, info.n_rows * info.n_targets, "rows times targets");
  CheckGroups(info);
  auto const n_weights = static_cast<std::int64_t>(info.weights.size());
  if (!info.group_ptr.empty() || n_weights > info.n_rows) CheckWeightCount(info, n_weights);
  auto const n_margins = static_cast<std::int64_t>(info.base_margin.size());
  if (info.n_rows == 0 ? n_margins > 0 : n_margins % info.n_rows != 0) {
    Fail(ErrorKind::kData, "base_margin has ", n_margins, " values, which is not a multiple of the ", info.n_rows,
         " rows.");
  }
  CheckBounds(info);
  std::int64_t n_in_ranges = 0;
  for (auto const& range : info.global_rows) n_in_ranges += range.count;
  if (!info.global_rows.empty() && n_in_ranges != info.n_rows) FailRangeCount(n_in_ranges, info.n_rows);
  RequireSize("feature_weights", info.feature_weights, info.n_cols, "columns");
  RequireSize("feature_name", info.feature_names, info.n_cols, "columns");
  RequireSize("feature_type", info.feature_types, info.n_cols, "columns");
}

std::int64_t BytesOf(MetaInfo const& info) {
  return static_cast<std::int64_t>((info.labels.size() + info.weights.size() + info.base_margin.size() +
                                    info.label_lower_bound.size() + info.label_upper_bound.size()) *
                                       sizeof(float) +
                                   info.global_rows.size() * sizeof(RowRange));
}

}  // namespace kauri
