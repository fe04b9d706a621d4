/// \file Forests that any program can hand over: arrays of nodes as JSON, in a file or in the configuration of a call,
/// converted to the document of a model file, which is read and checked like any other.
///
/// {"kauri_forest": 1,                  the version; the first member of a file, by which it is recognised
///  "n_features": 2,
///  "objective": "reg:squarederror",    optional: its link turns sums of leaves into predictions
///  "base_score": [0.0],                optional: the prediction without trees, of each output
///  "comparison": "less",               optional, see Comparison
///  "trees_in_round": 1,                optional; otherwise all trees belong to one round
///  "feature_names": ["size", "colour"],
///  "category_names": {"1": ["red", "blue"]},            optional, by column: texts or whole numbers
///  "trees": [{"left": [1, -1, -1],     [n_nodes]: node numbers, -1 at leaves; the root is node 0
///             "right": [2, -1, -1],
///             "feature": [0, 0, 0],    any value at leaves, like the next two
///             "threshold": [1.5, 0, 0],
///             "default_left": [1, 0, 0],                where missing values go
///             "values": [0, 10, 20],   [n_nodes] or [n_nodes, n_outputs]: what the leaf adds; any value at splits
///             "cover": [7, 4, 3],      weight of the training rows
///             "categories": {"0": [1]},                 optional, by node: the categories that go to the right
///             "output": 0}]}           optional: the output of a tree with one value for each leaf
#pragma once

#include <string>
#include <string_view>

#include "booster/model_io/document.h"
#include "booster/model_io/forest_arrays.h"
#include "kauri/model.h"

namespace kauri::model_io {

/// Returns whether the bytes begin as such a file does.
bool IsForest(std::string_view bytes);

/// Returns the document of a forest. Time and memory are proportional to the length of the text and of the arrays that
/// it names. \throws Error(kModel) for everything that is no forest.
Value ParseForest(std::string_view text, ForestSource source);

/// Returns the model of a forest that a call gives. \throws Error(kModel) as ParseForest, and for nodes that form no
/// tree.
Model ModelOfForest(std::string const& config);

}  // namespace kauri::model_io
