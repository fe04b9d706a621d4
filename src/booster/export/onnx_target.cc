/// A model of ONNX: operator TreeEnsemble of ai.onnx.ml 5, with categories by BRANCH_MEMBER.
///
/// Runtimes may add the trees of an ensemble in any order and with any precision. Here every tree has a target of its
/// own, so the operator returns leaves; CumSum then adds them in float32 in the order of the trees, and its last column
/// is the margin. The start of each output is a tree without splits.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "booster/export/onnx_graph.h"
#include "booster/export/targets.h"
#include "kauri/error.h"
#include "kauri/version.h"

namespace kauri::model_export {
namespace {

constexpr std::uint8_t kLess = 1;
constexpr std::uint8_t kMember = 6;

/// The attributes of the operator.
class Ensemble {
 public:
  explicit Ensemble(ExportedModel const& model) : model_(model) {
    auto const n_outputs = ToSize(model.n_outputs);
    for (std::size_t output = 0; output < n_outputs; ++output) AddConstant(model.start[output], output);
    std::vector<std::size_t> next(n_outputs, 1);  // place of an output's next tree
    for (std::size_t tree = 0; tree < model.NumTrees(); ++tree) {
      auto const output = ToSize(model.output_of_tree[tree]);
      auto const is_vector = model.leaf_width > 1;
      for (std::size_t part = 0; part < ToSize(model.leaf_width); ++part) {
        auto const of = is_vector ? part : output;
        AddTree(tree, part, next[of]++ * n_outputs + of);
      }
    }
    n_places_ = *std::max_element(next.begin(), next.end());
  }

  /// Returns the largest number of trees of an output, with its start.
  std::size_t NumPlaces() const { return n_places_; }

  OnnxAttributes Attributes() const {
    OnnxAttributes attributes;
    attributes.Int("aggregate_function", 1)
        .Int("post_transform", 0)
        .Int("n_targets", static_cast<std::int64_t>(n_places_) * model_.n_outputs)
        .Ints("tree_roots", roots_)
        .Ints("nodes_featureids", features_)
        .Ints("nodes_truenodeids", true_nodes_)
        .Ints("nodes_trueleafs", true_leaves_)
        .Ints("nodes_falsenodeids", false_nodes_)
        .Ints("nodes_falseleafs", false_leaves_)
        .Ints("nodes_missing_value_tracks_true", missing_true_)
        .Ints("leaf_targetids", targets_)
        .Tensor("nodes_modes", modes_)
        .Tensor("nodes_splits", splits_)
        .Tensor("leaf_weights", weights_);
    if (!members_.empty()) attributes.Tensor("membership_values", members_);
    return attributes;
  }

 private:
  /// Adds a tree without splits: a node whose two sides are equal.
  void AddConstant(float value, std::size_t target) {
    roots_.push_back(AddNode({}));
    SetSide(roots_.back(), true, AddLeaf(value, target), true);
    SetSide(roots_.back(), false, AddLeaf(value, target), true);
  }

  /// Adds one number of each leaf of a tree.
  void AddTree(std::size_t tree, std::size_t part, std::size_t target) {
    auto leaf = std::size_t{model_.tree_leaf[tree]};
    auto split = leaf - tree;
    auto const width = ToSize(model_.leaf_width);
    auto const n_leaves = model_.tree_leaf[tree + 1] - model_.tree_leaf[tree];
    if (n_leaves == 1) return AddConstant(model_.leaves[leaf * width + part], target);
    struct Side {
      std::int64_t parent;  ///< -1: the root
      bool is_true;
      std::uint32_t n_leaves;
    };
    std::vector<Side> stack{{-1, true, n_leaves}};
    while (!stack.empty()) {
      auto const side = stack.back();
      stack.pop_back();
      if (side.n_leaves == 1) {
        SetSide(side.parent, side.is_true, AddLeaf(model_.leaves[leaf++ * width + part], target), true);
        continue;
      }
      auto const& [number, left_leaves] = model_.splits[split++];
      auto const& condition = model_.conditions[number];
      auto const node = AddNode(condition);
      if (side.parent < 0) {
        roots_.push_back(node);
      } else {
        SetSide(side.parent, side.is_true, node, false);
      }
      auto const true_is_left = !condition.is_categorical || !condition.listed_right;
      stack.push_back({node, !true_is_left, side.n_leaves - left_leaves});
      stack.push_back({node, true_is_left, left_leaves});
    }
  }

