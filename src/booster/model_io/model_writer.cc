#include <array>
#include <limits>

#include "booster/model_io/category_table.h"
#include "booster/model_io/model_document.h"
#include "booster/model_io/model_parts.h"
#include "booster/model_io/own_attributes.h"

namespace kauri::model_io {
namespace {

constexpr std::int32_t kNoParent = std::numeric_limits<std::int32_t>::max();

template <typename Writer>
void Text(Writer* writer, std::string_view key, std::string const& text) {
  writer->Key(key);
  writer->String(text);
}

template <typename Writer, typename T>
void Numbers(Writer* writer, char const* key, std::vector<T> const& values) {
  writer->Key(key);
  writer->Numbers(Span<T const>(values));
}

/// Writes a short array of integers without a common type, as XGBoost does.
template <typename Writer, typename Container>
void LooseIntegers(Writer* writer, char const* key, Container const& values) {
  writer->Key(key);
  writer->BeginArray(std::size(values));
  for (auto const value : values) writer->Integer(value);
  writer->EndArray();
}

template <typename Writer>
void Strings(Writer* writer, char const* key, std::vector<std::string> const& strings) {
  writer->Key(key);
  writer->BeginArray(strings.size());
  for (auto const& text : strings) writer->String(text);
  writer->EndArray();
}

template <typename Writer>
void StringMap(Writer* writer, std::string_view key, std::map<std::string, std::string> const& map) {
  writer->Key(key);
  writer->BeginObject();
  for (auto const& [name, text] : map) Text(writer, name, text);
  writer->EndObject();
}

template <typename Writer>
void WriteCategories(Tree const& tree, Writer* writer) {
  std::vector<std::int32_t> nodes;
  std::vector<std::int32_t> categories;
  std::vector<std::int64_t> begins;
  std::vector<std::int64_t> counts;
  for (std::int32_t node = 0; tree.HasCategorical() && node < tree.NumNodes(); ++node) {
    if (tree.is_categorical[node] == 0) continue;
    auto const of_node = tree.CategoriesOf(node);
    nodes.push_back(node);
    begins.push_back(static_cast<std::int64_t>(categories.size()));
    counts.push_back(static_cast<std::int64_t>(of_node.size()));
    categories.insert(categories.end(), of_node.begin(), of_node.end());
  }
  Numbers(writer, "categories", categories);
  Numbers(writer, "categories_nodes", nodes);
  Numbers(writer, "categories_segments", begins);
  Numbers(writer, "categories_sizes", counts);
}

/// Returns the parents as XGBoost stores them. If leaves are vectors the root has the parent -1, otherwise it has an
/// impossible node number.
std::vector<std::int32_t> FileParents(Tree const& tree) {
  auto parents = tree.parent;
  if (tree.HasVectorLeaves()) return parents;
  for (auto& parent : parents) parent = parent == kNoNode ? kNoParent : parent;
  return parents;
}

/// Returns the split values, with XGBoost's mark in the leaves whose vectors are stored elsewhere.
std::vector<float> FileSplitValues(Tree const& tree) {
  auto values = tree.split_value;
  for (std::size_t node = 0; tree.HasVectorLeaves() && node < values.size(); ++node) {
    if (tree.left[node] == kNoNode) values[node] = std::numeric_limits<float>::denorm_min();
  }
  return values;
}

template <typename Writer>
void WriteTree(Model const& model, std::size_t index, ModelDialect const& dialect, Writer* writer) {
  auto const& tree = model.trees[index];
  auto const in_base_weights = tree.HasVectorLeaves() && !dialect.IsSince(3, 2);
  writer->BeginObject();
  Numbers(writer, "base_weights", in_base_weights ? NodeVectorsOf(tree) : tree.base_weight);
  WriteCategories(tree, writer);
  Numbers(writer, "default_left", tree.default_left);
  writer->Key("id");
  writer->Integer(static_cast<std::int64_t>(index));
  if (tree.HasVectorLeaves()) Numbers(writer, "leaf_weights", LeafWeightsOf(tree));
  Numbers(writer, "left_children", tree.left);
  Numbers(writer, "loss_changes", tree.loss_change);
  Numbers(writer, "parents", FileParents(tree));
  Numbers(writer, "right_children", tree.HasVectorLeaves() ? RightOrLeafRow(tree) : tree.right);
  Numbers(writer, "split_conditions", FileSplitValues(tree));
  Numbers(writer, "split_indices", std::vector<std::int32_t>(tree.split_feature.begin(), tree.split_feature.end()));
  Numbers(writer, "split_type", tree.is_categorical);
  Numbers(writer, "sum_hessian", tree.sum_hessian);
  writer->Key("tree_param");
  writer->BeginObject();
  Text(writer, "num_deleted", "0");
  Text(writer, "num_feature", std::to_string(model.NumTreeFeatures()));
  Text(writer, "num_nodes", std::to_string(tree.NumNodes()));
  Text(writer, "size_leaf_vector", dialect.IsSince(2, 0) ? std::to_string(tree.n_outputs) : "0");
  writer->EndObject();
  writer->EndObject();
}

template <typename Writer>
void WriteTreeWeights(Model const& model, Writer* writer) {
  writer->Key("weight_drop");
  writer->BeginArray(model.trees.size());  // XGBoost reads these only without a common type
  for (std::size_t i = 0; i < model.trees.size(); ++i) writer->Float(model.TreeWeight(static_cast<std::int64_t>(i)));
  writer->EndArray();
}

bool IsDart(Model const& model) { return model.booster == "dart" || !model.tree_weights.empty(); }

template <typename Writer>
void WriteGbtree(Model const& model, ModelDialect const& dialect, Writer* writer) {
  writer->BeginObject();
  writer->Key("model");
  writer->BeginObject();
  if (dialect.IsSince(3, 1)) WriteCategoryTable(model, writer);
  writer->Key("gbtree_model_param");
  writer->BeginObject();
  Text(writer, "num_parallel_tree", std::to_string(model.n_parallel_trees));
  Text(writer, "num_trees", std::to_string(model.trees.size()));
  writer->EndObject();
  if (dialect.IsSince(2, 0)) LooseIntegers(writer, "iteration_indptr", model.iteration_ptr);
  LooseIntegers(writer, "tree_info", model.output_of_tree);
  writer->Key("trees");
  writer->BeginArray(model.trees.size());
  for (std::size_t tree = 0; tree < model.trees.size(); ++tree) WriteTree(model, tree, dialect, writer);
  writer->EndArray();
  if (IsDart(model) && dialect.IsSince(3, 4)) WriteTreeWeights(model, writer);
  writer->EndObject();
  Text(writer, "name", "gbtree");
  writer->EndObject();
}

template <typename Writer>
void WriteBooster(Model const& model, ModelDialect const& dialect, Writer* writer) {
  writer->Key("gradient_booster");
  if (model.booster == "gblinear" || model.IsLinear()) return WriteLinearPart(model, writer);
  if (!IsDart(model) || dialect.IsSince(3, 4)) return WriteGbtree(model, dialect, writer);
  writer->BeginObject();
  writer->Key("gbtree");
  WriteGbtree(model, dialect, writer);
  Text(writer, "name", "dart");
  WriteTreeWeights(model, writer);
  writer->EndObject();
}

template <typename Writer>
void WriteLearnerParam(Model const& model, ModelDialect const& dialect, Writer* writer) {
  writer->Key("learner_model_param");
  writer->BeginObject();
  Text(writer, "base_score",
       dialect.IsSince(3, 1) ? BaseScoreText(model.base_score, static_cast<std::size_t>(model.NumOutputs()))
                             : FloatText(BaseScoreIn(dialect, model)));
  Text(writer, "boost_from_average", model.base_score_estimated ? "1" : "0");
  Text(writer, "num_class", std::to_string(model.n_classes));
  Text(writer, "num_feature", std::to_string(model.NumTreeFeatures()));
  Text(writer, "num_target", std::to_string(model.n_targets));
  writer->EndObject();
}

template <typename Writer>
void WriteObjective(Model const& model, ModelDialect const& dialect, Writer* writer) {
  auto const members = ObjectiveIn(dialect, model);
  auto const& key = members.param_key;
  writer->Key("objective");
  writer->BeginObject();
  if (!key.empty() && key < "name") StringMap(writer, key, members.params);
  Text(writer, "name", ObjectiveOfFile(model));
  if (key > "name") StringMap(writer, key, members.params);
  for (auto const& [name, numbers] : members.state) {  // keys that sort after "name"
    writer->Key(name);
    writer->Numbers(Span<float const>(numbers));
  }
  writer->EndObject();
}

template <typename Writer>
void WriteDocument(Model const& model, ModelDialect const& dialect, Writer* writer) {
  RequireSayable(model, dialect);
  std::size_t n_nodes = 0;
  for (auto const& tree : model.trees) n_nodes += tree.left.size();
  writer->Reserve(n_nodes * Writer::kBytesPerNode);
  writer->BeginObject();
  writer->Key("learner");
  writer->BeginObject();
  StringMap(writer, "attributes", AttributesOf(model));
  Strings(writer, "feature_names", model.feature_names);
  Strings(writer, "feature_types", model.feature_types);
  WriteBooster(model, dialect, writer);
  WriteLearnerParam(model, dialect, writer);
  WriteObjective(model, dialect, writer);
  writer->EndObject();
  LooseIntegers(writer, "version", std::array<std::int64_t, 3>{dialect.major, dialect.minor, dialect.patch});
  writer->EndObject();
}

}  // namespace

void WriteModel(Model const& model, ModelDialect const& dialect, JsonWriter* writer) {
  WriteDocument(model, dialect, writer);
}
void WriteModel(Model const& model, ModelDialect const& dialect, UbjsonWriter* writer) {
  WriteDocument(model, dialect, writer);
}

}  // namespace kauri::model_io
