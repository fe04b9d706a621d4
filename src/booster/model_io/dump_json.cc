#include <cmath>

#include "booster/model_io/dump_format.h"
#include "booster/model_io/number_text.h"

namespace kauri::model_io {
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

}  // namespace kauri::model_io
