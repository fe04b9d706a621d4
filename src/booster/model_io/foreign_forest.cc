#include "booster/model_io/foreign_forest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kauri::model_io {
namespace {

using FloatLimits = std::numeric_limits<float>;

double InRangeOfFloats(double value) {
  constexpr auto kLimit = static_cast<double>(FloatLimits::max());
  return std::clamp(value, -kLimit, kLimit);
}

float NextFloat(float value) { return std::min(std::nextafter(value, FloatLimits::infinity()), FloatLimits::max()); }

void Put(DocumentBuilder* builder, char const* key, Value array) {
  builder->Key(key);
  builder->TypedArray(std::move(array));
}

void PutText(DocumentBuilder* builder, char const* key, std::string text) {
  builder->Key(key);
  builder->String(std::move(text));
}

/// Moves the values of leaves to where the format has them: in the thresholds, or in rows that `right` numbers.
void PlaceLeaves(ForeignTree* tree) {
  std::int32_t next_row = 0;
  for (std::size_t node = 0; node < tree->left.size(); ++node) {
    if (tree->left[node] != kNoNode) continue;
    if (tree->vectors.empty()) {
      tree->threshold[node] = tree->value[node];
    } else {
      tree->right[node] = next_row++;
    }
  }
}

/// Returns the weights of all nodes: the values of leaves, and 0 at splits.
Floats NodeWeights(ForeignTree const& tree, std::size_t n_outputs) {
  if (tree.vectors.empty()) return tree.value;
  Floats weights(tree.left.size() * n_outputs, 0.0F);
  auto const* next = tree.vectors.data();
  for (std::size_t node = 0; node < tree.left.size(); ++node) {
    if (tree.left[node] != kNoNode) continue;
    std::copy_n(next, n_outputs, weights.data() + node * n_outputs);
    next += n_outputs;
  }
  return weights;
}

void WriteForeignTree(ForeignTree tree, std::int64_t n_features, std::size_t n_outputs, DocumentBuilder* builder) {
  auto const n_nodes = tree.left.size();
  auto const leaf_size = tree.vectors.empty() ? 1 : n_outputs;
  PlaceLeaves(&tree);
  builder->BeginObject();
  Put(builder, "base_weights", {NodeWeights(tree, n_outputs)});
  Put(builder, "categories", {std::move(tree.categories)});
  Put(builder, "categories_nodes", {std::move(tree.set_nodes)});
  Put(builder, "categories_segments", {std::move(tree.set_begins)});
  Put(builder, "categories_sizes", {std::move(tree.set_sizes)});
  Put(builder, "default_left", {std::move(tree.default_left)});
  if (leaf_size > 1) Put(builder, "leaf_weights", {std::move(tree.vectors)});
  Put(builder, "left_children", {std::move(tree.left)});
  Put(builder, "loss_changes", {Floats(n_nodes, 0.0F)});
  Put(builder, "right_children", {std::move(tree.right)});
  Put(builder, "split_conditions", {std::move(tree.threshold)});
  Put(builder, "split_indices", {std::move(tree.feature)});
  Put(builder, "split_type", {std::move(tree.by_categories)});
  Put(builder, "sum_hessian", {std::move(tree.cover)});
  builder->Key("tree_param");
  builder->BeginObject();
  PutText(builder, "num_deleted", "0");
  PutText(builder, "num_feature", std::to_string(n_features));
  PutText(builder, "num_nodes", std::to_string(n_nodes));
  PutText(builder, "size_leaf_vector", std::to_string(leaf_size));
  builder->EndObject();
  builder->EndObject();
}

void WriteForeignNames(CategoryNames const& names, DocumentBuilder* builder) {
  builder->BeginObject();
  if (!names.numbers.empty()) {
    builder->Key("type");
    builder->Integer(static_cast<std::int64_t>(CategoryNames::Type::kI64));
    Put(builder, "values", {Integers(names.numbers)});
  } else {
    Integers offsets{0};
    Integers bytes;
    for (auto const& text : names.texts) {
      bytes.insert(bytes.end(), text.begin(), text.end());
      offsets.push_back(static_cast<std::int64_t>(bytes.size()));
    }
    Put(builder, "offsets", {std::move(offsets)});
    Put(builder, "values", {std::move(bytes)});
  }
  builder->EndObject();
}

void WriteHeader(ForeignHeader const& header, DocumentBuilder* builder) {
  builder->Key("learner_model_param");
  builder->BeginObject();
  Put(builder, "base_score", {Floats(header.base_score)});
  PutText(builder, "boost_from_average", "0");
  PutText(builder, "num_class", std::to_string(header.n_classes));
  PutText(builder, "num_feature", std::to_string(header.n_features));
  PutText(builder, "num_target", std::to_string(header.n_classes > 0 ? 1 : header.base_score.size()));
  builder->EndObject();
  builder->Key("objective");
  builder->BeginObject();
  PutText(builder, "name", header.objective);
  if (header.n_classes > 0) {
    builder->Key("softmax_multiclass_param");
    builder->BeginObject();
    PutText(builder, "num_class", std::to_string(header.n_classes));
    builder->EndObject();
  }
  builder->EndObject();
  builder->Key("feature_names");
  builder->BeginArray();
  for (auto const& name : header.feature_names) builder->String(name);
  builder->EndArray();
}

/// Writes the types of all columns, if any column has categories.
void WriteTypes(std::set<std::int64_t> const& by_categories, std::int64_t n_features, DocumentBuilder* builder) {
  builder->Key("feature_types");
  builder->BeginArray();
  for (std::int64_t column = 0; column < n_features && !by_categories.empty(); ++column) {
    builder->String(by_categories.count(column) > 0 ? "c" : "q");
  }
  builder->EndArray();
}

}  // namespace

