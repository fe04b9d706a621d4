/// Nodes that pruning removed stay in the arrays of a file: no child refers to them, and num_deleted counts them.
#include <algorithm>
#include <limits>
#include <numeric>

#include "booster/model_io/model_document.h"
#include "booster/model_io/model_parts.h"
#include "booster/model_io/object_reader.h"

namespace kauri::model_io {
namespace {

constexpr std::int32_t kLargestInt = std::numeric_limits<std::int32_t>::max();

std::size_t Index(std::int32_t node) { return static_cast<std::size_t>(node); }

template <typename T>
void CheckLength(ObjectReader const& reader, std::string const& key, std::vector<T> const& values,
                 std::size_t expected) {
  if (values.size() != expected) {
    reader.FailAt(key, "has ", values.size(), " elements; expected ", expected, ", the number of nodes");
  }
}

/// Sets n_outputs. \returns the number of nodes.
std::size_t ReadTreeParam(ObjectReader const& reader, std::int64_t n_outputs, Tree* tree) {
  auto const param = reader.Child("tree_param");
  auto const size = param.Has("size_leaf_vector") ? param.IntegerIn("size_leaf_vector", 0, kLargestInt) : 1;
  if (size > 1 && size != n_outputs) {
    param.FailAt("size_leaf_vector", "is ", size, "; expected 1 or ", n_outputs, ", the number of outputs");
  }
  tree->n_outputs = static_cast<std::int32_t>(std::max<std::int64_t>(size, 1));
  return static_cast<std::size_t>(param.IntegerIn("num_nodes", 1, kLargestInt));
}

/// Takes base_weights. With vector leaves it has a row per node, of the width that the file has.
std::vector<float> TakeBaseWeights(ObjectReader const& reader, std::size_t n_nodes, Tree const& tree) {
  constexpr char const* kKey = "base_weights";
  auto weights = reader.TakeFloats(kKey);
  auto const width = weights.size() / n_nodes;
  if (!tree.HasVectorLeaves() || width < 1 || width > static_cast<std::size_t>(tree.n_outputs)) {
    CheckLength(reader, kKey, weights, n_nodes);
  } else {
    CheckLength(reader, kKey, weights, n_nodes * width);
  }
  return weights;
}

void ReadNodes(ObjectReader const& reader, std::size_t n_nodes, Tree* tree) {
  auto const take = [&](char const* key, auto method) {
    auto values = (reader.*method)(key);
    CheckLength(reader, key, values, n_nodes);
    return values;
  };
  auto const take_statistic = [&](char const* key) {  // before 3.2 trees with vector leaves had none
    if (tree->HasVectorLeaves() && !reader.Has(key)) return std::vector<float>(n_nodes, 0.0F);
    return take(key, &ObjectReader::TakeFloats);
  };
  tree->left = take("left_children", &ObjectReader::TakeInt32);
  tree->right = take("right_children", &ObjectReader::TakeInt32);
  tree->split_value = take("split_conditions", &ObjectReader::TakeFloats);
  tree->default_left = take("default_left", &ObjectReader::TakeFlags);
  tree->base_weight = TakeBaseWeights(reader, n_nodes, *tree);
  tree->loss_change = take_statistic("loss_changes");
  tree->sum_hessian = take_statistic("sum_hessian");
  auto const features = take("split_indices", &ObjectReader::TakeInt32);
  tree->split_feature.assign(features.begin(), features.end());
  tree->is_categorical.assign(n_nodes, 0);
  if (reader.Has("split_type")) tree->is_categorical = take("split_type", &ObjectReader::TakeFlags);
  if (reader.Has(kRowCountsKey)) tree->row_count = take(kRowCountsKey, &ObjectReader::TakeInt64);
}

/// Sets the parents. \returns the nodes that are reachable from the root, breadth-first.
std::vector<std::int32_t> ReachNodes(ObjectReader const& reader, Tree* tree) {
  auto const n_nodes = tree->NumNodes();
  tree->parent.assign(Index(n_nodes), kNoNode);
  std::vector<std::int32_t> reached{0};
  reached.reserve(Index(n_nodes));
  for (std::size_t next = 0; next < reached.size(); ++next) {
    auto const node = reached[next];
    if (tree->left[Index(node)] == kNoNode && tree->right[Index(node)] == kNoNode) continue;
    for (auto const* children : {&tree->left, &tree->right}) {
      auto const child = (*children)[Index(node)];
      auto const* key = children == &tree->left ? "left_children" : "right_children";
      if (child < 1 || child >= n_nodes) {
        reader.FailAt(key, "holds ", child, " for node ", node, "; expected -1 twice or nodes from 1 to ", n_nodes - 1);
      }
      if (tree->parent[Index(child)] != kNoNode) {
        reader.FailAt(key, "leads to node ", child, " a second time, from node ", node,
                      "; the nodes do not form a tree");
      }
      tree->parent[Index(child)] = node;
      reached.push_back(child);
    }
  }
  return reached;
}

void CheckDeleted(ObjectReader const& reader, std::size_t n_nodes, std::size_t n_reached) {
  auto const param = reader.Child("tree_param");
  if (!param.Has("num_deleted")) return;  // a file of 1.0
  auto const n_deleted = static_cast<std::size_t>(param.IntegerIn("num_deleted", 0, kLargestInt));
  if (n_reached + n_deleted != n_nodes) {
    param.FailAt("num_deleted", "is ", n_deleted, ", but ", n_nodes - n_reached, " of ", n_nodes,
                 " nodes cannot be reached from the root");
  }
}

/// Keeps the rows of `order`, in this order. values: [n_nodes, any number], or empty.
template <typename T>
void Permute(std::vector<std::int32_t> const& order, std::size_t n_nodes, std::vector<T>* values) {
  if (values->empty()) return;
  auto const width = values->size() / n_nodes;
  std::vector<T> permuted(order.size() * width);
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::copy_n(values->begin() + static_cast<std::ptrdiff_t>(Index(order[i]) * width), width,
                permuted.begin() + static_cast<std::ptrdiff_t>(i * width));
  }
  *values = std::move(permuted);
}

/// Keeps the nodes of `order`, which become 0, 1, 2, ...
void Renumber(std::vector<std::int32_t> const& order, Tree* tree) {
  auto const n_nodes = tree->left.size();
  std::vector<std::int32_t> new_number(n_nodes, kNoNode);
  for (std::size_t i = 0; i < order.size(); ++i) new_number[Index(order[i])] = static_cast<std::int32_t>(i);
  for (auto* links : {&tree->left, &tree->right, &tree->parent}) {
    Permute(order, n_nodes, links);
    for (auto& link : *links) link = link == kNoNode ? kNoNode : new_number[Index(link)];
  }
  for (auto* floats : {&tree->split_value, &tree->base_weight, &tree->loss_change, &tree->sum_hessian})
    Permute(order, n_nodes, floats);
  Permute(order, n_nodes, &tree->split_feature);
  Permute(order, n_nodes, &tree->default_left);
  Permute(order, n_nodes, &tree->is_categorical);
  Permute(order, n_nodes, &tree->category_begin);
  Permute(order, n_nodes, &tree->category_count);
  Permute(order, n_nodes, &tree->row_count);
}

/// Reads the categories as the file stores them. Nodes still have the numbers of the file.
void ReadCategories(ObjectReader const& reader, Tree* tree) {
  auto const nodes = reader.TakeInt32("categories_nodes");
  auto const begins = reader.TakeInt64("categories_segments");
  auto const counts = reader.TakeInt64("categories_sizes");
  tree->categories = reader.TakeInt32("categories");
  if (begins.size() != nodes.size()) reader.FailAt("categories_segments", "and 'categories_nodes' differ in length");
  if (counts.size() != nodes.size()) reader.FailAt("categories_sizes", "and 'categories_nodes' differ in length");
  tree->category_begin.assign(tree->left.size(), 0);
  tree->category_count.assign(tree->left.size(), 0);
  auto left_over = static_cast<std::int64_t>(tree->categories.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    bool const known = nodes[i] >= 0 && nodes[i] < tree->NumNodes();
    if (!known || tree->is_categorical[Index(nodes[i])] == 0 || tree->category_count[Index(nodes[i])] != 0) {
      reader.FailAt("categories_nodes", "holds ", nodes[i], ", which is no categorical split or is named twice");
    }
    // Segments must not overlap: the categories are copied, so a few bytes could request much memory.
    auto const size = static_cast<std::int64_t>(tree->categories.size());
    if (counts[i] < 1 || counts[i] > left_over || begins[i] < 0 || begins[i] > size - counts[i]) {
      reader.FailAt("categories_sizes", "and 'categories_segments' describe ", counts[i], " categories from ",
                    begins[i], " on for node ", nodes[i], "; there are ", size, " in all");
    }
    left_over -= counts[i];
    tree->category_begin[Index(nodes[i])] = begins[i];
    tree->category_count[Index(nodes[i])] = counts[i];
  }
}

/// Copies the categories of one split to the end of `out`, ascending and without repetition.
void CopyCategories(ObjectReader const& reader, Tree* tree, std::size_t node, std::vector<std::int32_t>* out) {
  auto const begin = static_cast<std::ptrdiff_t>(out->size());
  auto const from = tree->categories.begin() + tree->category_begin[node];
  out->insert(out->end(), from, from + tree->category_count[node]);
  std::sort(out->begin() + begin, out->end());
  out->erase(std::unique(out->begin() + begin, out->end()), out->end());
  auto const lowest = (*out)[begin];
  if (lowest < 0 || out->back() >= kCategoryLimit) {
    reader.FailAt("categories", "holds ", lowest < 0 ? lowest : out->back(), "; expected 0 to ", kCategoryLimit - 1);
  }
  tree->category_begin[node] = begin;
  tree->category_count[node] = static_cast<std::int64_t>(out->size()) - begin;
}

/// Makes categories canonical: they are in the order of the nodes, leaves have none, and all categorical splits have
/// the same threshold (NaN in older files).
void PackCategories(ObjectReader const& reader, Tree* tree) {
  std::vector<std::int32_t> packed;
  for (std::size_t node = 0; node < tree->left.size(); ++node) {
    if (tree->left[node] == kNoNode) tree->is_categorical[node] = 0;
    if (tree->is_categorical[node] == 0) {
      tree->category_begin[node] = tree->category_count[node] = 0;
      continue;
    }
    if (tree->category_count[node] == 0)
      reader.FailAt("split_type", "is 1 for node ", node, ", which has no categories");
    tree->split_value[node] = std::numeric_limits<float>::denorm_min();
    CopyCategories(reader, tree, node, &packed);
  }
  tree->categories = std::move(packed);
  if (tree->categories.empty()) tree->category_begin = tree->category_count = {};
}

/// Sets out-of-range features of leaves to 0: a leaf of an old file may have any feature. Tree::Validate
/// checks the features of splits.
void ClearLeafFeatures(std::int64_t n_features, Tree* tree) {
  for (std::size_t node = 0; node < tree->left.size(); ++node) {
    if (tree->left[node] == kNoNode && tree->split_feature[node] >= n_features) tree->split_feature[node] = 0;
  }
}

}  // namespace

