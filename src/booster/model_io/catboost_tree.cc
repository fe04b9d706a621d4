#include "booster/model_io/catboost_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kauri::model_io {
namespace {

constexpr std::size_t kMostLevels = 30;  ///< nodes have 32-bit numbers

/// Returns the weight of a leaf's training rows, by which explanations average.
double WeightOf(CatBoostJson const& value, std::string const& where) {
  auto const weight = NumberOf(value, "the weight in " + where);
  if (!(weight >= 0.0)) FailCatBoost("the weight ", weight, " of a leaf in ", where, "; expected at least 0");
  return weight;
}

/// Sets the covers from the weights of leaves; children have greater numbers than their parents.
void SumCovers(std::vector<double> weights, std::string const& where, ForeignTree* tree) {
  for (auto node = weights.size(); node-- > 0;) {
    if (tree->left[node] != kNoNode) {
      weights[node] =
          weights[static_cast<std::size_t>(tree->left[node])] + weights[static_cast<std::size_t>(tree->right[node])];
    }
    tree->cover[node] = FloatOf(weights[node], "the weight in " + where);
  }
}

/// Exchanges the children of nodes with an infinite threshold. Their border is the greatest 32-bit number, so that all
/// numbers go to the left (CatBoost asks in this way whether a value is missing). No finite threshold is above that
/// border, but all numbers go to the right of the lowest number.
void ExchangeAtInfinity(ForeignTree* tree) {
  using Limits = std::numeric_limits<float>;
  for (std::size_t node = 0; node < tree->left.size(); ++node) {
    if (tree->threshold[node] < Limits::infinity()) continue;
    tree->threshold[node] = Limits::lowest();
    tree->default_left[node] = tree->default_left[node] != 0 ? 0 : 1;
    std::swap(tree->left[node], tree->right[node]);
  }
}

/// A node of nested trees that waits to be read.
struct Waiting {
  CatBoostJson const* node;
  std::int32_t* link;  ///< in the parent, to be set to the node's number
};

/// Returns the number of nodes. The walk keeps a list, as the nesting may be deep.
std::size_t CountNodes(CatBoostJson const& root, std::string const& where) {
  std::vector<CatBoostJson const*> waiting{&root};
  std::size_t n_nodes = 0;
  for (; !waiting.empty(); ++n_nodes) {
    auto const& node = *waiting.back();
    waiting.pop_back();
    if (!node.is_object()) FailCatBoost("a node in ", where, " that is no object");
    if (!node.contains("split")) continue;
    waiting.push_back(&MemberOf(node, "right", where));
    waiting.push_back(&MemberOf(node, "left", where));
  }
  if (n_nodes >= std::size_t{1} << kMostLevels) FailCatBoost(n_nodes, " nodes in ", where);
  return n_nodes;
}

}  // namespace

ForeignTree CatBoostTreeReader::ReadOblivious(CatBoostJson const& tree, std::size_t index) {
  auto const where = "oblivious_trees[" + std::to_string(index) + "]";
  static CatBoostJson const none = CatBoostJson::array();
  bool const has_splits = tree.is_object() && tree.contains("splits") && !tree["splits"].is_null();
  auto const& splits = has_splits ? ArrayIn(tree, "splits", where) : none;
  auto const& values = ArrayIn(tree, "leaf_values", where);
  auto const& weights = ArrayIn(tree, "leaf_weights", where);
  auto const n_levels = splits.size();
  auto const n_leaves = n_levels < kMostLevels ? std::size_t{1} << n_levels : 0;
  if (values.size() != n_leaves * n_outputs_ || weights.size() != n_leaves || n_leaves == 0) {
    FailCatBoost(values.size(), " leaf_values and ", weights.size(), " leaf_weights in ", where, ", which has ",
                 n_levels, " splits and ", n_outputs_, " outputs; expected 2^splits of each, times the outputs");
  }
  ForeignTree read(2 * n_leaves - 1);
  std::vector<double> covers(read.left.size(), 0.0);
  for (std::size_t node = 0, level = 0; node < n_leaves - 1; ++node) {
    if (node + 1 == std::size_t{1} << (level + 1)) ++level;
    read.left[node] = static_cast<std::int32_t>(2 * node + 1);
    read.right[node] = static_cast<std::int32_t>(2 * node + 2);
    ReadSplit(splits[n_levels - 1 - level], where, node, &read);
  }
  for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
    covers[n_leaves - 1 + leaf] = WeightOf(weights[leaf], where);
    for (std::size_t output = 0; output < n_outputs_; ++output) {
      AddValue(values[leaf * n_outputs_ + output], output, where, n_leaves - 1 + leaf, &read);
    }
  }
  ExchangeAtInfinity(&read);
  SumCovers(std::move(covers), where, &read);
  return read;
}

