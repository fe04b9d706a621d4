#include "predictor/forest/forest.h"

#include <algorithm>
#include <cmath>

#include "common/memory_size.h"
#include "common/threads/parallel_for.h"

namespace kauri {
namespace {

/// Sets feature_of_slot and slot_of_feature.
void NumberSlots(Model const& model, Forest* forest) {
  std::vector<std::int32_t>& slots = forest->slot_of_feature;
  for (auto index = forest->trees.begin; index < forest->trees.end; ++index) {
    auto const& tree = model.trees[index];
    for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
      if (tree.IsLeaf(node)) continue;
      auto const feature = tree.split_feature[node];
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
  std::vector<std::int32_t> nodes;  ///< node of the model's tree, by new number
  std::vector<std::uint32_t> left;  ///< new number of the left child; the node's own number for a leaf
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
    order.nodes.push_back(tree.left[node]);
    order.nodes.push_back(tree.right[node]);
  }
  return order;
}

bool IsCategorical(Tree const& tree, std::int32_t node) { return !tree.IsLeaf(node) && tree.is_categorical[node] != 0; }

unsigned BitsFor(std::uint64_t count) {
  unsigned bits = 0;
  while ((std::uint64_t{1} << bits) < count) ++bits;
  return bits;
}

/// A tree of the forest: one output of a tree of the model.
struct Part {
  Tree const& tree;
  NodeOrder const& order;
  float weight;
  std::size_t output;  ///< among the outputs of the model's tree
};

/// Lists the trees of the forest and sets output_of_tree and model_tree. orders: by tree of the model.
std::vector<Part> ListParts(Model const& model, std::vector<NodeOrder> const& orders, Forest* forest) {
  std::vector<Part> parts;
  for (auto index = forest->trees.begin; index < forest->trees.end; ++index) {
    auto const& tree = model.trees[index];
    for (std::int32_t output = 0; output < tree.n_outputs; ++output) {
      parts.push_back({tree, orders[index - forest->trees.begin], model.TreeWeight(index), ToSize(output)});
      forest->output_of_tree.push_back(tree.HasVectorLeaves() ? output : model.output_of_tree[index]);
      forest->model_tree.push_back(index - forest->trees.begin);
    }
  }
  if (parts.size() == orders.size()) forest->model_tree = {};
  return parts;
}

/// Sizes the arrays over nodes and chooses the storage of nodes.
void Allocate(std::vector<Part> const& parts, NodeLayout layout, Forest* forest) {
  std::size_t largest = 1;
  forest->tree_begin.assign(1, 0);
  for (auto const& part : parts) {
    largest = std::max(largest, part.order.nodes.size());
    forest->tree_begin.push_back(forest->tree_begin.back() + static_cast<std::int64_t>(part.order.nodes.size()));
    forest->tree_depth.push_back(part.order.depth);
  }
  forest->slot_bits = BitsFor(forest->feature_of_slot.size());
  forest->is_wide = layout == NodeLayout::kWide || forest->slot_bits + BitsFor(largest) > 30;
  auto const n_nodes = ToSize(forest->tree_begin.back());
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
    forest->wide[index] = {node.key, node.slot, node.left, flags};
  } else {
    forest->narrow[index] = {node.key, (node.left << (forest->slot_bits + 2U)) | (node.slot << 2U) | flags};
  }
}

/// Adds the category sets of categorical splits and returns their numbers by node of the forest. The order is fixed, so
/// compiling is deterministic.
std::vector<std::int32_t> AddCategories(std::vector<Part> const& parts, Forest* forest) {
  std::vector<std::int32_t> set_of_node;
  for (std::size_t t = 0; t < parts.size(); ++t) {
    auto const& [tree, order, weight, output] = parts[t];
    if (!tree.HasCategorical()) continue;
    forest->has_categorical = true;
    set_of_node.resize(forest->tree_begin.back(), -1);
    auto const begin = ToSize(forest->tree_begin[t]);
    auto const n_nodes = order.nodes.size();
    for (std::size_t i = 0; i < n_nodes; ++i) {
      if (!IsCategorical(tree, order.nodes[i])) continue;
      auto const is_copy = output > 0;
      auto const set =
          is_copy ? set_of_node[begin - n_nodes + i] : forest->categories.Add(tree.CategoriesOf(order.nodes[i]));
      set_of_node[begin + i] = set;
    }
  }
  return set_of_node;
}

float CoverOf(Tree const& tree, std::int32_t node, CoverSource source) {
  if (source == CoverSource::kHessian) return tree.sum_hessian[node];
  return tree.row_count.empty() ? 0.0F : static_cast<float>(tree.row_count[node]);
}

void CopyTree(Part const& part, std::vector<std::int32_t> const& set_of_node, CoverSource cover, std::int64_t begin,
              Forest* forest) {
  auto const& [tree, order, weight, output] = part;
  for (std::size_t i = 0; i < order.nodes.size(); ++i) {
    auto const node = order.nodes[i];
    auto const index = begin + static_cast<std::int64_t>(i);
    forest->node_id[index] = node;
    forest->cover[index] = CoverOf(tree, node, cover);
    if (tree.IsLeaf(node)) {
      forest->leaf_value[index] = tree.LeafValues(node)[output] * weight;
      Store({kNeverRight, 0, order.left[i], true, false}, index, forest);
      continue;
    }
    auto const categorical = IsCategorical(tree, node);
    auto const default_left = tree.default_left[node] != 0;
    auto const slot = static_cast<std::uint32_t>(forest->slot_of_feature[tree.split_feature[node]]);
    auto const key = categorical ? set_of_node[index] : KeyOf(tree.split_value[node]) + (default_left ? 1 : 0);
    Store({key, slot, order.left[i], default_left, categorical}, index, forest);
  }
}

/// Fills the vectors of leaves if all trees have vector leaves.
void CopyVectors(Context const& ctx, std::vector<Part> const& parts, Forest* forest) {
  auto const n = forest->n_outputs;
  auto const has_vector = [n](Part const& part) { return part.tree.HasVectorLeaves() && part.tree.n_outputs == n; };
  if (parts.empty() || !std::all_of(parts.begin(), parts.end(), has_vector)) return;
  auto& vectors = forest->vectors;
  vectors.stride = (n + kVectorUnit - 1) / kVectorUnit * kVectorUnit;
  vectors.values.assign(SizeInMemory(forest->tree_begin.back() / n * vectors.stride), 0.0F);
  ParallelFor(ctx, forest->NumTrees() / n, [&](std::int64_t group) {
    auto const& [tree, order, weight, output] = parts[group * n];
    auto* values = vectors.values.data() + forest->tree_begin[group * n] / n * vectors.stride;
    for (std::size_t i = 0; i < order.nodes.size(); ++i, values += vectors.stride) {
      if (!tree.IsLeaf(order.nodes[i])) continue;
      auto const leaf = tree.LeafValues(order.nodes[i]);
      for (std::size_t k = 0; k < leaf.size(); ++k) values[k] = leaf[k] * weight;
    }
  });
}

std::string WhyNoCover(Model const& model, TreeRange trees, CoverSource source) {
  for (auto index = trees.begin; index < trees.end; ++index) {
    auto const& tree = model.trees[index];
    if (tree.NumNodes() == 1) continue;
    auto const name = "tree " + std::to_string(index);
    if (source == CoverSource::kCount && tree.row_count.empty()) {
      return "shap_cover=count: " + name +
             " has no row counts. Count the rows of a data set first (Python: Booster.count_rows, C: "
             "KauriBoosterCountRows), or use shap_cover=hessian.";
    }
    if (source == CoverSource::kHessian && tree.HasVectorLeaves() && !(tree.sum_hessian[0] > 0.0F)) {
      return "shap_cover=hessian: " + name +
             " has no sums of hessians; before 3.2 XGBoost did not save them for vector leaves. Use shap_cover=count "
             "after counting the rows of a data set (Python: Booster.count_rows, C: KauriBoosterCountRows).";
    }
  }
  return "";
}

}  // namespace

