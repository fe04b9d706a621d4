/// \file Parts of a model that XGBoost's files have no members for. They are texts among learner.attributes, which
/// every reader of such files ignores or keeps.
///
/// - kauri_cats_seen: {"seen": see seen_categories.h, "trees": a checksum of the splits of all trees}.
/// - kauri_cats_ordered: the tables of categorical_encoding=ordered, see ordered_tables.h. Without them the splits of
///   these columns, which are at thresholds, mean nothing. They are the same for any subset of the model's rounds.
/// - kauri_row_counts: {"counts": for each tree the rows that reach its nodes, [] if never counted, "trees": for each
///   tree a checksum of its splits}.
/// - kauri_linear_leaves: see linear_leaves_text.h.
/// - kauri_booster: "adaboost" for a model of booster=adaboost, which the file calls gbtree. Training that continues
///   from the file continues with AdaBoost.
///
/// Other libraries keep the attributes of a model that they train further or slice. If the splits do not match a
/// checksum, the seen categories (without their policy), or the tree's row counts, no longer apply and are dropped.
/// Older files of Kauri store these beside the trees and in them (category_table.h, tree_reader.h).
#pragma once

#include <map>
#include <string>

#include "kauri/model.h"

namespace kauri::model_io {

/// Returns whether `name` is reserved: only this file may write such an attribute.
bool IsOwnAttribute(std::string const& name);

/// Returns the model's attributes and the library's own.
std::map<std::string, std::string> AttributesOf(Model const& model);

/// Moves the library's own attributes into the members of `model`, which must have its trees. \throws Error(kModel) for
/// texts that the library does not write.
void TakeOwnAttributes(Model* model);

}  // namespace kauri::model_io
