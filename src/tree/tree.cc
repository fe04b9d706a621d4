#include "kauri/tree.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kauri/error.h"
#include "kauri/model.h"

namespace kauri {
namespace {

/// Does the work of a resize, which would be an out-of-line call for each array of a node.
template <typename T>
void AppendTwo(T value, std::vector<T>* array) {
  array->push_back(value);
  array->push_back(value);
}

template <typename T>
void CheckLength(std::vector<T> const& array, std::size_t n_nodes, char const* name) {
  if (array.size() == n_nodes) return;
  Fail(ErrorKind::kModel, "tree array '", name, "' has ", array.size(), " elements for ", n_nodes,
       " nodes; every node array must have one element per node.");
}

void CheckLengths(Tree const& tree) {
  auto const n_nodes = tree.left.size();
  if (n_nodes == 0 || n_nodes > 0x7FFFFFFFU) {
    Fail(ErrorKind::kModel, "a tree has ", n_nodes, " nodes; expected 1 to 2147483647.");
  }
  CheckLength(tree.right, n_nodes, "right");
  CheckLength(tree.parent, n_nodes, "parent");
  CheckLength(tree.split_feature, n_nodes, "split_feature");
  CheckLength(tree.split_value, n_nodes, "split_value");
  CheckLength(tree.default_left, n_nodes, "default_left");
  CheckLength(tree.is_categorical, n_nodes, "is_categorical");
  if (!tree.HasVectorLeaves()) CheckLength(tree.base_weight, n_nodes, "base_weight");
  CheckLength(tree.loss_change, n_nodes, "loss_change");
  CheckLength(tree.sum_hessian, n_nodes, "sum_hessian");
  if (!tree.category_begin.empty() || !tree.category_count.empty() || !tree.categories.empty()) {
    CheckLength(tree.category_begin, n_nodes, "category_begin");
    CheckLength(tree.category_count, n_nodes, "category_count");
  }
}

void CheckVectors(Tree const& tree) {
  auto const n_nodes = tree.left.size();
  auto const n_outputs = static_cast<std::size_t>(tree.n_outputs);
  if (tree.n_outputs < 1) Fail(ErrorKind::kModel, "a tree has ", tree.n_outputs, " outputs; expected 1 or more.");
  if (tree.leaf_vector.size() != (tree.HasVectorLeaves() ? n_nodes * n_outputs : 0)) {
    Fail(ErrorKind::kModel, "tree array 'leaf_vector' has ", tree.leaf_vector.size(), " elements for ", n_nodes,
         " nodes and ", n_outputs, " outputs; expected one per node and output, none for a single output.");
  }
  if (tree.HasVectorLeaves() && (tree.base_weight.empty() || tree.base_weight.size() % n_nodes != 0)) {
    Fail(ErrorKind::kModel, "tree array 'base_weight' has ", tree.base_weight.size(),
         " elements, which is no multiple of ", n_nodes, ", the number of nodes.");
  }
}

void CheckRowCounts(Tree const& tree) {
  if (tree.row_count.empty()) return;
  CheckLength(tree.row_count, tree.left.size(), "row_count");
  auto const lowest = std::min_element(tree.row_count.begin(), tree.row_count.end());
  if (*lowest >= 0) return;
  Fail(ErrorKind::kModel, "node ", lowest - tree.row_count.begin(), " counts ", *lowest,
       " rows; counts must not be negative.");
}

void CheckTerms(Tree const& tree, std::int32_t node, std::int64_t n_features) {
  auto const& linear = tree.linear;
  if (!std::isfinite(linear.base[node])) {
    Fail(ErrorKind::kModel, "linear leaf ", node, " has base ", linear.base[node], "; it must be finite.");
  }
  for (auto term = linear.begin[node]; term < linear.begin[node + 1]; ++term) {
    if (static_cast<std::int64_t>(linear.feature[term]) >= n_features) {
      Fail(ErrorKind::kModel, "linear leaf ", node, " reads feature ", linear.feature[term], " of a model of ",
           n_features, " features.");
    }
    if (std::isfinite(linear.slope[term]) && std::isfinite(linear.centre[term])) continue;
    Fail(ErrorKind::kModel, "linear leaf ", node, " has slope ", linear.slope[term], " about ", linear.centre[term],
         "; both must be finite.");
  }
}

void CheckLinear(Tree const& tree, std::int64_t n_features) {
  auto const& linear = tree.linear;
  if (linear.IsEmpty()) return;
  auto const n_nodes = tree.left.size();
  CheckLength(linear.begin, n_nodes + 1, "linear.begin");
  CheckLength(linear.base, n_nodes, "linear.base");
  CheckLength(linear.slope, linear.feature.size(), "linear.slope");
  CheckLength(linear.centre, linear.feature.size(), "linear.centre");
  auto const is_whole = linear.begin.front() == 0 &&
                        linear.begin.back() == static_cast<std::int64_t>(linear.feature.size()) &&
                        std::is_sorted(linear.begin.begin(), linear.begin.end());
  if (!is_whole || tree.HasVectorLeaves()) {
    Fail(ErrorKind::kModel, "the terms of the linear leaves of a tree of ", n_nodes, " nodes and ", tree.n_outputs,
         " outputs do not follow one another; expected the terms of all nodes in order, and one output.");
  }
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (linear.Has(node) && !tree.IsLeaf(node)) {
      Fail(ErrorKind::kModel, "node ", node, " is a split and has slopes; only leaves have.");
    }
    CheckTerms(tree, node, n_features);
  }
}

/// Checks that every child follows its parent, which excludes cycles, and names its parent, so that no node is shared.
void CheckChild(Tree const& tree, std::int32_t node, std::int32_t child) {
  if (child <= node || child >= tree.NumNodes()) {
    Fail(ErrorKind::kModel, "node ", node, " of a tree of ", tree.NumNodes(), " nodes has child ", child,
         "; children must come after their parent and within the tree.");
  }
  if (tree.parent[child] != node) {
    Fail(ErrorKind::kModel, "node ", child, " is a child of node ", node, " but names ", tree.parent[child],
         " as its parent; every node must have one parent.");
  }
}

void CheckCategories(Tree const& tree, std::int32_t node) {
  if (tree.category_begin.empty()) {
    Fail(ErrorKind::kModel, "node ", node, " is a categorical split but the tree stores no category sets.");
  }
  auto const begin = tree.category_begin[node];
  auto const count = tree.category_count[node];
  auto const size = static_cast<std::int64_t>(tree.categories.size());
  if (begin < 0 || count < 0 || begin > size || count > size - begin) {
    Fail(ErrorKind::kModel, "the categories of node ", node, " start at ", begin, " and count ", count,
         "; the tree stores ", size, ".");
  }
  auto const categories = tree.CategoriesOf(node);
  if (!categories.empty() && categories[0] < 0) {
    Fail(ErrorKind::kModel, "node ", node, " stores category ", categories[0], "; categories must not be negative.");
  }
  if (std::adjacent_find(categories.begin(), categories.end(), [](auto a, auto b) { return a >= b; }) !=
      categories.end()) {
    Fail(ErrorKind::kModel, "the categories of node ", node, " are not ascending without duplicates.");
  }
}

void CheckSplit(Tree const& tree, std::int32_t node, std::int64_t n_features) {
  CheckChild(tree, node, tree.left[node]);
  CheckChild(tree, node, tree.right[node]);
  if (tree.left[node] == tree.right[node]) {
    Fail(ErrorKind::kModel, "node ", node, " has node ", tree.left[node], " as both of its children.");
  }
  if (static_cast<std::int64_t>(tree.split_feature[node]) >= n_features) {
    Fail(ErrorKind::kModel, "node ", node, " splits on feature ", tree.split_feature[node], " of a model of ",
         n_features, " features.");
  }
  if (tree.is_categorical[node] != 0) {
    CheckCategories(tree, node);
  } else if (!std::isfinite(tree.split_value[node])) {
    Fail(ErrorKind::kModel, "node ", node, " has threshold ", tree.split_value[node], "; it must be finite.");
  }
}

void CheckLeaf(Tree const& tree, std::int32_t node) {
  if (tree.right[node] != kNoNode) {
    Fail(ErrorKind::kModel, "node ", node, " has a right child, ", tree.right[node], ", but no left one.");
  }
  for (auto const value : tree.LeafValues(node)) {
    if (!std::isfinite(value)) {
      Fail(ErrorKind::kModel, "leaf ", node, " has value ", value, "; it must be finite.");
    }
  }
}

void AddCategories(Span<std::int32_t const> categories, std::int32_t node, Tree* tree) {
  tree->is_categorical[node] = 1;
  tree->split_value[node] = std::numeric_limits<float>::denorm_min();
  tree->category_begin.resize(tree->left.size(), 0);
  tree->category_count.resize(tree->left.size(), 0);
  tree->category_begin[node] = static_cast<std::int64_t>(tree->categories.size());
  tree->category_count[node] = static_cast<std::int64_t>(categories.size());
  tree->categories.insert(tree->categories.end(), categories.begin(), categories.end());
}

}  // namespace

