/// \file The declared columns of data, which are compared with those of a model: names (column_fit.h), numbers or
/// categories (column_kinds.h).
#pragma once

#include <string>

#include "kauri/categories.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

class DataView;

/// All lists may be empty. Not owning.
struct DeclaredColumns {
  Span<std::string const> types;         ///< [n_cols]
  Span<CategoryNames const> categories;  ///< [n_cols], their names
  bool is_frame = false;                 ///< columns whose categories have names come with them, and others are numbers
  Span<std::string const> names;         ///< [n_cols]
  bool may_lack_columns = false;         ///< MetaInfo::may_lack_columns
  bool may_name_categories = false;      ///< MetaInfo::may_name_categories
  /// Looked at where the kind of a column differs, for one without any value is of no kind; nullptr: all have values.
  DataView const* rows = nullptr;

  static DeclaredColumns Of(MetaInfo const& info) {
    return {info.feature_types, info.category_names,   false,
            info.feature_names, info.may_lack_columns, info.may_name_categories};
  }
  /// The same with rows, which must outlive the result.
  DeclaredColumns With(DataView const& view) const {
    auto columns = *this;
    columns.rows = &view;
    return columns;
  }
};

}  // namespace kauri
