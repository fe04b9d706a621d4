#include "booster/model_io/dump_format.h"
#include "booster/model_io/number_text.h"

namespace kauri::model_io {
namespace {

using Attributes = std::map<std::string, std::string>;

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

std::string AttributesText(Attributes const& attributes) {
  std::string text;
  for (auto const& [name, value] : attributes) text += " " + name + "=\"" + value + "\"";
  return text;
}

std::string NodeText(std::int32_t node, std::string const& label, Attributes const& attributes) {
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
