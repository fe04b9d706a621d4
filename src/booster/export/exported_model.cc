#include "booster/export/exported_model.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "booster/class_names.h"
#include "booster/model/model_fit.h"
#include "kauri/error.h"
#include "kauri/ordered_encoding.h"

namespace kauri::model_export {
namespace {

void RequireExportable(Model const& model) {
  CheckPredictable(model);
  if (model.IsLinear() || model.booster == "gblinear") {
    Fail(ErrorKind::kParameter,
         "export writes trees, and booster=gblinear has none; its weights are in the dump, and a margin is the sum of "
         "weight times value.");
  }
  model.RequireConstantLeaves("export");
}

/// Returns the categories that training has seen, by feature; empty for a feature without a filter.
std::vector<std::vector<std::int32_t>> SeenCategories(ModelCategories const& categories) {
  if (categories.unseen == UnseenCategory::kXGBoost) return {};
  if (!categories.seen.empty()) return categories.seen;
  std::vector<std::vector<std::int32_t>> seen;
  for (auto const& names : categories.names) {
    seen.emplace_back(names.Size());
    std::iota(seen.back().begin(), seen.back().end(), 0);
  }
  return seen;
}

/// Makes the conditions of splits. The policy on unseen categories and the encoding of categories as numbers become
/// part of the conditions, so that writers need neither.
class ConditionMaker {
 public:
  explicit ConditionMaker(Model const& model) : model_(model), seen_(SeenCategories(model.categories)) {
    if (model.categories.ordered != nullptr) added_ = model.categories.ordered->AddedColumns();
  }

  Condition Make(Tree const& tree, std::int32_t node) const {
    auto const index = static_cast<std::size_t>(node);
    Condition condition;
    condition.feature = tree.split_feature[index];
    condition.missing_right = tree.default_left[index] == 0;
    if (tree.is_categorical[index] != 0) {
      auto const right = tree.CategoriesOf(node);
      SetCategories({right.begin(), right.end()}, &condition);
    } else if (IsEncoded(condition.feature)) {
      SetEncoded(tree.split_value[index], &condition);
    } else {
      condition.threshold = tree.split_value[index] + 0.0F;  // no negative zero
    }
    return condition;
  }

  std::vector<std::int32_t> const* SeenIn(std::size_t feature) const {
    return feature < seen_.size() && !seen_[feature].empty() ? &seen_[feature] : nullptr;
  }

 private:
  bool IsEncoded(std::size_t column) const {
    return ToSize(model_.n_features) <= column || model_.categories.Encodes(column);
  }

  /// right: the categories that go right, ascending.
  void SetCategories(std::vector<std::int32_t> right, Condition* condition) const {
    condition->is_categorical = true;
    condition->listed_right = true;
    right.erase(std::lower_bound(right.begin(), right.end(), kCategoryLimit), right.end());  // no value is that large
    auto const* seen = SeenIn(condition->feature);
    if (seen == nullptr) {
      condition->categories = std::move(right);
      return;
    }
    // An unseen category goes the way of a missing value, so the list holds the categories of the other side.
    condition->listed_right = !condition->missing_right;
    for (auto const category : *seen) {
      auto const goes_right = std::binary_search(right.begin(), right.end(), category);
      if (goes_right == condition->listed_right) condition->categories.push_back(category);
    }
  }

  /// Lists the categories whose number lies on the other side of the threshold than that of a new category.
  void SetEncoded(float threshold, Condition* condition) const {
    auto const& encoding = *model_.categories.ordered;
    auto const number = NumberOf(condition->feature);
    auto const& known = encoding.columns[number.column].categories;
    condition->feature = static_cast<std::uint32_t>(number.column);
    condition->is_categorical = true;
    auto const goes_right = [&](std::int32_t position) { return !(encoding.ValueAt(number, position) < threshold); };
    auto const* seen = SeenIn(number.column);
    auto const others_right = seen == nullptr ? goes_right(kUnknownPosition) : condition->missing_right;
    condition->listed_right = !others_right;
    auto const& listed = seen == nullptr ? known : *seen;
    for (auto const category : listed) {
      if (goes_right(encoding.PositionOf(number.column, category)) == condition->listed_right) {
        condition->categories.push_back(category);
      }
    }
  }

