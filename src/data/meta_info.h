/// \file Setters, getters and rules of MetaInfo. Field names are XGBoost's.
#pragma once

#include <string>
#include <vector>

#include "kauri/array_interface.h"
#include "kauri/context.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

/// Returns the metadata of rows that are not known yet: every length is accepted until `ValidateInfo` checks it.
MetaInfo InfoOfUnknownRows();

/// Sets one field; an array without elements clears it.
/// label [n_rows], or [n_rows, n_targets] with NaN for a missing label; weight [n_rows], or [n_groups] if there are
/// groups; base_margin [n_rows, n_outputs], or the same number of values in any shape, read row by row; group: the
/// number of rows of each query, in order; qid [n_rows]: the query of each row, ascending; label_lower_bound and
/// label_upper_bound [n_rows], infinite without a bound; feature_weights [n_cols]; global_rows [n_ranges, 2], integers:
/// for each range of these rows, in their order here, its first row among the rows of all ranks and its length. Weights
/// may be set before the groups, and groups are read back as they were written: ValidateInfo checks that weights and
/// groups fit the rows. Only a number of weights that could never be right is refused here. \throws Error(kData) for a
/// length that does not fit, or naming the first bad element; Error(kParameter) for another field.
void SetInfo(MetaInfo* info, std::string const& field, ArrayView const& array, Context const& ctx = {});

/// Sets labels that are float32 in host memory already. array: their shape; values: row by row.
void SetLabels(MetaInfo* info, ArrayView const& array, std::vector<float> values, Context const& ctx);

/// Returns label, weight, base_margin, label_lower_bound, label_upper_bound or feature_weights. \throws
/// Error(kParameter) for another field.
std::vector<float> const& GetFloatInfo(MetaInfo const& info, std::string const& field);
/// Returns group_ptr: [n_groups + 1], empty without groups; or global_rows: [n_ranges, 2], neighbours joined. \throws
/// Error(kParameter) for another field.
std::vector<std::uint32_t> GetUintInfo(MetaInfo const& info, std::string const& field);

/// Sets feature_name or feature_type; an empty list clears it. \throws Error(kData) for a wrong count, a repeated name,
/// or a type that is not float, q, int, i or c; Error(kParameter) for another field.
void SetFeatureStrings(MetaInfo* info, std::string const& field, std::vector<std::string> strings);
std::vector<std::string> const& GetFeatureStrings(MetaInfo const& info, std::string const& field);

/// Returns the query offsets of rows in query order. \throws Error(kData) for a qid smaller than the one before.
std::vector<std::int64_t> GroupsFromQueryIds(Span<std::int64_t const> ids);

/// \throws Error(kData) unless there is one weight per query group, or per row if there are no groups, or none.
void CheckWeightCount(MetaInfo const& info, std::int64_t n_weights);

/// Checks the preconditions for reading rows by query. \throws Error(kData) unless groups, if any, cover the rows, and
/// the weights pass CheckWeightCount.
void CheckQueries(MetaInfo const& info);

/// \throws Error(kData) unless there is one value per row and output, or none.
void CheckBaseMargin(Span<float const> base_margin, std::int64_t n_rows, std::int64_t n_outputs);

/// Checks the conditions that single setters cannot: that fields fit each other and the matrix. Called before training.
/// \throws Error(kData).
void ValidateInfo(MetaInfo const& info);

/// Like ValidateInfo, for a matrix under construction: query groups may come after weights that are one per group.
/// \throws Error(kData).
void ValidateNewInfo(MetaInfo const& info);

/// Returns the memory of the values of rows.
std::int64_t BytesOf(MetaInfo const& info);

}  // namespace kauri
