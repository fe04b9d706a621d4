#include "booster/model_io/forest_json.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "booster/model_io/foreign_forest.h"
#include "booster/model_io/model_document.h"
#include "common/text/json_text.h"
#include "common/text/quoted.h"

namespace kauri::model_io {
namespace {

using nlohmann::json;

constexpr char const* kVersionKey = "kauri_forest";
constexpr std::int64_t kLargestIndex = std::numeric_limits<std::int32_t>::max() - 1;

/// Greatest number of columns of a forest with categories, because a model has a type for each column: a short text
/// must not make a large model.
constexpr std::int64_t kMostTypedColumns = 1 << 20;

struct ForestComparison {
  char const* name;
  float (*less_than)(double at_most);  ///< the 32-bit threshold below which a row goes to the left
};

float SameThreshold(double threshold) { return static_cast<float>(threshold); }

constexpr ForestComparison kComparisons[] = {
    {"less", SameThreshold}, {"at_most", AboveFloats}, {"at_most_in_double", AboveDoubles}};

/// A forest, and how its trees are read.
struct ForestPlan {
  ForeignHeader facts;
  ForestComparison comparison = kComparisons[0];
  ForestSource source = ForestSource::kFile;
};

ForestComparison ComparisonOf(ForestObject const& forest) {
  if (!forest.Has("comparison")) return kComparisons[0];
  auto const name = forest.Text("comparison");
  auto const* found = std::find_if(std::begin(kComparisons), std::end(kComparisons),
                                   [&](ForestComparison const& each) { return name == each.name; });
  if (found != std::end(kComparisons)) return *found;
  FailForest("comparison", "is ", Quoted(name), "; expected less, at_most or at_most_in_double.");
}

/// Returns the number that a member's name is. \throws Error(kModel) unless it is in [0, n).
std::int64_t NumberOfKey(std::string const& key, std::string const& place, std::int64_t n) {
  std::int64_t number = -1;
  auto const* end = key.data() + key.size();
  auto const result = std::from_chars(key.data(), end, number);
  if (result.ec == std::errc() && result.ptr == end && number >= 0 && number < n) return number;
  FailForest(place, "has the member ", Quoted(key), "; expected whole numbers from 0 to ", n - 1, " as names.");
}

CategoryNames NamesOfColumn(json const& list, std::string const& place) {
  CategoryNames names;
  if (!list.is_array()) FailForest(place, "is no list of names.");
  for (auto const& name : list) {
    if (name.is_string()) {
      names.texts.push_back(name.get<std::string>());
    } else if (name.is_number_integer() && (!name.is_number_unsigned() || name.get<std::uint64_t>() >> 63U == 0)) {
      names.numbers.push_back(name.get<std::int64_t>());
    } else {
      FailForest(place, "has the name ", Quoted(name.dump(-1, ' ', true)), "; expected texts or whole numbers.");
    }
  }
  if (!names.texts.empty() && !names.numbers.empty()) {
    FailForest(place, "has texts and whole numbers; expected names of one kind.");
  }
  return names;
}

CategoryNameTable NamesOfForest(ForestObject const& forest, std::int64_t n_features) {
  constexpr char const* kKey = "category_names";
  if (!forest.Has(kKey)) return {};
  auto const& named = forest.At(kKey);
  if (!named.is_object()) FailForest(kKey, "is no object of lists by column.");
  if (named.empty()) return {};
  if (n_features > kMostTypedColumns) {
    FailForest("n_features", "is ", n_features, "; expected at most ", kMostTypedColumns, " with categories.");
  }
  CategoryNameTable table(static_cast<std::size_t>(n_features));
  for (auto const& [key, list] : named.items()) {
    auto const column = static_cast<std::size_t>(NumberOfKey(key, kKey, n_features));
    table[column] = NamesOfColumn(list, std::string(kKey) + "." + key);
  }
  return table;
}

std::vector<std::string> ColumnNamesOf(ForestObject const& forest, std::int64_t n_features) {
  auto names = forest.Texts("feature_names");
  auto const n_names = static_cast<std::int64_t>(names.size());
  if (n_names == 0 || n_names == n_features) return names;
  FailForest("feature_names", "has ", n_names, " names; expected ", n_features, ", one for each column, or none.");
}

/// The objective whose predictions are its margins, which a forest has unless it names another one.
constexpr char kPlainObjective[] = "reg:squarederror";

std::string NamedObjective(ForestObject const& forest) {
  return forest.Has("objective") ? forest.Text("objective") : kPlainObjective;
}

std::vector<float> BaseScoreOf(ForestObject const& forest, ForestSource source) {
  constexpr char const* kKey = "base_score";
  if (!forest.Has(kKey)) {
    auto const objective = NamedObjective(forest);
    if (objective == kPlainObjective) return {0.0F};
    FailForest(kKey, "is left out, and objective is ", Quoted(objective),
               "; give the prediction without trees: 0.5 adds nothing to the margins of a probability, 1 nothing to ",
               "those of a logarithmic objective, 0 nothing to others.");
  }
  if (forest.At(kKey).is_number()) return {ForestFloat(forest.At(kKey).get<double>(), kKey)};
  std::vector<float> scores;
  for (auto const value : forest.Numbers(kKey, source).values) scores.push_back(ForestFloat(value, kKey));
  if (scores.empty()) FailForest(kKey, "is empty; expected a number for each output.");
  return scores;
}

ForestPlan PlanOf(ForestObject const& forest, ForestSource source, std::int64_t n_trees) {
  forest.Whole(kVersionKey, 1, 1);
  ForestPlan plan;
  auto& facts = plan.facts;
  plan.source = source;
  plan.comparison = ComparisonOf(forest);
  facts.n_features = forest.Whole("n_features", 1, kLargestIndex);
  facts.objective = NamedObjective(forest);
  facts.base_score = BaseScoreOf(forest, source);
  if (facts.objective.substr(0, 6) == "multi:") facts.n_classes = static_cast<std::int64_t>(facts.base_score.size());
  if (forest.Has("feature_names")) facts.feature_names = ColumnNamesOf(forest, facts.n_features);
  facts.names = NamesOfForest(forest, facts.n_features);
  facts.trees_in_round = forest.Has("trees_in_round") ? forest.Whole("trees_in_round", 1, n_trees) : n_trees;
  if (n_trees % facts.trees_in_round != 0) {
    FailForest("trees_in_round", "is ", facts.trees_in_round, ", which does not divide the ", n_trees, " trees.");
  }
  return plan;
}

/// Reads the trees of a forest.
class ForestTreeReader {
 public:
  ForestTreeReader(ForestPlan const& plan, ForestObject const& object) : plan_(plan), object_(object) {
    n_nodes_ = RowsOf("left").size();
    if (n_nodes_ == 0) FailForest(object_.PlaceOf("left"), "is empty; a tree has one node at least, a leaf.");
  }

