#include "booster/model_io/model_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "booster/model_io/json.h"
#include "common/memory_size.h"
#include "kauri/error.h"

namespace kauri::model_io {
namespace {

constexpr char const* kBaseScoreKey = "base_score";

std::vector<float> ParseText(ObjectReader const& reader, std::string const& text) {
  auto inner = text;
  bool const is_array =
      text.size() >= 2 && ((text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')'));
  if (is_array) inner = text.substr(1, text.size() - 2);
  std::vector<float> values;
  std::istringstream parts(inner);
  for (std::string part; std::getline(parts, part, ',');) {
    float value = 0.0F;
    if (!ParseFloat(part, &value) || (!is_array && !values.empty())) {
      reader.FailAt(kBaseScoreKey, "is '", Printable(text), "'; expected finite numbers such as 0.5 or [0.1,0.9]");
    }
    values.push_back(value);
  }
  return values;
}

}  // namespace

std::vector<float> ReadBaseScore(ObjectReader const& reader) {
  auto const* value = reader.At(kBaseScoreKey);
  std::vector<float> scores;
  if (auto const* text = std::get_if<std::string>(&value->data)) {
    scores = ParseText(reader, *text);
  } else if (auto const* number = std::get_if<float>(&value->data)) {
    scores = {*number};
  } else if (auto const* integer = std::get_if<std::int64_t>(&value->data)) {
    scores = {static_cast<float>(*integer)};
  } else {
    scores = reader.TakeFloats(kBaseScoreKey);
  }
  if (scores.empty()) reader.FailAt(kBaseScoreKey, "is empty; expected one number per output");
  if (!std::all_of(scores.begin(), scores.end(), [](float score) { return std::isfinite(score); })) {
    reader.FailAt(kBaseScoreKey, "holds a number that is not finite");
  }
  return scores;
}

std::string BaseScoreText(std::vector<float> const& base_score, std::size_t n_outputs) {
  std::string text = "[";
  auto const size = base_score.size() == 1 ? n_outputs : base_score.size();
  for (std::size_t i = 0; i < size; ++i) {
    if (i > 0) text += ',';
    text += FloatText(base_score[base_score.size() == 1 ? 0 : i]);
  }
  return text + "]";
}

namespace {

std::size_t NumWeights(Model const& model) { return SizeInMemory((model.n_features + 1) * model.NumOutputs()); }

/// Returns the numbers as text, each preceded by `before`, with `between` in between.
std::string Joined(float const* numbers, std::size_t count, std::string const& before, std::string const& between) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? before : between + before) + SixDigits(numbers[i]);
  return text;
}

}  // namespace

void ReadLinearPart(ObjectReader const& booster, Model* model) {
  constexpr char const* kKey = "weights";
  auto const part = booster.Child("model");
  auto weights = part.TakeFloats(kKey);
  if (!weights.empty() && weights.size() != NumWeights(*model)) {
    part.FailAt(kKey, "has ", weights.size(), " numbers; expected ", NumWeights(*model),
                ", one per output for each feature and the bias");
  }
  auto const wrong = std::find_if(weights.begin(), weights.end(), [](float weight) { return !std::isfinite(weight); });
  if (wrong != weights.end()) {
    part.FailAt(kKey, "holds ", *wrong, " at index ", wrong - weights.begin(), "; expected finite numbers");
  }
  model->booster = "gblinear";
  auto const is_zero = std::all_of(weights.begin(), weights.end(), [](float weight) { return weight == 0.0F; });
  auto const n_rounds =
      part.Has("boosted_rounds") ? part.IntegerIn("boosted_rounds", 0, std::numeric_limits<std::int32_t>::max()) : 0;
  if (n_rounds == 0 && is_zero) return;                          // not trained
  model->linear.n_rounds = std::max<std::int64_t>(n_rounds, 1);  // XGBoost before 1.6 did not count
  model->linear.weights = std::move(weights);
}

std::vector<float> LinearWeights(Model const& model) {
  return model.IsLinear() ? model.linear.weights : std::vector<float>(NumWeights(model), 0.0F);
}

std::string DumpLinear(Model const& model, std::string const& format) {
  auto const weights = LinearWeights(model);
  auto const n_biases = static_cast<std::size_t>(model.NumOutputs());
  auto const n_weights = weights.size() - n_biases;
  auto const* const biases = weights.data() + n_weights;
  if (format == "text") {
    return "bias:\n" + Joined(biases, n_biases, "", "\n") + "\nweight:\n" +
           Joined(weights.data(), n_weights, "", "\n") + "\n";
  }
  if (format == "json") {
    std::string const indent(6, ' ');
    return "  { \"bias\": [\n" + Joined(biases, n_biases, indent, ",\n") + "\n    ],\n    \"weight\": [\n" +
           Joined(weights.data(), n_weights, indent, ",\n") + "\n    ]\n  }";
  }
  Fail(ErrorKind::kParameter, "a linear booster has no dump in the format '", format, "'; use text or json");
}

