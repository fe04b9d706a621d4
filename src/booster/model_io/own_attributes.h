/// \file Parts of a model that XGBoost's files have no members for. They are texts among learner.attributes, which
/// every reader of such files ignores or keeps.
///
/// - kauri_cats_seen: {"seen": see category_table.h, "trees": a checksum of the splits of all trees}.
/// - kauri_cats_ordered: the tables of categorical_encoding=ordered, see below. Without them the splits of
///   these columns, which are at thresholds, mean nothing. They are the same for any subset of the model's rounds.
/// - kauri_row_counts: {"counts": for each tree the rows that reach its nodes, [] if never counted, "trees": for each
///   tree a checksum of its splits}.
/// - kauri_linear_leaves: see below.
/// - kauri_booster: "adaboost" for a model of booster=adaboost, which the file calls gbtree. Training that continues
///   from the file continues with AdaBoost.
/// - kauri_distribution: {"objective": "dist:normal" or another, "trees": for each tree a checksum of its splits and
///   leaves}. The file calls the objective reg:squarederror, so other libraries predict raw scores. A file with a tree
///   that has no checksum is refused: its scores are no distribution's any more.
///
/// Other libraries keep the attributes of a model that they train further or slice. If the splits do not match a
/// checksum, the seen categories (without their policy), or the tree's row counts, no longer apply and are dropped.
/// Older files of Kauri store these beside the trees and in them (category_table.h, model_document.h).
///
/// kauri_cats_ordered has the statistics behind the numbers that trees use for categories. They are an object with
/// the columns, the start of each column's segment, categories, labels and weights (sums in steps of 2^unit), the sums
/// over all rows, and the settings. With several classes it also has the numbers per category. It may have combinations
/// of columns (combined_tables.h). The file counts all columns that trees use among the features.
///
/// Linear leaves (kauri/linear_leaves.h) as the attribute kauri_linear_leaves stores them. The trees of the file
/// hold the leaves' constants, which other readers predict.
///
/// The attribute is an object of arrays, each with one element per tree:
/// - "base": a number per linear leaf
/// - "centre", "feature", "slope": a number per term, leaf by leaf
/// - "node": the tree's linear leaves, ascending
/// - "size": the number of terms of each linear leaf
/// - "trees": a checksum of the tree's splits and leaves
///
/// If a tree does not match its checksum, another library has changed the model, and slopes would be added to the wrong
/// leaves. Such a file is refused.
#pragma once

#include <map>
#include <string>

#include "booster/model_io/json.h"
#include "booster/model_io/object_reader.h"
#include "kauri/model.h"

namespace kauri::model_io {

/// Returns whether `name` is reserved: only this file may write such an attribute.
bool IsOwnAttribute(std::string const& name);

/// Returns the model's attributes and the library's own.
std::map<std::string, std::string> AttributesOf(Model const& model);

/// Moves the library's own attributes into the members of `model`, which must have its trees. \throws Error(kModel) for
/// texts that the library does not write.
void TakeOwnAttributes(Model* model);

void WriteOrderedTables(OrderedEncoding const& encoding, JsonWriter* writer);

/// Reads the tables and reduces the model's features to the data's. \throws Error(kModel) for tables that contradict
/// themselves or the model's numbers of features and classes, and for sums that yield no finite number.
void ReadOrderedTables(ObjectReader const& reader, Model* model);

std::string LinearLeavesText(Model const& model);

/// \throws Error(kModel) for a text that the library does not write, or that belongs to other trees.
void ReadLinearLeaves(ObjectReader const& attribute, Model* model);

/// Returns whether the objective predicts the parameters of a distribution.
bool IsDistribution(Model const& model);

/// Returns the name of the model's objective in files.
std::string ObjectiveOfFile(Model const& model);

std::string DistributionText(Model const& model);

/// Sets the objective of a model whose file says reg:squarederror. \throws Error(kModel) for a text that the library
/// does not write, and for trees that it does not list.
void ReadDistribution(ObjectReader const& attribute, Model* model);

}  // namespace kauri::model_io
