#include "predictor/forest.h"

#include <algorithm>

#include "common/parallel_for.h"
#include "predictor/quadrature_forest.h"

namespace kauri {
namespace {

std::size_t At(std::int64_t index) { return static_cast<std::size_t>(index); }

/// Sets feature_of_slot and slot_of_feature.
void NumberSlots(Model const& model, Forest* forest) {
  std::vector<std::int32_t>& slots = forest->slot_of_feature;
  for (auto index = forest->trees.begin; index < forest->trees.end; ++index) {
    auto const& tree = model.trees[At(index)];
    for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
      if (tree.IsLeaf(node)) continue;
      auto const feature = tree.split_feature[At(node)];
      if (feature >= slots.size()) slots.resize(std::size_t{feature} + 1, -1);
      slots[feature] = 0;
    }
  }
  for (std::size_t feature = 0; feature < slots.size(); ++feature) {
    if (slots[feature] != 0) continue;
    slots[feature] = static_cast<std::int32_t>(forest->feature_of_slot.size());
    forest->feature_of_slot.push_back(static_cast<std::uint32_t>(feature));
  }
}

/// The nodes that can be reached, in breadth-first order, so that siblings are neighbours.
struct NodeOrder {
  std::vector<std::int32_t> nodes;  ///< of the tree, by new number
  std::vector<std::uint32_t> left;  ///< new number of the left child; its own for a leaf
  std::int32_t depth = 0;
};

NodeOrder OrderNodes(Tree const& tree) {
  NodeOrder order;
  order.nodes.push_back(0);
  std::size_t level_end = 1;
  for (std::size_t i = 0; i < order.nodes.size(); ++i) {
    if (i == level_end) {
      ++order.depth;
      level_end = order.nodes.size();
    }
    auto const node = order.nodes[i];
    if (tree.IsLeaf(node)) {
      order.left.push_back(static_cast<std::uint32_t>(i));
      continue;
    }
    order.left.push_back(static_cast<std::uint32_t>(order.nodes.size()));
    order.nodes.push_back(tree.left[At(node)]);
    order.nodes.push_back(tree.right[At(node)]);
  }
  return order;
}

bool IsCategorical(Tree const& tree, std::int32_t node) {
  return !tree.IsLeaf(node) && tree.is_categorical[At(node)] != 0;
}

unsigned BitsFor(std::uint64_t count) {
  unsigned bits = 0;
  while ((std::uint64_t{1} << bits) < count) ++bits;
  return bits;
}

/// Sizes the arrays over nodes and chooses the storage of nodes.
void Allocate(std::vector<NodeOrder> const& orders, NodeLayout layout, Forest* forest) {
  std::size_t largest = 1;
  forest->tree_begin.assign(1, 0);
  for (auto const& order : orders) {
    largest = std::max(largest, order.nodes.size());
    forest->tree_begin.push_back(forest->tree_begin.back() + static_cast<std::int64_t>(order.nodes.size()));
    forest->tree_depth.push_back(order.depth);
  }
  forest->slot_bits = BitsFor(forest->feature_of_slot.size());
  forest->is_wide = layout == NodeLayout::kWide || forest->slot_bits + BitsFor(largest) > 30;
  auto const n_nodes = At(forest->tree_begin.back());
  if (forest->is_wide) {
    forest->wide.resize(n_nodes);
  } else {
    forest->narrow.resize(n_nodes);
  }
  forest->leaf_value.resize(n_nodes);
  forest->node_id.resize(n_nodes);
  forest->cover.resize(n_nodes);
}

void Store(SplitNode const& node, std::int64_t index, Forest* forest) {
  auto const flags = (node.is_categorical ? 2U : 0U) | (node.default_left ? 1U : 0U);
  if (forest->is_wide) {
    forest->wide[At(index)] = {node.key, node.slot, node.left, flags};
  } else {
    forest->narrow[At(index)] = {node.key, (node.left << (forest->slot_bits + 2U)) | (node.slot << 2U) | flags};
  }
}

/// Numbers the sets of categorical splits, by node of the forest; in order, so that compiling is deterministic.
std::vector<std::int32_t> AddCategories(Model const& model, std::vector<NodeOrder> const& orders, Forest* forest) {
  std::vector<std::int32_t> set_of_node;
  for (std::size_t t = 0; t < orders.size(); ++t) {
    auto const& tree = model.trees[At(forest->trees.begin) + t];
    if (!tree.HasCategorical()) continue;
    for (std::size_t i = 0; i < orders[t].nodes.size(); ++i) {
      auto const node = orders[t].nodes[i];
      if (!IsCategorical(tree, node)) continue;
      forest->has_categorical = true;
      set_of_node.resize(At(forest->tree_begin.back()), -1);
      set_of_node[At(forest->tree_begin[t]) + i] = forest->categories.Add(tree.CategoriesOf(node));
    }
  }
  return set_of_node;
}

void CopyTree(Tree const& tree, float weight, NodeOrder const& order, std::vector<std::int32_t> const& set_of_node,
              std::int64_t begin, Forest* forest) {
  for (std::size_t i = 0; i < order.nodes.size(); ++i) {
    auto const node = order.nodes[i];
    auto const index = begin + static_cast<std::int64_t>(i);
    forest->node_id[At(index)] = node;
    forest->cover[At(index)] = tree.sum_hessian[At(node)];
    if (tree.IsLeaf(node)) {
      forest->leaf_value[At(index)] = tree.split_value[At(node)] * weight;
      Store({kNeverRight, 0, order.left[i], true, false}, index, forest);
      continue;
    }
    auto const categorical = IsCategorical(tree, node);
    auto const default_left = tree.default_left[At(node)] != 0;
    auto const slot = static_cast<std::uint32_t>(forest->slot_of_feature[tree.split_feature[At(node)]]);
    auto const key = categorical ? set_of_node[At(index)] : KeyOf(tree.split_value[At(node)]) + (default_left ? 1 : 0);
    Store({key, slot, order.left[i], default_left, categorical}, index, forest);
  }
}

}  // namespace

Forest CompileForest(Context const& ctx, Model const& model, TreeRange trees, NodeLayout layout) {
  auto const n_trees = static_cast<std::int64_t>(model.trees.size());
  if (trees.begin < 0 || trees.begin > trees.end || trees.end > n_trees) {
    Fail(ErrorKind::kInternal, "trees [", trees.begin, ", ", trees.end, ") asked of a model of ", n_trees, " trees.");
  }
  Forest forest;
  forest.trees = trees;
  forest.n_features = model.n_features;
  forest.n_outputs = model.NumOutputs();
  NumberSlots(model, &forest);
  std::vector<NodeOrder> orders(At(forest.NumTrees()));
  ParallelFor(ctx, forest.NumTrees(),
              [&](std::int64_t t) { orders[At(t)] = OrderNodes(model.trees[At(trees.begin + t)]); });
  Allocate(orders, layout, &forest);
  auto const set_of_node = AddCategories(model, orders, &forest);
  for (auto t = trees.begin; t < trees.end; ++t) forest.output_of_tree.push_back(model.output_of_tree[At(t)]);
  ParallelFor(ctx, forest.NumTrees(), [&](std::int64_t t) {
    auto const index = trees.begin + t;
    CopyTree(model.trees[At(index)], model.TreeWeight(index), orders[At(t)], set_of_node, forest.tree_begin[At(t)],
             &forest);
  });
  forest.crown = BuildCrown(forest);
  forest.quadrature = std::make_shared<LazyQuadrature const>();
  return forest;
}

}  // namespace kauri