Tree::Tree() : Tree(1) {}

Tree::Tree(std::int32_t outputs)
    : left{kNoNode},
      right{kNoNode},
      parent{kNoNode},
      split_feature{0},
      split_value{0.0F},
      default_left{0},
      is_categorical{0},
      base_weight(ToSize(outputs), 0.0F),
      loss_change{0.0F},
      sum_hessian{0.0F},
      n_outputs(outputs) {
  if (HasVectorLeaves()) leaf_vector.assign(outputs, 0.0F);
}

std::int32_t Tree::NumLeaves() const {
  return static_cast<std::int32_t>(std::count(left.begin(), left.end(), kNoNode));
}

std::int32_t Tree::MaxDepth() const {
  std::vector<std::int32_t> depth(left.size(), 0);
  std::int32_t deepest = 0;
  for (std::int32_t node = 0; node < NumNodes(); ++node) {
    deepest = std::max(deepest, depth[node]);
    if (IsLeaf(node)) continue;
    depth[left[node]] = depth[node] + 1;
    depth[right[node]] = depth[node] + 1;
  }
  return deepest;
}

Span<std::int32_t const> Tree::CategoriesOf(std::int32_t node) const {
  if (category_begin.empty()) return {};
  return {categories.data() + category_begin[node], static_cast<std::size_t>(category_count[node])};
}