  NumberColumn NumberOf(std::size_t column) const {
    auto const n_features = ToSize(model_.n_features);
    auto const number = column < n_features ? NumberColumn{column, 0} : added_[column - n_features];
    if (number.column < n_features) return number;
    Fail(ErrorKind::kParameter,
         "export cannot express combinations of categories (ordered_combination), which the model's trees split on; "
         "train with ordered_combination=1.");
  }

  Model const& model_;
  std::vector<std::vector<std::int32_t>> seen_;
  std::vector<NumberColumn> added_;
};

/// Adds the trees of a model to its description.
class TreeAdder {
 public:
  TreeAdder(Model const& model, ExportedModel* out) : model_(model), maker_(model), out_(*out) {}

  void AddAll() {
    out_.leaf_width = model_.HasVectorLeaves() ? out_.n_outputs : 1;
    out_.tree_leaf.push_back(0);
    for (std::size_t tree = 0; tree < model_.trees.size(); ++tree) Add(tree);
    SortConditions();
  }

 private:
  static constexpr std::size_t kMostListed = std::size_t{1} << 24U;

  void Add(std::size_t index) {
    auto const& tree = model_.trees[index];
    auto const order = Preorder(tree);
    auto const n_leaves = LeavesBelow(tree, order);
    for (auto const node : order) {
      if (tree.IsLeaf(node)) {
        AddLeaf(index, node);
      } else {
        auto const left = static_cast<std::size_t>(tree.left[static_cast<std::size_t>(node)]);
        out_.splits.push_back({NumberOf(maker_.Make(tree, node)), n_leaves[left]});
      }
    }
    auto const end = std::uint64_t{out_.tree_leaf.back()} + n_leaves[0];
    if (end > std::numeric_limits<std::uint32_t>::max()) Fail(ErrorKind::kParameter, "export: more than 2^32 leaves.");
    out_.tree_leaf.push_back(static_cast<std::uint32_t>(end));
    out_.output_of_tree.push_back(out_.leaf_width > 1 ? 0 : model_.output_of_tree[index]);
  }

  /// Returns the number of leaves below each node, by node.
  static std::vector<std::uint32_t> LeavesBelow(Tree const& tree, std::vector<std::int32_t> const& preorder) {
    std::vector<std::uint32_t> leaves(ToSize(tree.NumNodes()), 1);
    for (auto node = preorder.rbegin(); node != preorder.rend(); ++node) {
      auto const index = static_cast<std::size_t>(*node);
      if (!tree.IsLeaf(*node)) leaves[index] = leaves[ToSize(tree.left[index])] + leaves[ToSize(tree.right[index])];
    }
    return leaves;
  }

  void AddLeaf(std::size_t index, std::int32_t node) {
    auto const weight = model_.TreeWeight(static_cast<std::int64_t>(index));
    auto const values = model_.trees[index].LeafValues(node);
    if (static_cast<std::int64_t>(values.size()) == out_.leaf_width) {
      for (auto const value : values) out_.leaves.push_back(value * weight);
      return;
    }
    for (std::int64_t output = 0; output < out_.leaf_width; ++output) {  // a number among vectors
      out_.leaves.push_back(output == model_.output_of_tree[index] ? values[0] * weight : 0.0F);
    }
  }

  std::uint32_t NumberOf(Condition condition) {
    auto const next = static_cast<std::uint32_t>(numbers_.size());
    auto const n_listed = condition.categories.size();
    auto const [place, is_new] = numbers_.emplace(std::move(condition), next);
    if (is_new) n_listed_ += n_listed;
    if (n_listed_ > kMostListed) {
      Fail(ErrorKind::kParameter, "export: the splits list more than ", kMostListed,
           " categories, which would make too large a file; train with fewer rounds or categories.");
    }
    return place->second;
  }