  ForeignTree Read() const {
    ForeignTree tree(n_nodes_);
    Fill("left", &tree.left);
    Fill("right", &tree.right);
    CheckChildren(tree);
    ReadForestSplits(&tree);
    auto const covers = RowsOf("cover");
    for (std::size_t node = 0; node < n_nodes_; ++node) tree.cover[node] = FloatAt("cover", covers[node]);
    ReadForestLeaves(&tree);
    if (object_.Has("categories")) ReadForestSets(&tree);
    return tree;
  }

  /// Returns the output that the tree adds to.
  std::int64_t Output() const {
    auto const n_outputs = static_cast<std::int64_t>(plan_.facts.base_score.size());
    return object_.Has("output") ? object_.Whole("output", 0, n_outputs - 1) : 0;
  }

 private:
  /// Returns a number for each node; any number of them for `left`, which decides how many nodes there are.
  std::vector<double> RowsOf(char const* key) const {
    auto numbers = object_.Numbers(key, plan_.source);
    CheckNodes(key, numbers, 1);
    return std::move(numbers.values);
  }

  void CheckNodes(char const* key, ForestNumbers const& numbers, std::int64_t n_columns) const {
    if (numbers.n_columns != n_columns) {
      FailForest(object_.PlaceOf(key), "has ", numbers.n_columns, " numbers for each node; expected ", n_columns, ".");
    }
    auto const n_rows = numbers.values.size() / static_cast<std::size_t>(n_columns);
    if (n_nodes_ != 0 && n_rows != n_nodes_) {
      FailForest(object_.PlaceOf(key), "has numbers for ", n_rows, " nodes; expected ", n_nodes_,
                 ", which 'left' has.");
    }
  }

  float FloatAt(char const* key, double value) const { return ForestFloat(value, object_.PlaceOf(key)); }

  void Fill(char const* key, std::vector<std::int32_t>* out) const {
    auto const values = RowsOf(key);
    auto const last = static_cast<std::int64_t>(n_nodes_) - 1;
    for (std::size_t node = 0; node < n_nodes_; ++node) {
      (*out)[node] = static_cast<std::int32_t>(ForestWhole(values[node], object_.PlaceOf(key), kNoNode, last));
    }
  }

  /// Checks the pairs of children alone; that the nodes are a tree is checked as in any model file.
  void CheckChildren(ForeignTree const& tree) const {
    for (std::size_t node = 0; node < n_nodes_; ++node) {
      if ((tree.left[node] == kNoNode) == (tree.right[node] == kNoNode)) continue;
      FailForest(object_.PlaceOf("right"), "has ", tree.right[node], " for node ", node, ", and 'left' has ",
                 tree.left[node], "; expected -1 in both, or children in both.");
    }
  }

