/// \file What data say of their columns, which is compared with what a model knows: names (column_fit.h), numbers or
/// categories (column_kinds.h).
#pragma once

#include <string>

#include "kauri/categories.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

/// All lists may be empty. Not owning.
struct DeclaredColumns {
  Span<std::string const> types;         ///< [n_cols]
  Span<CategoryNames const> categories;  ///< [n_cols], their names
  bool is_frame = false;                 ///< columns whose categories have names come with them, and others are numbers
  Span<std::string const> names;         ///< [n_cols]
  bool may_lack_columns = false;         ///< MetaInfo::may_lack_columns

  static DeclaredColumns Of(MetaInfo const& info) {
    return {info.feature_types, info.category_names, false, info.feature_names, info.may_lack_columns};
  }
};

}  // namespace kauri
