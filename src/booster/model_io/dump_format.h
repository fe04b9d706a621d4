/// \file One tree as text, in each of the formats.
#pragma once

#include <map>
#include <string>

#include "booster/model_io/feature_labels.h"
#include "kauri/tree.h"

namespace kauri::model_io {

/// Returns a line per node, such as "0:[f1<3.75] yes=1,no=2,missing=2,gain=43.2,cover=5". A node's line is below its
/// parent's and indented by one more tab.
std::string TextOfTree(Tree const& tree, FeatureLabels const& labels, bool with_stats);

/// Returns nested objects with nodeid, depth, split, split_condition, yes, no, missing, gain, cover and children, or
/// leaf.
std::string JsonOfTree(Tree const& tree, FeatureLabels const& labels, bool with_stats);

/// Options of dumps: whether categories are shown by name, and attributes for graphviz, written in the order of their
/// names.
struct DumpOptions {
  bool names_categories = false;
  std::map<std::string, std::string> graph;
  std::map<std::string, std::string> split_node;
  std::map<std::string, std::string> leaf_node;
  std::string default_color = "#0000FF";  ///< colour of the branch that missing values take
  std::string other_color = "#FF0000";
};

/// Reads {"graph_attrs": {}, "condition_node_params": {}, "leaf_node_params": {}, "edge": {"yes_color", "no_color"},
/// "labels": {"categories": "names" or "numbers"}}; empty text: the defaults. \throws Error(kParameter) when it is not
/// an object of objects of strings.
DumpOptions ParseDumpOptions(std::string const& json);

/// Returns a digraph in graphviz' language.
std::string DotOfTree(Tree const& tree, FeatureLabels const& labels, bool with_stats, DumpOptions const& options);

/// A node and its depth, for traversal without recursion: the depth of a tree can be near its number of nodes.
struct PlacedNode {
  std::int32_t node;
  std::int32_t depth;
};

/// Returns all nodes in preorder: each node before its children, the left subtree before the right.
std::vector<PlacedNode> NodesDepthFirst(Tree const& tree);

/// Returns the text of a leaf's value: a number, or "[a, b, c]". elided: vectors of more than three numbers become
/// "[a, b, ..., z]", as XGBoost writes them.
std::string LeafValueText(Tree const& tree, std::int32_t leaf, bool elided);

inline std::int32_t DefaultChild(Tree const& tree, std::int32_t node) {
  auto const index = static_cast<std::size_t>(node);
  return tree.default_left[index] != 0 ? tree.left[index] : tree.right[index];
}

}  // namespace kauri::model_io
