/// \file One tree as text, in each of the formats.
#pragma once

#include <map>
#include <string>

#include "booster/model_io/feature_labels.h"
#include "kauri/tree.h"

namespace kauri::model_io {

/// "0:[f1<3.75] yes=1,no=2,missing=2,gain=43.2,cover=5": a line per node, each below its parent and a tab further in.
std::string TextOfTree(Tree const& tree, FeatureLabels const& labels, bool with_stats);

/// Nested objects with nodeid, depth, split, split_condition, yes, no, missing, gain, cover and children, or leaf.
std::string JsonOfTree(Tree const& tree, FeatureLabels const& labels, bool with_stats);

/// What dumps show besides the trees, and attributes for graphviz, which are written in the order of their names.
struct DumpOptions {
  bool names_categories = false;
  std::map<std::string, std::string> graph;
  std::map<std::string, std::string> split_node;
  std::map<std::string, std::string> leaf_node;
  std::string default_color = "#0000FF";  ///< of the branch that missing values take
  std::string other_color = "#FF0000";
};

/// Reads {"graph_attrs": {}, "condition_node_params": {}, "leaf_node_params": {}, "edge": {"yes_color", "no_color"},
/// "labels": {"categories": "names" or "numbers"}}; empty text: the defaults. \throws Error(kParameter) when it is not
/// an object of objects of strings.
DumpOptions ParseDumpOptions(std::string const& json);

/// A digraph in graphviz' language.
std::string DotOfTree(Tree const& tree, FeatureLabels const& labels, bool with_stats, DumpOptions const& options);

/// A node and its depth, for walks that need no recursion: trees can be as deep as they have nodes.
struct PlacedNode {
  std::int32_t node;
  std::int32_t depth;
};

/// \returns all nodes, each before its children and its left subtree before its right.
std::vector<PlacedNode> NodesDepthFirst(Tree const& tree);

/// What a leaf predicts: a number, or "[a, b, c]". elided: as XGBoost writes it, "[a, b, ..., z]" for more than three.
std::string LeafValueText(Tree const& tree, std::int32_t leaf, bool elided);

inline std::int32_t DefaultChild(Tree const& tree, std::int32_t node) {
  auto const index = static_cast<std::size_t>(node);
  return tree.default_left[index] != 0 ? tree.left[index] : tree.right[index];
}

}  // namespace kauri::model_io