void ForeignTree::EndSet(std::size_t node, std::int64_t begin) {
  by_categories[node] = 1;
  threshold[node] = 0.0F;
  set_nodes.push_back(static_cast<std::int32_t>(node));
  set_begins.push_back(begin);
  set_sizes.push_back(static_cast<std::int64_t>(categories.size()) - begin);
}

float AboveFloats(double at_most) {
  if (std::isnan(at_most)) return FloatLimits::quiet_NaN();
  auto const limit = InRangeOfFloats(at_most);
  auto const rounded = static_cast<float>(limit);
  auto const is_above = static_cast<double>(rounded) > limit;
  return NextFloat(is_above ? std::nextafter(rounded, -FloatLimits::infinity()) : rounded);
}

float AboveDoubles(double at_most) {
  if (std::isnan(at_most)) return FloatLimits::quiet_NaN();
  return NextFloat(static_cast<float>(InRangeOfFloats(at_most)));
}

ForeignWriter::ForeignWriter(ForeignHeader const& header) : header_(header) {
  for (std::size_t column = 0; column < header.names.size(); ++column) {
    if (header.names[column].Size() > 0) DeclareCategorical(static_cast<std::int64_t>(column));
  }
  builder_.BeginObject();
  builder_.Key("learner");
  builder_.BeginObject();
  WriteHeader(header, &builder_);
  builder_.Key("gradient_booster");
  builder_.BeginObject();
  PutText(&builder_, "name", "gbtree");
  builder_.Key("model");
  builder_.BeginObject();
  builder_.Key("trees");
  builder_.BeginArray();
}

void ForeignWriter::Add(ForeignTree tree, std::int64_t output) {
  for (auto const node : tree.set_nodes) DeclareCategorical(tree.feature[static_cast<std::size_t>(node)]);
  outputs_.push_back(output);
  WriteForeignTree(std::move(tree), header_.n_features, header_.base_score.size(), &builder_);
}

Value ForeignWriter::Take() {
  builder_.EndArray();
  auto const n_trees = static_cast<std::int64_t>(outputs_.size());
  Integers ends;
  for (std::int64_t end = 0; end <= n_trees; end += header_.trees_in_round) ends.push_back(end);
  Put(&builder_, "tree_info", {std::move(outputs_)});
  Put(&builder_, "iteration_indptr", {std::move(ends)});
  builder_.Key("gbtree_model_param");
  builder_.BeginObject();
  PutText(&builder_, "num_parallel_tree", "1");
  PutText(&builder_, "num_trees", std::to_string(n_trees));
  builder_.EndObject();
  builder_.Key("cats");
  builder_.BeginObject();
  builder_.Key("enc");
  builder_.BeginArray();
  for (auto const& names : header_.names) WriteForeignNames(names, &builder_);
  builder_.EndArray();
  builder_.EndObject();
  builder_.EndObject();
  builder_.EndObject();
  WriteTypes(by_categories_, header_.n_features, &builder_);
  builder_.EndObject();
  builder_.EndObject();
  return builder_.Take();
}

}  // namespace kauri::model_io