float Forest::LargestLeaf(std::int64_t tree) const {
  float largest = 0.0F;
  std::for_each(leaf_value.begin() + tree_begin[tree], leaf_value.begin() + tree_begin[tree + 1],
                [&](float value) { largest = std::max(largest, std::abs(value)); });
  if (!std::isfinite(largest)) {
    Fail(ErrorKind::kModel, "tree ", trees.begin + ModelTree(tree),
         " has a leaf that is infinite times the weight of the tree; explanations need finite leaves. Lower the ",
         "tree's weight.");
  }
  return largest;
}

TreeRange Forest::OwnTrees(TreeRange of_model) const {
  if (of_model.begin < trees.begin || of_model.begin > of_model.end || of_model.end > trees.end) {
    Fail(ErrorKind::kInternal, "trees [", of_model.begin, ", ", of_model.end, ") are not all compiled; those in [",
         trees.begin, ", ", trees.end, ") are.");
  }
  TreeRange const numbers{of_model.begin - trees.begin, of_model.end - trees.begin};
  if (model_tree.empty()) return numbers;
  auto const first = [&](std::int64_t number) {
    return std::lower_bound(model_tree.begin(), model_tree.end(), number) - model_tree.begin();
  };
  return {first(numbers.begin), first(numbers.end)};
}