  void ReadForestSplits(ForeignTree* tree) const {
    auto const features = RowsOf("feature");
    auto const thresholds = RowsOf("threshold");
    auto const sides = RowsOf("default_left");
    for (std::size_t node = 0; node < n_nodes_; ++node) {
      if (tree->left[node] == kNoNode) continue;
      auto const last = plan_.facts.n_features - 1;
      auto const feature = ForestWhole(features[node], object_.PlaceOf("feature"), 0, last);
      FloatAt("threshold", thresholds[node]);
      tree->feature[node] = static_cast<std::int32_t>(feature);
      tree->threshold[node] = plan_.comparison.less_than(thresholds[node]);
      tree->default_left[node] =
          static_cast<std::uint8_t>(ForestWhole(sides[node], object_.PlaceOf("default_left"), 0, 1));
    }
  }

  void ReadForestLeaves(ForeignTree* tree) const {
    constexpr char const* kKey = "values";
    auto const numbers = object_.Numbers(kKey, plan_.source);
    auto const n_outputs = static_cast<std::int64_t>(plan_.facts.base_score.size());
    CheckNodes(kKey, numbers, numbers.n_columns == 1 ? 1 : n_outputs);
    auto const width = static_cast<std::size_t>(numbers.n_columns);
    for (std::size_t node = 0; node < n_nodes_; ++node) {
      if (tree->left[node] != kNoNode) continue;
      for (std::size_t column = 0; column < width; ++column) {
        auto const value = FloatAt(kKey, numbers.values[node * width + column]);
        if (width == 1) {
          tree->value[node] = value;
        } else {
          tree->vectors.push_back(value);
        }
      }
    }
  }

  void ReadForestSets(ForeignTree* tree) const {
    auto const place = object_.PlaceOf("categories");
    auto const& sets = object_.At("categories");
    if (!sets.is_object()) FailForest(place, "is no object of lists by node.");
    for (auto const& [key, list] : sets.items()) {
      auto const node = static_cast<std::size_t>(NumberOfKey(key, place, static_cast<std::int64_t>(n_nodes_)));
      if (tree->left[node] == kNoNode) FailForest(place, "has categories for node ", node, ", which is a leaf.");
      auto const begin = static_cast<std::int64_t>(tree->categories.size());
      for (auto const code : ForestNumbersOf(list, place + "." + key, plan_.source).values) {
        tree->categories.push_back(
            static_cast<std::int32_t>(ForestWhole(code, place + "." + key, 0, kCategoryLimit - 1)));
      }
      tree->EndSet(node, begin);
    }
    if (!sets.empty() && plan_.facts.n_features > kMostTypedColumns) {
      FailForest("n_features", "is ", plan_.facts.n_features, "; expected at most ", kMostTypedColumns,
                 " with categories.");
    }
  }

  ForestPlan const& plan_;
  ForestObject const& object_;
  std::size_t n_nodes_ = 0;
};

}  // namespace

bool IsForest(std::string_view bytes) {
  constexpr std::string_view kBlanks = " \t\r\n";
  for (auto const letter : {'{', '"'}) {
    auto const begin = std::min(bytes.find_first_not_of(kBlanks), bytes.size());
    if (begin == bytes.size() || bytes[begin] != letter) return false;
    bytes.remove_prefix(begin + 1);
  }
  return bytes.substr(0, bytes.find('"')) == kVersionKey;
}

Value ParseForest(std::string_view text, ForestSource source) {
  auto const parsed = ParseJsonText(std::string(text), ErrorKind::kModel);
  if (parsed.Root().is_discarded()) FailForest("", "is no valid JSON. The text is damaged or incomplete.");
  ForestObject const forest(parsed.Root(), "",
                            {kVersionKey, "n_features", "objective", "base_score", "comparison", "trees_in_round",
                             "feature_names", "category_names", "trees"});
  auto const& trees = forest.At("trees");
  if (!trees.is_array() || trees.empty()) {
    FailForest("", "has no trees. Give a list of at least one; a constant is a tree with a single leaf.");
  }
  auto const plan = PlanOf(forest, source, static_cast<std::int64_t>(trees.size()));
  ForeignWriter writer(plan.facts);
  for (std::size_t index = 0; index < trees.size(); ++index) {
    ForestObject const object(
        trees[index], "trees[" + std::to_string(index) + "]",
        {"left", "right", "feature", "threshold", "default_left", "values", "cover", "categories", "output"});
    ForestTreeReader const reader(plan, object);
    writer.Add(reader.Read(), reader.Output());
  }
  return writer.Take();
}

Model ModelOfForest(std::string const& config) {
  auto document = ParseForest(config, ForestSource::kCall);
  return ReadModel(&document);
}

}  // namespace kauri::model_io
