#include "booster/model_io/dump_format.h"
#include "booster/model_io/number_text.h"

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

}  // namespace kauri::model_io
