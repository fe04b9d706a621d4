/// \file What Kauri knows of a model beyond XGBoost's files: texts among learner.attributes, which every reader of such
/// files passes over or keeps.
///
/// kauri_cats_seen: {"seen": see seen_categories.h, "trees": a checksum of the splits of all trees}.
/// kauri_cats_ordered: the tables of categorical_encoding=ordered, see ordered_tables.h; without them the trees' splits
/// of these columns, which are at thresholds, mean nothing. Whatever rounds a model keeps, they are the same.
/// kauri_row_counts: {"counts": of each tree the rows that reach its nodes, [] if never counted, "trees": of each tree
/// a checksum of its splits}.
/// kauri_linear_leaves: see linear_leaves_text.h.
/// kauri_booster: "adaboost" for a model of booster=adaboost, which the file calls gbtree. A model that goes on from
/// the file goes on with AdaBoost. Other libraries keep the attributes of a model that they train on or slice: where
/// the splits are not those of the checksum, the first two say nothing of the tree, and are dropped. Older files of
/// Kauri have the same as members of the trees and beside them (tree_reader.h, category_table.h).
#pragma once

#include <map>
#include <string>

#include "kauri/model.h"

namespace kauri::model_io {

/// Whether only this file may write an attribute of that name.
bool IsOwnAttribute(std::string const& name);

/// The model's attributes and the library's own.
std::map<std::string, std::string> AttributesOf(Model const& model);

/// Moves the library's own attributes of a model that has its trees to where they belong. \throws Error(kModel) for
/// texts that the library does not write.
void TakeOwnAttributes(Model* model);

}  // namespace kauri::model_io