ForeignTree CatBoostTreeReader::ReadNested(CatBoostJson const& tree, std::size_t index) {
  auto const where = "trees[" + std::to_string(index) + "]";
  ForeignTree read(CountNodes(tree, where));
  std::vector<double> covers(read.left.size(), 0.0);
  std::int32_t root = 0;
  std::vector<Waiting> waiting{{&tree, &root}};
  for (std::size_t node = 0; !waiting.empty(); ++node) {
    auto const [json, link] = waiting.back();
    waiting.pop_back();
    *link = static_cast<std::int32_t>(node);
    if (json->contains("split")) {
      ReadSplit((*json)["split"], where, node, &read);
      waiting.push_back({&(*json)["right"], &read.right[node]});
      waiting.push_back({&(*json)["left"], &read.left[node]});
      continue;
    }
    covers[node] = WeightOf(MemberOf(*json, "weight", where), where);
    auto const& value = MemberOf(*json, "value", where);
    if ((value.is_array() ? value.size() : 1) != n_outputs_) {
      FailCatBoost("a leaf in ", where, " with a wrong number of values; expected ", n_outputs_);
    }
    for (std::size_t output = 0; output < n_outputs_; ++output) {
      AddValue(value.is_array() ? value[output] : value, output, where, node, &read);
    }
  }
  ExchangeAtInfinity(&read);
  SumCovers(std::move(covers), where, &read);
  return read;
}

void CatBoostTreeReader::AddValue(CatBoostJson const& value, std::size_t output, std::string const& where,
                                  std::size_t node, ForeignTree* tree) const {
  auto const shift = shift_.empty() ? 0.0 : shift_[output];
  auto const number =
      FloatOf(NumberOf(value, "the leaf value in " + where) * scale_ + shift, "the leaf value in " + where);
  if (n_outputs_ == 1) {
    tree->value[node] = number;
  } else {
    tree->vectors.push_back(number);
  }
}

void CatBoostTreeReader::ReadSplit(CatBoostJson const& split, std::string const& where, std::size_t node,
                                   ForeignTree* tree) const {
  auto const& kind = MemberOf(split, "split_type", where);
  if (kind == "OneHotFeature") return ReadOneHot(split, where, node, tree);
  if (kind == "OnlineCtr") {
    Fail(ErrorKind::kModel, "the model of CatBoost splits on statistics of the target over the categories (CTR) of ",
         columns_.with_statistics.empty() ? "some columns" : columns_.with_statistics,
         ", which have no counterpart here. Train with one_hot_max_size of at least their numbers of categories.");
  }
  if (kind != "FloatFeature") {
    FailCatBoost("the split_type ", Quoted(kind.dump(-1, ' ', true)), " in ", where,
                 "; expected FloatFeature or OneHotFeature");
  }
  auto const last = static_cast<std::int64_t>(columns_.numbers.size()) - 1;
  auto const index = WholeIn(split, "float_feature_index", where, 0, last);
  auto const& feature = columns_.numbers[static_cast<std::size_t>(index)];
  auto const border = FloatOf(NumberOf(MemberOf(split, "border", where), "the border"), "the border");
  using Limits = std::numeric_limits<float>;
  tree->feature[node] = feature.column;
  tree->default_left[node] = feature.missing_left ? 1 : 0;
  tree->threshold[node] = std::nextafter(border, Limits::infinity());
}

void CatBoostTreeReader::ReadOneHot(CatBoostJson const& split, std::string const& where, std::size_t node,
                                    ForeignTree* tree) const {
  using Limits = std::numeric_limits<std::int32_t>;
  auto const last = static_cast<std::int64_t>(columns_.categories.size()) - 1;
  auto const index = WholeIn(split, "cat_feature_index", where, 0, last);
  auto const hash = WholeIn(split, "value", where, Limits::min(), Limits::max());
  auto const& feature = columns_.categories[static_cast<std::size_t>(index)];
  auto const found = feature.code_of.find(static_cast<std::int32_t>(hash));
  if (found == feature.code_of.end()) {
    FailCatBoost("a split on the category with the hash ", hash, " in ", where, ", which column ", Quoted(feature.name),
                 " does not have");
  }
  auto const begin = static_cast<std::int64_t>(tree->categories.size());
  tree->feature[node] = feature.column;
  tree->default_left[node] = 1;
  tree->categories.push_back(found->second);
  tree->EndSet(node, begin);
}

}  // namespace kauri::model_io
