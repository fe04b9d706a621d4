#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "booster/model_io/json.h"
#include "booster/model_io/own_attributes.h"
#include "common/files/checksum.h"

namespace kauri::model_io {
namespace {

constexpr char const* kOfTree = "";  ///< a reader needs a member's name; arrays have none

template <typename T>
std::uint32_t ChecksumOf(std::vector<T> const& values, std::uint32_t before) {
  return Crc32c({reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)}, before);
}

std::int64_t ChecksumOfTree(Tree const& tree) {
  auto checksum = ChecksumOf(tree.left, 0);
  checksum = ChecksumOf(tree.right, checksum);
  checksum = ChecksumOf(tree.split_value, checksum);
  std::vector<std::int32_t> splits;
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (tree.IsLeaf(node)) continue;
    splits.insert(splits.end(), {static_cast<std::int32_t>(tree.split_feature[node]), tree.default_left[node]});
    if (!tree.IsCategorical(node)) continue;
    auto const categories = tree.CategoriesOf(node);
    splits.insert(splits.end(), categories.begin(), categories.end());
  }
  return ChecksumOf(splits, checksum);
}

/// The linear leaves of a tree, as one array per property.
struct FlatLeaves {
  std::vector<float> base;
  std::vector<std::int32_t> node;
  std::vector<std::int64_t> size;
};

FlatLeaves FlattenLeaves(Tree const& tree) {
  FlatLeaves flat;
  if (!tree.HasLinearLeaves()) return flat;
  for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
    if (!tree.linear.Has(node)) continue;
    flat.base.push_back(tree.linear.base[node]);
    flat.node.push_back(node);
    flat.size.push_back(tree.linear.begin[node + 1] - tree.linear.begin[node]);
  }
  return flat;
}

/// Writes one array per tree. numbers_of(tree) returns the numbers of one tree.
template <typename NumbersOf>
void WriteOfTrees(char const* key, Model const& model, JsonWriter* writer, NumbersOf&& numbers_of) {
  writer->Key(key);
  writer->BeginArray(model.trees.size());
  for (auto const& tree : model.trees) {
    auto const numbers = numbers_of(tree);
    writer->Numbers(Span<typename decltype(numbers)::value_type const>(numbers));
  }
  writer->EndArray();
}

/// The arrays of one key, one per tree.
class ArraysOfTrees {
 public:
  ArraysOfTrees(ObjectReader const& attribute, char const* key, std::size_t n_trees)
      : attribute_(attribute), key_(key), arrays_(attribute.Elements(key)) {
    if (arrays_->size() == n_trees) return;
    attribute.FailAt(key, "has ", arrays_->size(), " elements; expected ", n_trees, ", one per tree");
  }
  /// Returns the numbers of a tree. take(reader, key) moves them out of the document.
  template <typename Take>
  auto Of(std::size_t tree, Take&& take) const {
    Value element{Object{}};
    std::get<Object>(element.data).push_back({kOfTree, std::move((*arrays_)[tree])});
    return take(ObjectReader(&element, attribute_.PathOf(std::string(key_) + "[" + std::to_string(tree) + "]")),
                kOfTree);
  }

 private:
  ObjectReader const& attribute_;
  char const* key_;
  Array* arrays_;
};

std::vector<float> FloatsOf(ObjectReader const& reader, char const* key) { return reader.TakeFloats(key); }
std::vector<std::int32_t> IndicesOf(ObjectReader const& reader, char const* key) { return reader.TakeInt32(key); }