  std::int64_t AddNode(Condition const& condition) {
    auto const lists = condition.is_categorical && !condition.categories.empty();
    auto const true_is_right = condition.is_categorical && condition.listed_right;
    features_.push_back(condition.feature);
    modes_.push_back(lists ? kMember : kLess);
    missing_true_.push_back(condition.missing_right == true_is_right ? 1 : 0);
    // No value is below minus infinity: an empty list.
    splits_.push_back(!condition.is_categorical ? condition.threshold
                      : lists                   ? 0.0F
                                                : -std::numeric_limits<float>::infinity());
    if (lists) {
      for (auto const category : condition.categories) members_.push_back(static_cast<float>(category));
      members_.push_back(std::numeric_limits<float>::quiet_NaN());  // ends the list
    }
    for (auto* list : {&true_nodes_, &true_leaves_, &false_nodes_, &false_leaves_}) list->push_back(0);
    return static_cast<std::int64_t>(modes_.size()) - 1;
  }

  std::int64_t AddLeaf(float value, std::size_t target) {
    weights_.push_back(value);
    targets_.push_back(static_cast<std::int64_t>(target));
    return static_cast<std::int64_t>(weights_.size()) - 1;
  }

  void SetSide(std::int64_t node, bool is_true, std::int64_t child, bool is_leaf) {
    auto const index = ToSize(node);
    (is_true ? true_nodes_ : false_nodes_)[index] = child;
    (is_true ? true_leaves_ : false_leaves_)[index] = is_leaf ? 1 : 0;
  }

