/// \file Setters, getters and rules of MetaInfo. Field names are XGBoost's.
#pragma once

#include <string>
#include <vector>

#include "kauri/array_interface.h"
#include "kauri/context.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

/// What is known of rows that are not there yet: every length is accepted until `ValidateInfo` knows better.
MetaInfo InfoOfUnknownRows();

/// Sets one field; an array without elements clears it.
/// label [n_rows], or [n_rows, n_targets] with NaN where a label is not known; weight [n_rows], or [n_groups] where
/// there are groups; base_margin [n_rows, n_outputs], or as many values of any shape, which are taken row by row;
/// group: rows of each query, in order; qid [n_rows]: the query of each row, ascending; label_lower_bound and
/// label_upper_bound [n_rows], infinite where there is no bound; feature_weights [n_cols]; global_rows [n_ranges, 2],
/// integers: of each range of these rows the first among those of all ranks, and how many, in their order here. Weights
/// may come before the groups, and groups are read back as they were written: whether weights and groups fit the rows
/// is checked by ValidateInfo, but for more weights than could ever be right. \throws Error(kData) for a length that
/// does not fit, or naming the first bad element; Error(kParameter) for another field.
void SetInfo(MetaInfo* info, std::string const& field, ArrayView const& array, Context const& ctx = {});

/// SetInfo of labels that are float32 in host memory already. array: their shape; values: row by row.
void SetLabels(MetaInfo* info, ArrayView const& array, std::vector<float> values, Context const& ctx);

/// label, weight, base_margin, label_lower_bound, label_upper_bound, feature_weights. \throws Error(kParameter).
std::vector<float> const& GetFloatInfo(MetaInfo const& info, std::string const& field);
/// group_ptr: [n_groups + 1], empty without groups; global_rows: [n_ranges, 2], neighbours joined. \throws
/// Error(kParameter).
std::vector<std::uint32_t> GetUintInfo(MetaInfo const& info, std::string const& field);

/// field: feature_name or feature_type; no strings clear it. \throws Error(kData) for a wrong count, a name given twice
/// or a type that is not float, q, int, i or c; Error(kParameter) for another field.
void SetFeatureStrings(MetaInfo* info, std::string const& field, std::vector<std::string> strings);
std::vector<std::string> const& GetFeatureStrings(MetaInfo const& info, std::string const& field);

/// Group offsets of rows in query order. \throws Error(kData) where a qid is smaller than the one before.
std::vector<std::int64_t> GroupsFromQueryIds(Span<std::int64_t const> ids);

/// \throws Error(kData) unless there is one weight per query group, or per row where there are no groups, or none.
void CheckWeightCount(MetaInfo const& info, std::int64_t n_weights);

/// What whoever reads rows by query relies on. \throws Error(kData) unless groups, where there are some, cover the
/// rows, and weights fit as CheckWeightCount says.
void CheckQueries(MetaInfo const& info);

/// \throws Error(kData) unless there is one value per row and output, or none.
void CheckBaseMargin(Span<float const> base_margin, std::int64_t n_rows, std::int64_t n_outputs);

/// Checks what single setters cannot: that fields fit each other and the matrix. Called before learning. \throws
/// Error(kData).
void ValidateInfo(MetaInfo const& info);

/// As ValidateInfo, for a matrix that is being made: query groups may come after weights that are one per group.
/// \throws Error(kData).
void ValidateNewInfo(MetaInfo const& info);

/// What the values of rows take.
std::int64_t BytesOf(MetaInfo const& info);

}  // namespace kauri