/// Restores the linear leaves of one tree. Checks nodes and sizes here; Tree::Validate checks the rest.
LinearLeaves Unflatten(ObjectReader const& attribute, std::size_t number, Tree const& tree,
                       std::vector<float> const& base, std::vector<std::int32_t> const& node,
                       std::vector<std::int32_t> const& size) {
  auto const is_ascending = std::is_sorted(node.begin(), node.end(), [](auto a, auto b) { return a <= b; });
  auto const in_tree = node.empty() || (is_ascending && node.front() >= 0 && node.back() < tree.NumNodes());
  auto const is_positive = [](std::int32_t count) { return count > 0; };
  if (!in_tree || node.size() != base.size() || node.size() != size.size() ||
      !std::all_of(size.begin(), size.end(), is_positive)) {
    attribute.FailAt("node", "of tree ", number, " has ", node.size(), " leaves with ", base.size(), " numbers and ",
                     size.size(), " sizes; expected nodes of the tree, ascending, with one of each above 0");
  }
  LinearLeaves leaves;
  leaves.base.assign(tree.left.size(), 0.0F);
  leaves.begin.assign(tree.left.size() + 1, 0);
  for (std::size_t i = 0; i < node.size(); ++i) {
    leaves.base[node[i]] = base[i];
    leaves.begin[node[i] + 1] = size[i];
  }
  for (std::size_t i = 1; i < leaves.begin.size(); ++i) leaves.begin[i] += leaves.begin[i - 1];
  return leaves;
}

}  // namespace

std::string LinearLeavesText(Model const& model) {
  JsonWriter writer;
  writer.BeginObject();
  auto const write = [&](char const* key, auto&& numbers_of) { WriteOfTrees(key, model, &writer, numbers_of); };
  write("base", [](Tree const& tree) { return FlattenLeaves(tree).base; });
  write("centre", [](Tree const& tree) { return tree.linear.centre; });
  write("feature", [](Tree const& tree) { return tree.linear.feature; });
  write("node", [](Tree const& tree) { return FlattenLeaves(tree).node; });
  write("size", [](Tree const& tree) { return FlattenLeaves(tree).size; });
  write("slope", [](Tree const& tree) { return tree.linear.slope; });
  std::vector<std::int64_t> checksums;
  for (auto const& tree : model.trees) checksums.push_back(ChecksumOfTree(tree));
  writer.Key("trees");
  writer.Numbers(Span<std::int64_t const>(checksums));
  writer.EndObject();
  return writer.Take();
}

void ReadLinearLeaves(ObjectReader const& attribute, Model* model) {
  auto const n_trees = model->trees.size();
  auto const checksums = attribute.TakeInt64("trees");
  for (std::size_t number = 0; number < std::max(n_trees, checksums.size()); ++number) {
    auto const is_same =
        number < std::min(n_trees, checksums.size()) && checksums[number] == ChecksumOfTree(model->trees[number]);
    if (is_same) continue;
    attribute.FailAt("trees", "was written for ", checksums.size(), " trees, and the model has ", n_trees,
                     ", of which tree ", number, " is another: another library has changed the model");
  }
  ArraysOfTrees const base(attribute, "base", n_trees);
  ArraysOfTrees const centre(attribute, "centre", n_trees);
  ArraysOfTrees const feature(attribute, "feature", n_trees);
  ArraysOfTrees const node(attribute, "node", n_trees);
  ArraysOfTrees const size(attribute, "size", n_trees);
  ArraysOfTrees const slope(attribute, "slope", n_trees);
  for (std::size_t number = 0; number < n_trees; ++number) {
    auto& tree = model->trees[number];
    auto leaves = Unflatten(attribute, number, tree, base.Of(number, FloatsOf), node.Of(number, IndicesOf),
                            size.Of(number, IndicesOf));
    leaves.centre = centre.Of(number, FloatsOf);
    leaves.slope = slope.Of(number, FloatsOf);
    auto const features = feature.Of(number, IndicesOf);
    leaves.feature.assign(features.begin(), features.end());
    tree.linear = std::move(leaves);
    if (tree.linear.feature.empty() && tree.linear.begin.back() == 0) tree.linear = {};
    tree.Validate(model->NumTreeFeatures());
  }
}

}  // namespace kauri::model_io