namespace {

std::size_t NodeIndex(std::int32_t node) { return static_cast<std::size_t>(node); }

void CopyRow(std::vector<float> const& from, std::size_t row, std::size_t node, Tree* tree) {
  auto const width = NodeIndex(tree->n_outputs);
  auto const begin = from.begin() + static_cast<std::ptrdiff_t>(row * width);
  std::copy(begin, begin + tree->n_outputs, tree->leaf_vector.begin() + static_cast<std::ptrdiff_t>(node * width));
}

}  // namespace

LeafRows TakeLeafRows(ObjectReader const& reader, Tree* tree) {
  constexpr char const* kKey = "leaf_weights";
  LeafRows rows;
  if (!reader.Has(kKey)) return rows;
  rows.weights = reader.TakeFloats(kKey);
  if (rows.weights.empty() || rows.weights.size() % NodeIndex(tree->n_outputs) != 0) {
    reader.FailAt(kKey, "has ", rows.weights.size(), " elements; expected a row of ", tree->n_outputs, " per leaf");
  }
  rows.row_of_node = tree->right;
  for (std::size_t node = 0; node < tree->left.size(); ++node) {
    if (tree->left[node] == kNoNode) tree->right[node] = kNoNode;
  }
  return rows;
}

void FillLeafVectors(ObjectReader const& reader, LeafRows const& rows, std::vector<std::int32_t> const& order,
                     Tree* tree) {
  auto const n_nodes = tree->left.size();
  auto const n_outputs = NodeIndex(tree->n_outputs);
  auto const n_values = SizeInMemory(tree->NumNodes() * std::int64_t{tree->n_outputs});
  auto const n_rows = rows.weights.size() / n_outputs;
  auto const in_base_weights = rows.weights.empty();
  if (!in_base_weights && n_rows < NodeIndex(tree->NumLeaves())) {
    reader.FailAt("leaf_weights", "has ", n_rows, " rows for ", tree->NumLeaves(), " leaves");
  }
  if (in_base_weights && tree->base_weight.size() != n_values) {
    reader.FailAt("base_weights", "has ", tree->base_weight.size(), " elements; expected ", n_nodes, " times ",
                  n_outputs, ", and there are no 'leaf_weights'");
  }
  std::vector<bool> taken(n_rows, false);
  tree->leaf_vector.assign(n_values, 0.0F);
  for (std::size_t node = 0; node < n_nodes; ++node) {
    if (tree->left[node] != kNoNode) continue;
    tree->split_value[node] = 0.0F;
    if (in_base_weights) {
      CopyRow(tree->base_weight, node, node, tree);
      continue;
    }
    auto const row = rows.row_of_node[NodeIndex(order[node])];
    if (row < 0 || NodeIndex(row) >= n_rows || taken[NodeIndex(row)]) {
      reader.FailAt("right_children", "holds ", row, " for leaf ", order[node],
                    "; expected a row of 'leaf_weights', 0 to ", n_rows - 1, ", of its own");
    }
    taken[NodeIndex(row)] = true;
    CopyRow(rows.weights, NodeIndex(row), node, tree);
  }
}

std::vector<float> NodeVectorsOf(Tree const& tree) {
  auto vectors = tree.base_weight.size() == tree.leaf_vector.size() ? tree.base_weight : tree.leaf_vector;
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (!tree.IsLeaf(node)) continue;
    auto const values = tree.LeafValues(node);
    std::copy(values.begin(), values.end(),
              vectors.begin() + static_cast<std::ptrdiff_t>(NodeIndex(node) * values.size()));
  }
  return vectors;
}

std::vector<float> LeafWeightsOf(Tree const& tree) {
  std::vector<float> weights;
  weights.reserve(NodeIndex(tree.NumLeaves()) * NodeIndex(tree.n_outputs));
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (!tree.IsLeaf(node)) continue;
    auto const values = tree.LeafValues(node);
    weights.insert(weights.end(), values.begin(), values.end());
  }
  return weights;
}

std::vector<std::int32_t> RightOrLeafRow(Tree const& tree) {
  auto right = tree.right;
  std::int32_t n_leaves = 0;
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (tree.IsLeaf(node)) right[NodeIndex(node)] = n_leaves++;
  }
  return right;
}

}  // namespace kauri::model_io