Span<float const> Tree::LeafValues(std::int32_t leaf) const {
  if (!HasVectorLeaves()) return {&split_value[leaf], 1};
  return {leaf_vector.data() + ToSize(leaf) * static_cast<std::size_t>(n_outputs), static_cast<std::size_t>(n_outputs)};
}

void Tree::ExpandNode(std::int32_t node, Split const& split) {
  auto const n_nodes = NumNodes();
  if (node < 0 || node >= n_nodes || !IsLeaf(node)) {
    Fail(ErrorKind::kInternal, "node ", node, " of ", n_nodes, " nodes is not a leaf and cannot be expanded.");
  }
  auto const new_size = left.size() + 2;
  auto const n_weights = base_weight.size() / left.size();
  AppendTwo(kNoNode, &left);
  AppendTwo(kNoNode, &right);
  AppendTwo(node, &parent);
  AppendTwo<std::uint32_t>(0, &split_feature);
  AppendTwo(0.0F, &split_value);
  AppendTwo<std::uint8_t>(0, &default_left);
  AppendTwo<std::uint8_t>(0, &is_categorical);
  base_weight.resize(new_size * n_weights, 0.0F);
  AppendTwo(0.0F, &loss_change);
  AppendTwo(0.0F, &sum_hessian);
  if (!category_begin.empty()) {
    category_begin.resize(new_size, 0);
    category_count.resize(new_size, 0);
  }
  if (HasVectorLeaves()) {
    auto const values = LeafValues(node).size();
    leaf_vector.resize(new_size * values, 0.0F);
    std::fill_n(leaf_vector.begin() + static_cast<std::ptrdiff_t>(ToSize(node) * values), values, 0.0F);
  }
  row_count.clear();
  left[node] = n_nodes;
  right[node] = n_nodes + 1;
  split_feature[node] = split.feature;
  split_value[node] = split.threshold;
  default_left[node] = split.default_left ? 1 : 0;
  loss_change[node] = split.loss_change;
  if (!split.categories.empty()) AddCategories(split.categories, node, this);
}

void Tree::SetNodeStatistics(std::int32_t node, float weight, float hessian) {
  base_weight[node] = weight;
  sum_hessian[node] = hessian;
}

void Tree::SetLeafValue(std::int32_t node, float value, std::int32_t output) {
  if (HasVectorLeaves()) {
    leaf_vector[std::int64_t{node} * ToSize(n_outputs) + std::int64_t{output}] = value;
  } else {
    split_value[node] = value;
  }
}

void Tree::Validate(std::int64_t n_features) const {
  CheckLengths(*this);
  CheckVectors(*this);
  CheckRowCounts(*this);
  CheckLinear(*this, n_features);
  if (parent[0] != kNoNode) {
    Fail(ErrorKind::kModel, "the root names ", parent[0], " as its parent; it must have none.");
  }
  std::int64_t n_children = 0;
  for (std::int32_t node = 0; node < NumNodes(); ++node) {
    if (IsLeaf(node)) {
      CheckLeaf(*this, node);
    } else {
      CheckSplit(*this, node, n_features);
      n_children += 2;
    }
  }
  if (n_children != NumNodes() - 1) {
    Fail(ErrorKind::kModel, "of ", NumNodes(), " nodes only ", n_children + 1, " can be reached from the root.");
  }
}

TreeRange Model::TreesOf(IterationRange iterations) const {
  auto const end = iterations.end == 0 ? NumIterations() : iterations.end;
  if (iterations.begin < 0 || iterations.begin > end || end > NumIterations()) {
    Fail(ErrorKind::kParameter, "the range of iterations [", iterations.begin, ", ", iterations.end,
         ") does not fit; the model has ", NumIterations(), " iterations (an end of 0 means all)");
  }
  if (IsLinear()) {
    if (iterations.begin == 0 && end == NumIterations()) return {};
    Fail(ErrorKind::kParameter, "iterations [", iterations.begin, ", ", end, ") of a linear booster were requested, ",
         "but it keeps only the weights after all ", NumIterations(), "; leave the range out.");
  }
  return {iteration_ptr[iterations.begin], iteration_ptr[end]};
}

bool Model::HasVectorLeaves() const {
  return std::any_of(trees.begin(), trees.end(), [](Tree const& tree) { return tree.HasVectorLeaves(); });
}

bool Model::HasLinearLeaves() const {
  return std::any_of(trees.begin(), trees.end(), [](Tree const& tree) { return tree.HasLinearLeaves(); });
}

void Model::RequireConstantLeaves(char const* what) const {
  if (!HasLinearLeaves()) return;
  Fail(ErrorKind::kParameter, "the model has linear leaves (linear_tree=1), for which there are no ", what,
       "; train with linear_tree=0, or ask for values, margins or leaves with device=cpu.");
}

}  // namespace kauri
