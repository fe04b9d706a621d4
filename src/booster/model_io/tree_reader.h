/// \file One tree of a model file.
#pragma once

#include <cstdint>
#include <string>

#include "booster/model_io/document.h"
#include "kauri/tree.h"

namespace kauri::model_io {

/// Numbers of rows in older files of Kauri; now an attribute (own_attributes.h).
constexpr char const* kRowCountsKey = "kauri_row_counts";

/// Where a tree stands in its file.
struct TreePlace {
  std::string path;
  std::int64_t index = 0;       ///< must be the tree's id
  std::int64_t n_features = 0;  ///< of the model
  std::int64_t n_outputs = 1;   ///< of the model
};

/// Moves the arrays out of `value`. Parents are recomputed; deleted nodes are left out, and the rest is numbered
/// breadth-first then. \throws Error(kModel) unless the arrays describe one tree; see Tree::Validate.
Tree ReadTree(Value* value, TreePlace const& place);

}  // namespace kauri::model_io
