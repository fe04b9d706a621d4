#include "booster/model_io/dump_format.h"

#include <cmath>

#include "booster/model_io/json.h"

namespace kauri::model_io {
namespace {

std::string LeafLine(Tree const& tree, std::int32_t id, bool with_stats) {
  auto line = "leaf=" + LeafValueText(tree, id, true);
  if (with_stats) line += ",cover=" + NineDigits(tree.sum_hessian[id]);
  return line;
}

/// Returns the line of a split. In a categorical split "yes" is the branch of the categories in the set, the right one.
/// In a split on an indicator "yes" is the branch of rows that have the indicator, the one that missing values do not
/// take.
std::string SplitLine(Tree const& tree, std::int32_t id, FeatureLabels const& labels, bool with_stats) {
  auto const node = static_cast<std::size_t>(id);
  auto const feature = tree.split_feature[node];
  auto const kind = labels.Kind(feature);
  auto const missing = DefaultChild(tree, id);
  auto yes = tree.left[node];
  auto no = tree.right[node];
  auto condition = labels.Name(feature);
  bool const indicator = tree.is_categorical[node] == 0 && kind == FeatureKind::kIndicator;
  if (tree.is_categorical[node] != 0) {
    condition += ":{" + labels.Categories(tree, id) + "}";
    std::swap(yes, no);
  } else if (indicator) {
    if (missing == yes) std::swap(yes, no);
  } else {
    condition += "<" + ThresholdText(tree.split_value[node], kind);
  }
  auto line = "[" + condition + "] yes=" + std::to_string(yes) + ",no=" + std::to_string(no);
  if (!indicator) line += ",missing=" + std::to_string(missing);
  if (with_stats) {
    line += ",gain=" + NineDigits(tree.loss_change[node]) + ",cover=" + NineDigits(tree.sum_hessian[node]);
  }
  return line;
}

}  // namespace

std::string LeafValueText(Tree const& tree, std::int32_t leaf, bool elided) {
  auto const values = tree.LeafValues(leaf);
  if (!tree.HasVectorLeaves()) return NineDigits(values[0]);
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    if (elided && values.size() > 3 && i == 2) {
      i = values.size() - 1;
      text += "..., ";
    }
    text += NineDigits(values[i]);
  }
  return text + "]";
}

std::vector<PlacedNode> NodesDepthFirst(Tree const& tree) {
  std::vector<PlacedNode> nodes;
  std::vector<PlacedNode> open{{0, 0}};
  while (!open.empty()) {
    auto const place = open.back();
    open.pop_back();
    nodes.push_back(place);
    if (tree.IsLeaf(place.node)) continue;
    auto const index = static_cast<std::size_t>(place.node);
    open.push_back({tree.right[index], place.depth + 1});
    open.push_back({tree.left[index], place.depth + 1});
  }
  return nodes;
}

std::string TextOfTree(Tree const& tree, FeatureLabels const& labels, bool with_stats) {
  std::string text;
  for (auto const [id, depth] : NodesDepthFirst(tree)) {
    auto const node = static_cast<std::size_t>(id);
    bool const leaf = tree.IsLeaf(id);
    bool const indicator =
        !leaf && tree.is_categorical[node] == 0 && labels.Kind(tree.split_feature[node]) == FeatureKind::kIndicator;
    if (!indicator) text.append(static_cast<std::size_t>(depth), '\t');  // XGBoost does not indent indicators
    text += std::to_string(id) + ":";
    text += leaf ? LeafLine(tree, id, with_stats) : SplitLine(tree, id, labels, with_stats);
    text += '\n';
  }
  return text;
}

namespace {

/// Returns a statistic as JSON. Numbers that are not finite become null, as JSON cannot represent them.
std::string StatisticText(float value) { return std::isfinite(value) ? NineDigits(value) : "null"; }

std::string LeafText(Tree const& tree, std::int32_t id, bool with_stats) {
  auto const node = static_cast<std::size_t>(id);
  auto text = "{ \"nodeid\": " + std::to_string(id) + ", \"leaf\": " + LeafValueText(tree, id, false) + " ";
  if (with_stats) text += ", \"cover\": " + StatisticText(tree.sum_hessian[node]) + " ";
  return text + "}";
}

/// Returns "split_condition": ..., "yes": ..., "no": ..., "missing": ... without the members that the kind of split
/// lacks.
std::string ConditionText(Tree const& tree, std::int32_t id, FeatureLabels const& labels) {
  auto const kind = labels.Kind(tree.split_feature[id]);
  auto const node = static_cast<std::size_t>(id);
  auto const missing = DefaultChild(tree, id);
  auto yes = tree.left[node];
  auto no = tree.right[node];
  std::string condition;
  bool const categorical = tree.is_categorical[node] != 0;
  bool const indicator = !categorical && kind == FeatureKind::kIndicator;
  if (categorical || (indicator && missing == yes)) std::swap(yes, no);
  if (categorical) condition = "[" + labels.CategoriesInJson(tree, id) + "]";
  if (!categorical && !indicator) condition = ThresholdText(tree.split_value[node], kind);
  auto text = condition.empty() ? "" : ", \"split_condition\": " + condition;
  text += ", \"yes\": " + std::to_string(yes) + ", \"no\": " + std::to_string(no);
  return indicator ? text : text + ", \"missing\": " + std::to_string(missing);
}

/// Returns the text of a split node up to the opening bracket of its children.
std::string SplitText(Tree const& tree, PlacedNode place, FeatureLabels const& labels, bool with_stats) {
  auto const node = static_cast<std::size_t>(place.node);
  auto const feature = tree.split_feature[node];
  auto text = "{ \"nodeid\": " + std::to_string(place.node) + ", \"depth\": " + std::to_string(place.depth) +
              ", \"split\": \"" + labels.Name(feature) + "\"" + ConditionText(tree, place.node, labels) + " ";
  if (with_stats) {
    text += ", \"gain\": " + StatisticText(tree.loss_change[node]) +
            ", \"cover\": " + StatisticText(tree.sum_hessian[node]);
  }
  return text + ", \"children\": [\n";
}

std::string Indent(std::int32_t depth) { return std::string(2 * static_cast<std::size_t>(depth + 1), ' '); }

}  // namespace