  ExportedModel const& model_;
  std::size_t n_places_ = 1;
  std::vector<std::int64_t> roots_;
  std::vector<std::int64_t> features_;
  std::vector<std::int64_t> true_nodes_;
  std::vector<std::int64_t> true_leaves_;
  std::vector<std::int64_t> false_nodes_;
  std::vector<std::int64_t> false_leaves_;
  std::vector<std::int64_t> missing_true_;
  std::vector<std::int64_t> targets_;
  std::vector<std::uint8_t> modes_;
  std::vector<float> splits_;
  std::vector<float> weights_;
  std::vector<float> members_;
};

/// Adds nodes that make whole numbers of categories, because runtimes differ in what they do with fractions. A fraction
/// is cut off where XGBoost's rule applies, else the value becomes -1, which is no category. Returns the rows' name.
std::string AddCategories(ExportedModel const& model, OnnxGraph* graph) {
  std::vector<std::uint8_t> cut;
  std::vector<std::uint8_t> whole;
  for (auto const& column : model.columns) {
    cut.push_back(column.is_categorical && !column.needs_whole ? 1 : 0);
    whole.push_back(column.is_categorical && column.needs_whole ? 1 : 0);
  }
  auto const has = [](std::vector<std::uint8_t> const& flags) {
    return std::find(flags.begin(), flags.end(), 1) != flags.end();
  };
  std::string rows = "rows";
  if (!has(cut) && !has(whole)) return rows;
  auto const floor = graph->Node("Floor", {"rows"}, "floor");
  if (has(cut)) rows = graph->Node("Where", {graph->Mask("is_cut", cut), floor, rows}, "rows_cut");
  if (!has(whole)) return rows;
  auto const fraction = graph->Node("Greater", {"rows", floor}, "has_fraction");
  auto const wrong = graph->Node("And", {graph->Mask("is_whole", whole), fraction}, "is_no_category");
  return graph->Node("Where", {wrong, graph->Constant<float>("no_category", {-1.0F}), rows}, "rows_whole");
}

/// Adds the nodes up to the margins.
void AddMargins(ExportedModel const& model, OnnxGraph* graph) {
  auto const rows = AddCategories(model, graph);
  Ensemble const ensemble(model);
  auto const leaves = graph->Node("TreeEnsemble", {rows}, "leaves", ensemble.Attributes(), "ai.onnx.ml");
  auto const n_places = static_cast<std::int64_t>(ensemble.NumPlaces());
  auto const shape = graph->Constant<std::int64_t>("shape", {-1, n_places, model.n_outputs});
  auto const by_tree = graph->Node("Reshape", {leaves, shape}, "leaves_by_tree");
  auto const axis = graph->Constant<std::int64_t>("axis", {1});
  auto const sums = graph->Node("CumSum", {by_tree, axis}, "sums");
  auto const last = graph->Constant<std::int64_t>("last", {n_places - 1});
  auto const margins = graph->Node("Gather", {sums, last}, "last_sums", OnnxAttributes().Int("axis", 1));
  graph->Node("Squeeze", {margins, axis}, "margins");
}

/// Adds e^input.
std::string Exp(std::string const& input, OnnxGraph* graph) { return graph->Node("Exp", {input}, input + "_exp"); }

/// Adds 1 / (1 + e^-x) of a float64.
std::string Logistic(std::string const& x, OnnxGraph* graph) {
  auto const one = graph->Constant<double>("one", {1.0});
  auto const sum = graph->Node("Add", {Exp(graph->Node("Neg", {x}, "negative"), graph), one}, "odds_sum");
  return graph->Node("Div", {one, sum}, "logistic");
}

/// Adds the probabilities of classes, in float32.
std::string Softmax(std::string const& wide, OnnxGraph* graph) {
  auto const largest = graph->Node("ReduceMax", {wide, "axis"}, "largest", OnnxAttributes().Int("keepdims", 1));
  auto const exponents = Exp(graph->Node("Sub", {wide, largest}, "distances"), graph);
  auto const sum = graph->Node("ReduceSum", {exponents, "axis"}, "sum", OnnxAttributes().Int("keepdims", 1));
  return graph->Cast(graph->Node("Div", {exponents, sum}, "shares"), OnnxType::kFloat, "probabilities");
}

/// Adds the sums of the first margin and ln(1 + e^m) of the others.
std::string SoftplusSteps(ExportedModel const& model, std::string const& wide, OnnxGraph* graph) {
  auto const zero = graph->Constant<std::int64_t>("begin", {0});
  auto const end = graph->Constant<std::int64_t>("end", {model.n_outputs});
  auto const first = graph->Node("Slice", {wide, zero, "axis", "axis"}, "first");
  auto const others = graph->Node("Slice", {wide, "axis", end, "axis"}, "others");
  auto const size = graph->Node("Neg", {graph->Node("Abs", {others}, "sizes")}, "negative_sizes");
  auto const one = graph->Constant<double>("one", {1.0});
  auto const log = graph->Node("Log", {graph->Node("Add", {Exp(size, graph), one}, "exp_plus_one")}, "logarithms");
  auto const positive = graph->Node("Max", {others, graph->Constant<double>("zero", {0.0})}, "positive_parts");
  auto const steps = graph->Node("Add", {positive, log}, "steps");
  auto const all = graph->Node("Concat", {first, steps}, "first_and_steps", OnnxAttributes().Int("axis", 1));
  return graph->Node("CumSum", {all, "axis"}, "step_sums");
}

/// Adds the node "values".
void AddValues(ExportedModel const& model, OnnxGraph* graph) {
  auto const wide = [graph] { return graph->Cast("margins", OnnxType::kDouble, "wide_margins"); };
  auto const narrow = [graph](std::string const& values) { graph->Cast(values, OnnxType::kFloat, "values"); };
  switch (model.transform) {
    case Transform::kIdentity:
      graph->Node("Identity", {"margins"}, "values");
      return;
    case Transform::kLogistic:
      return narrow(Logistic(wide(), graph));
    case Transform::kHalfLogistic:
      return narrow(Logistic(graph->Node("Mul", {wide(), graph->Constant<double>("two", {2.0})}, "twice"), graph));
    case Transform::kExponential:
      return narrow(Exp(wide(), graph));
    case Transform::kClass:
      return narrow(graph->Node("Greater", {"margins", graph->Constant<float>("zero", {0.0F})}, "is_positive"));
    case Transform::kSoftmax:
      graph->Node("Identity", {Softmax(wide(), graph)}, "values");
      return;
    case Transform::kLikeliest:
      return narrow(graph->Node("ArgMax", {Softmax(wide(), graph)}, "likeliest", OnnxAttributes().Int("axis", 1)));
    case Transform::kSorted: {
      auto const count = graph->Constant<std::int64_t>("count", {model.n_outputs});
      graph->Node("TopK", {"margins", count}, std::vector<std::string>{"values", "order"},
                  OnnxAttributes().Int("axis", 1).Int("largest", 0));
      return;
    }
    case Transform::kSoftplusSteps:
      return narrow(SoftplusSteps(model, wide(), graph));
  }
}

/// Adds the output "label" of a classification: the name of the class, or its number if classes have no names.
void AddLabel(ExportedModel const& model, OnnxGraph* graph) {
  auto const is_multi = model.transform == Transform::kSoftmax || model.transform == Transform::kLikeliest;
  auto const is_binary = model.objective.compare(0, 7, "binary:") == 0 && model.n_outputs == 1;
  if (!is_multi && !is_binary) return;
  std::string number;
  if (is_multi) {
    auto const from = model.transform == Transform::kSoftmax ? "values" : "probabilities";
    number = graph->Node("ArgMax", {from}, "class", OnnxAttributes().Int("axis", 1).Int("keepdims", 0));
  } else {
    auto const is_raw = model.transform == Transform::kIdentity;
    auto const bound = graph->Constant<float>("bound", {is_raw ? 0.0F : 0.5F});
    auto const is_one = graph->Node("Greater", {"values", bound}, "is_one");
    auto const flat = graph->Node("Squeeze", {is_one, "axis"}, "is_one_of_row");
    number = graph->Cast(flat, OnnxType::kInt64, "class");
  }
  if (model.classes.size() < (is_multi ? ToSize(model.n_outputs) : 2)) {
    graph->Node("Identity", {number}, "label");
    graph->Output("label", OnnxType::kInt64, 0);
    return;
  }
  graph->Node("Gather", {graph->Strings("class_names", model.classes), number}, "label");
  graph->Output("label", OnnxType::kString, 0);
}

}  // namespace

std::string WriteOnnx(ExportedModel const& model, TestVector const& test) {
  if (model.RefusesCategories()) {
    Fail(ErrorKind::kParameter,
         "ONNX cannot refuse a row, as unseen_category=error asks for new categories; set unseen_category=missing, or "
         "export another target.");
  }
  OnnxGraph graph;
  graph.Input("rows", OnnxType::kFloat, static_cast<std::int64_t>(model.columns.size()));
  AddMargins(model, &graph);
  AddValues(model, &graph);
  AddLabel(model, &graph);
  graph.Output("values", OnnxType::kFloat, model.n_values);
  graph.Output("margins", OnnxType::kFloat, model.n_outputs);
  constexpr std::int64_t kIrVersion = 9;
  constexpr std::int64_t kOpset = 18;
  constexpr std::int64_t kMlOpset = 5;
  Message onnx;
  onnx.Int(1, kIrVersion).Bytes(2, "Kauri").Bytes(3, KAURI_VERSION).Bytes(6, Summary(model) + ' ' + Summary(test));
  onnx.Sub(7, graph.Finish());
  onnx.Sub(8, Message().Bytes(1, "").Int(2, kOpset)).Sub(8, Message().Bytes(1, "ai.onnx.ml").Int(2, kMlOpset));
  for (auto const& [key, value] : Metadata(model, test)) onnx.Sub(14, Message().Bytes(1, key).Bytes(2, value));
  return onnx.Text();
}

}  // namespace kauri::model_export
