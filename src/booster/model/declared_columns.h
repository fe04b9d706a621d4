/// \file The column declarations of data, compared with a model's: names (column_fit.h) and kinds, numeric or
/// categorical (column_kinds.h).
#pragma once

#include <string>

#include "kauri/categories.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

class DataView;

/// Declarations of a data set's columns. All lists may be empty. Not owning.
struct DeclaredColumns {
  Span<std::string const> types;         ///< [n_cols]
  Span<CategoryNames const> categories;  ///< [n_cols], names of categories
  bool is_frame = false;                 ///< named categories come with their names, and all other columns are numeric
  Span<std::string const> names;         ///< [n_cols]
  bool may_lack_columns = false;         ///< MetaInfo::may_lack_columns
  bool may_name_categories = false;      ///< MetaInfo::may_name_categories
  /// Rows to search for values if the kind of a column differs: a column without values has no kind. nullptr: every
  /// column counts as having values.
  DataView const* rows = nullptr;

  static DeclaredColumns Of(MetaInfo const& info) {
    return {info.feature_types, info.category_names,   false,
            info.feature_names, info.may_lack_columns, info.may_name_categories};
  }
  /// Returns a copy with rows, which must outlive the result.
  DeclaredColumns With(DataView const& view) const {
    auto columns = *this;
    columns.rows = &view;
    return columns;
  }
};

}  // namespace kauri