std::string JsonOfTree(Tree const& tree, FeatureLabels const& labels, bool with_stats) {
  std::string text;
  std::int32_t open_depth = 0;  // number of nodes whose closing bracket is pending
  for (auto const place : NodesDepthFirst(tree)) {
    for (; open_depth > place.depth; --open_depth) text += "\n" + Indent(open_depth - 1) + "]}";
    auto const parent = tree.parent[place.node];
    bool const second = parent != kNoNode && tree.right[parent] == place.node;
    if (second) text += ", \n";
    text += Indent(place.depth);
    if (tree.IsLeaf(place.node)) {
      text += LeafText(tree, place.node, with_stats);
    } else {
      text += SplitText(tree, place, labels, with_stats);
      ++open_depth;
    }
  }
  for (; open_depth > 0; --open_depth) text += "\n" + Indent(open_depth - 1) + "]}";
  return text;
}

namespace {

using NodeAttributes = std::map<std::string, std::string>;

/// Returns a name for the label of a node. The graphviz language knows the escapes \" and \\ and interprets others in
/// its own way, so \n and \u0001 are shown literally.
std::string NameText(std::string const& escaped) {
  std::string text;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    text += escaped[i];
    if (escaped[i] != '\\') continue;
    auto const next = escaped[i + 1];
    text += '\\';
    if (next == '"') text.back() = next;
    if (next == '"' || next == '\\') ++i;
  }
  return text;
}

std::string AttributesText(NodeAttributes const& attributes) {
  std::string text;
  for (auto const& [name, value] : attributes) text += " " + name + "=\"" + value + "\"";
  return text;
}

std::string NodeText(std::int32_t node, std::string const& label, NodeAttributes const& attributes) {
  return "    " + std::to_string(node) + " [ label=\"" + label + "\"" + AttributesText(attributes) + " ]\n";
}

std::string EdgeText(Tree const& tree, std::int32_t from, std::int32_t to, DumpOptions const& options) {
  auto const node = static_cast<std::size_t>(from);
  bool const yes = (to == tree.left[node]) != (tree.is_categorical[node] != 0);
  bool const missing = to == DefaultChild(tree, from);
  return "    " + std::to_string(from) + " -> " + std::to_string(to) + " [label=\"" + (yes ? "yes" : "no") +
         (missing ? ", missing" : "") + "\" color=\"" + (missing ? options.default_color : options.other_color) +
         "\"]\n";
}

std::string SplitLabel(Tree const& tree, std::int32_t id, FeatureLabels const& labels, bool with_stats) {
  auto const node = static_cast<std::size_t>(id);
  auto const feature = tree.split_feature[node];
  auto const kind = labels.Kind(feature);
  bool const categorical = tree.is_categorical[node] != 0;
  auto label = NameText(labels.Name(feature));
  if (categorical) {
    label += ":{" + NameText(labels.Categories(tree, id)) + "}";
  } else if (kind != FeatureKind::kIndicator) {
    label += "<" + ThresholdTextSigned(tree.split_value[node], kind);
  }
  if (!with_stats) return label;
  return label + "\ngain=" + NineDigits(tree.loss_change[node]) + "\ncover=" + NineDigits(tree.sum_hessian[node]);
}

std::string LeafLabel(Tree const& tree, std::int32_t id, bool with_stats) {
  auto const node = static_cast<std::size_t>(id);
  auto const label = "leaf=" + LeafValueText(tree, id, true);
  return with_stats ? label + "\ncover=" + NineDigits(tree.sum_hessian[node]) : label;
}

}  // namespace

std::string DotOfTree(Tree const& tree, FeatureLabels const& labels, bool with_stats, DumpOptions const& options) {
  std::string text = "digraph {\n    graph [ rankdir=TB ]\n";
  for (auto const& attribute : options.graph) text += "    graph [" + AttributesText({attribute}) + " ]\n";
  for (auto const [id, depth] : NodesDepthFirst(tree)) {
    text += '\n';
    if (tree.IsLeaf(id)) {
      text += NodeText(id, LeafLabel(tree, id, with_stats), options.leaf_node);
      continue;
    }
    auto const node = static_cast<std::size_t>(id);
    text += NodeText(id, SplitLabel(tree, id, labels, with_stats), options.split_node);
    text += EdgeText(tree, id, tree.left[node], options) + EdgeText(tree, id, tree.right[node], options);
  }
  return text + "}";
}

}  // namespace kauri::model_io