  /// Renumbers the conditions in their own order.
  void SortConditions() {
    std::vector<std::uint32_t> place(numbers_.size());
    for (auto const& [condition, number] : numbers_) {
      place[number] = static_cast<std::uint32_t>(out_.conditions.size());
      out_.conditions.push_back(condition);
    }
    for (auto& split : out_.splits) split.condition = place[split.condition];
  }

  Model const& model_;
  ConditionMaker maker_;
  ExportedModel& out_;
  std::map<Condition, std::uint32_t> numbers_;
  std::size_t n_listed_ = 0;  ///< categories of all conditions
};

std::vector<Column> DescribeColumns(Model const& model, std::vector<Condition> const& conditions) {
  ConditionMaker const maker(model);
  std::vector<Column> columns(ToSize(model.n_features));
  for (std::size_t feature = 0; feature < columns.size(); ++feature) {
    auto& column = columns[feature];
    auto const& names = model.feature_names;
    column.name = feature < names.size() ? names[feature] : "f" + std::to_string(feature);
    auto const* seen = maker.SeenIn(feature);
    column.needs_whole = seen != nullptr || model.categories.Encodes(feature);
    if (seen != nullptr && model.categories.unseen == UnseenCategory::kError) column.accepted = *seen;
    if (feature < model.categories.names.size()) column.names = model.categories.names[feature];
    column.is_categorical = seen != nullptr || column.names.Size() > 0;
  }
  for (auto const& condition : conditions) {
    if (condition.is_categorical) columns[condition.feature].is_categorical = true;
  }
  return columns;
}

auto KeyOfCondition(Condition const& condition) {
  return std::tie(condition.is_categorical, condition.feature, condition.threshold, condition.missing_right,
                  condition.listed_right, condition.categories);
}

}  // namespace

bool Condition::operator<(Condition const& other) const { return KeyOfCondition(*this) < KeyOfCondition(other); }

std::size_t ExportedModel::NumNumeric() const {
  auto const first = std::find_if(conditions.begin(), conditions.end(),
                                  [](Condition const& condition) { return condition.is_categorical; });
  return static_cast<std::size_t>(first - conditions.begin());
}

bool ExportedModel::RefusesCategories() const {
  return std::any_of(columns.begin(), columns.end(), [](Column const& column) { return !column.accepted.empty(); });
}

std::vector<std::string> CategoryTexts(Column const& column) {
  auto texts = column.names.texts;
  for (auto const number : column.names.numbers) {
    auto const is_unsigned = column.names.number_type == CategoryNames::Type::kU64;
    texts.push_back(is_unsigned ? std::to_string(static_cast<std::uint64_t>(number)) : std::to_string(number));
  }
  return texts;
}

std::vector<std::int32_t> Preorder(Tree const& tree) {
  std::vector<std::int32_t> order;
  std::vector<std::int32_t> stack{0};
  while (!stack.empty()) {
    auto const node = stack.back();
    stack.pop_back();
    order.push_back(node);
    if (tree.IsLeaf(node)) continue;
    stack.push_back(tree.right[static_cast<std::size_t>(node)]);
    stack.push_back(tree.left[static_cast<std::size_t>(node)]);
  }
  return order;
}

ExportedModel DescribeModel(ReadyModel const& ready) {
  auto const& model = ready.GetModel();
  RequireExportable(model);
  ExportedModel out;
  out.objective = model.objective;
  out.booster = model.booster;
  out.n_outputs = model.NumOutputs();
  out.n_values = ready.Parts()->objective->ValueWidth(out.n_outputs);
  out.n_rounds = model.NumIterations();
  out.transform = TransformOf(*ready.Parts()->objective, out.n_outputs);
  out.start = StartMargins(*ready.Parts(), model);
  TreeAdder(model, &out).AddAll();
  out.columns = DescribeColumns(model, out.conditions);
  out.classes = TextNamesOf(model).classes;
  return out;
}

}  // namespace kauri::model_export
