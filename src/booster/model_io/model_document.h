/// \file Conversion between models and the documents of model files.
///
/// ReadModel converts a parsed document to a Model: every dialect of XGBoost's model files since 1.0.
///
/// WriteModel converts a Model to a document that XGBoost reads, from the dialect's version on.
///
/// Keys ascend, as in XGBoost's files, so that equal models give equal bytes.
///
/// ReadTree reads one tree of a model file.
#pragma once

#include <cstdint>
#include <string>

#include "booster/model_io/dialect.h"
#include "booster/model_io/document.h"
#include "booster/model_io/json.h"
#include "booster/model_io/ubjson.h"
#include "kauri/model.h"
#include "kauri/tree.h"

namespace kauri::model_io {

/// Moves the trees out of `document`. \throws Error(kModel) with the key path and the value of the faulty member.
Model ReadModel(Value* document);

/// \throws as RequireSayable.
void WriteModel(Model const& model, ModelDialect const& dialect, JsonWriter* writer);
void WriteModel(Model const& model, ModelDialect const& dialect, UbjsonWriter* writer);

/// Key of the row counts in older files of Kauri; now an attribute (own_attributes.h).
constexpr char const* kRowCountsKey = "kauri_row_counts";

/// Place of a tree in its file, with the model's sizes.
struct TreePlace {
  std::string path;
  std::int64_t index = 0;       ///< must be the tree's id
  std::int64_t n_features = 0;  ///< the model's features
  std::int64_t n_outputs = 1;   ///< the model's outputs
};

/// Moves the arrays out of `value` and recomputes parents. If nodes are deleted, or a child comes before its parent,
/// the remaining nodes are renumbered breadth-first. \throws Error(kModel) unless the arrays describe one tree; see
/// Tree::Validate.
Tree ReadTree(Value* value, TreePlace const& place);

}  // namespace kauri::model_io