std::int64_t Forest::GroupEnd(std::int64_t tree) const {
  auto end = tree + 1;
  while (end < static_cast<std::int64_t>(model_tree.size()) && model_tree[end] == model_tree[tree]) ++end;
  return end;
}

std::vector<std::int64_t> Forest::GroupsOf(TreeRange own) const {
  std::vector<std::int64_t> groups;
  for (auto tree = own.begin; tree < own.end; tree = GroupEnd(tree)) groups.push_back(tree);
  return groups;
}

Forest CompileForest(Context const& ctx, Model const& model, TreeRange trees, NodeLayout layout, CoverSource cover,
                     LinearUse linear) {
  auto const n_trees = static_cast<std::int64_t>(model.trees.size());
  if (trees.begin < 0 || trees.begin > trees.end || trees.end > n_trees) {
    Fail(ErrorKind::kInternal, "trees [", trees.begin, ", ", trees.end, ") are out of range; the model has ", n_trees,
         " trees.");
  }
  if (linear == LinearUse::kRefuse) model.RequireConstantLeaves("explanations and predictions on a device");
  Forest forest;
  forest.trees = trees;
  forest.n_features = model.n_features;
  forest.n_outputs = model.NumOutputs();
  forest.no_cover = WhyNoCover(model, trees, cover);
  NumberSlots(model, &forest);
  std::vector<NodeOrder> orders(trees.end - trees.begin);
  ParallelFor(ctx, trees.end - trees.begin,
              [&](std::int64_t t) { orders[t] = OrderNodes(model.trees[trees.begin + t]); });
  auto const parts = ListParts(model, orders, &forest);
  Allocate(parts, layout, &forest);
  auto const set_of_node = AddCategories(parts, &forest);
  ParallelFor(ctx, forest.NumTrees(),
              [&](std::int64_t t) { CopyTree(parts[t], set_of_node, cover, forest.tree_begin[t], &forest); });
  CopyVectors(ctx, parts, &forest);
  return forest;
}

std::int32_t CategorySets::Add(Span<std::int32_t const> categories) {
  auto const* end = std::lower_bound(categories.begin(), categories.end(), kCategoryLimit);
  auto const count = static_cast<std::size_t>(end - categories.begin());
  auto const n_words = count == 0 ? std::size_t{0} : static_cast<std::size_t>(end[-1]) / 32 + 1;
  // A lone large category must not cost a bitset of all the smaller ones.
  auto const is_bitset = n_words <= 2 * count + 32;
  CategorySet const set{data_.size(), static_cast<std::uint32_t>(is_bitset ? n_words : count), is_bitset};
  data_.resize(data_.size() + set.size, 0);
  for (std::size_t i = 0; i < count; ++i) {
    auto const category = static_cast<std::uint32_t>(categories[i]);
    if (is_bitset) {
      data_[set.begin + category / 32] |= 1U << (category % 32);
    } else {
      data_[set.begin + i] = category;
    }
  }
  sets_.push_back(set);
  return static_cast<std::int32_t>(sets_.size() - 1);
}

std::vector<std::int32_t> CategorySets::List(std::int32_t set) const {
  auto const& entry = sets_[set];
  std::vector<std::int32_t> list;
  for (std::uint32_t i = 0; i < entry.size; ++i) {
    auto const word = data_[entry.begin + i];
    if (!entry.is_bitset) list.push_back(static_cast<std::int32_t>(word));
    for (std::uint32_t bit = 0; entry.is_bitset && bit < 32; ++bit) {
      if (((word >> bit) & 1U) != 0) list.push_back(static_cast<std::int32_t>(32 * i + bit));
    }
  }
  return list;
}

}  // namespace kauri