Tree ReadTree(Value* value, TreePlace const& place) {
  ObjectReader const reader(value, place.path);
  if (reader.Has("id")) reader.IntegerIn("id", place.index, place.index);
  Tree tree;
  auto const n_nodes = ReadTreeParam(reader, place.n_outputs, &tree);
  ReadNodes(reader, n_nodes, &tree);
  auto const leaf_rows = tree.HasVectorLeaves() ? TakeLeafRows(reader, &tree) : LeafRows{};
  bool const categorical =
      std::any_of(tree.is_categorical.begin(), tree.is_categorical.end(), [](std::uint8_t flag) { return flag != 0; });
  if (categorical) ReadCategories(reader, &tree);
  auto reached = ReachNodes(reader, &tree);
  CheckDeleted(reader, n_nodes, reached.size());
  bool ordered = reached.size() == n_nodes;
  for (std::size_t node = 1; ordered && node < n_nodes; ++node) ordered = Index(tree.parent[node]) < node;
  if (ordered) {
    std::iota(reached.begin(), reached.end(), 0);
  } else {
    Renumber(reached, &tree);
  }
  if (tree.HasVectorLeaves()) FillLeafVectors(reader, leaf_rows, reached, &tree);
  if (categorical) PackCategories(reader, &tree);
  ClearLeafFeatures(place.n_features, &tree);
  try {
    tree.Validate(place.n_features);
  } catch (Error const& error) {
    Fail(ErrorKind::kModel, "model: '", place.path, "': ", error.what());
  }
  return tree;
}

}  // namespace kauri::model_io
