#include "booster/model_io/lightgbm_text.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "booster/model_io/lightgbm_fields.h"
#include "booster/model_io/lightgbm_tree.h"
#include "kauri/tree.h"

namespace kauri::model_io {
namespace {

using Fields = LightGbmFields;

struct Link {
  char const* theirs;  ///< LightGBM's objective
  char const* ours;    ///< an objective with the same link
  float base_score;    ///< prediction for a margin of 0
};

constexpr Link kLinks[] = {
    {"binary", "binary:logistic", 0.5F},        {"cross_entropy", "binary:logistic", 0.5F},
    {"fair", "reg:squarederror", 0.0F},         {"gamma", "reg:gamma", 1.0F},
    {"huber", "reg:squarederror", 0.0F},        {"lambdarank", "reg:squarederror", 0.0F},
    {"mape", "reg:squarederror", 0.0F},         {"multiclass", "multi:softprob", 0.0F},
    {"multiclassova", "binary:logistic", 0.5F}, {"poisson", "count:poisson", 1.0F},
    {"quantile", "reg:squarederror", 0.0F},     {"rank_xendcg", "reg:squarederror", 0.0F},
    {"regression", "reg:squarederror", 0.0F},   {"regression_l1", "reg:squarederror", 0.0F},
    {"tweedie", "reg:tweedie", 1.0F},
};

/// Facts of a model that its trees need.
struct Header {
  std::int64_t n_features = 0;
  std::int64_t trees_in_round = 1;
  Link link{};
  double scale = 1.0;  ///< factor of leaf values
  std::vector<std::string_view> feature_names;
  CategoryNameTable names;  ///< [n_features], or empty
  std::int64_t n_classes = 0;
};

Link LinkOf(std::string_view told, double* scale) {
  auto const parts = SplitText(told, " ");
  auto const found = std::find_if(std::begin(kLinks), std::end(kLinks),
                                  [&](Link const& link) { return parts.front() == link.theirs; });
  if (found == std::end(kLinks) || std::find(parts.begin() + 1, parts.end(), "sqrt") != parts.end()) {
    std::string known;
    for (auto const& link : kLinks) known += (known.empty() ? "" : ", ") + std::string(link.theirs);
    Fail(ErrorKind::kModel, "LightGBM's objective ", Quoted(told), " has no counterpart with the same link here. ",
         "Known are ", known, ", without 'sqrt'.");
  }
  constexpr std::string_view kSigmoid = "sigmoid:";
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].substr(0, kSigmoid.size()) != kSigmoid) continue;
    auto const number = parts[i].substr(kSigmoid.size());
    if (!ParseAll(number, scale)) {
      Fail(ErrorKind::kModel, "a model of LightGBM has the sigmoid ", Quoted(number), ", which is no number.");
    }
  }
  return *found;
}

/// Returns the column names, or none if they are LightGBM's default names. \throws Error(kModel) unless they are UTF-8.
std::vector<std::string_view> FeatureNamesOf(Fields const& fields, std::int64_t n_features) {
  auto names = SplitText(FieldOr(fields, "feature_names", ""), " ");
  if (static_cast<std::int64_t>(names.size()) != n_features) {
    Fail(ErrorKind::kModel, "a model of LightGBM has ", n_features, " columns and ", names.size(),
         " names of columns. The file is damaged.");
  }
  bool are_default = true;
  for (std::size_t i = 0; i < names.size(); ++i) {
    are_default = are_default && names[i] == "Column_" + std::to_string(i);
    for (auto rest = names[i]; !rest.empty();) {
      auto const length = Utf8Length(rest);
      if (length == 0) {
        Fail(ErrorKind::kModel, "a model of LightGBM has the name ", Quoted(names[i]), " of column ", i,
             ", which is not UTF-8. Write the file as UTF-8.");
      }
      rest.remove_prefix(length);
    }
  }
  if (are_default) names.clear();
  return names;
}

Header HeaderOf(std::string_view head, std::string_view text, std::int64_t n_trees) {
  auto const fields = FieldsOf(head);
  Header header;
  header.n_features = WholeNumber(fields, "max_feature_idx", 0);
  if (header.n_features >= std::numeric_limits<std::int32_t>::max()) {
    Fail(ErrorKind::kModel, "a model of LightGBM has max_feature_idx=", header.n_features,
         "; expected less than 2^31.");
  }
  ++header.n_features;
  header.trees_in_round = WholeNumber(fields, "num_tree_per_iteration", 1);
  if (n_trees % header.trees_in_round != 0) {
    Fail(ErrorKind::kModel, "a model of LightGBM has ", n_trees,
         " trees and num_tree_per_iteration=", header.trees_in_round, ".");
  }
  header.link = LinkOf(FieldOr(fields, "objective", "regression"), &header.scale);
  auto const lines = SplitText(head, "\n");
  if (std::find(lines.begin(), lines.end(), "average_output") != lines.end()) {
    header.scale /= static_cast<double>(n_trees / header.trees_in_round);
  }
  header.n_classes = header.link.ours == std::string_view("multi:softprob") ? header.trees_in_round : 0;
  header.feature_names = FeatureNamesOf(fields, header.n_features);
  header.names = CategoryNamesOf(text, FieldOr(fields, "feature_infos", ""), header.n_features);
  return header;
}

void Put(DocumentBuilder* builder, char const* key, Value array) {
  builder->Key(key);
  builder->TypedArray(std::move(array));
}

void PutText(DocumentBuilder* builder, char const* key, std::string text) {
  builder->Key(key);
  builder->String(std::move(text));
}

void WriteLightGbmTree(LightGbmTree tree, Header const& header, DocumentBuilder* builder) {
  auto const n_nodes = tree.left.size();
  for (std::size_t node = 0; node < n_nodes; ++node) {
    if (tree.left[node] == kNoNode) tree.threshold[node] = tree.value[node];
  }
  builder->BeginObject();
  Put(builder, "base_weights", {std::move(tree.value)});
  Put(builder, "categories", {std::move(tree.categories)});
  Put(builder, "categories_nodes", {std::move(tree.set_nodes)});
  Put(builder, "categories_segments", {std::move(tree.set_begins)});
  Put(builder, "categories_sizes", {std::move(tree.set_sizes)});
  Put(builder, "default_left", {std::move(tree.default_left)});
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
  PutText(builder, "num_feature", std::to_string(header.n_features));
  PutText(builder, "num_nodes", std::to_string(n_nodes));
  PutText(builder, "size_leaf_vector", "1");
  builder->EndObject();
  builder->EndObject();
}

void WriteLightGbmNames(CategoryNames const& names, DocumentBuilder* builder) {
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

/// Writes the members of the trees, and returns which columns have splits on categories.
std::vector<bool> WriteTrees(std::vector<std::string_view> const& parts, Header const& header,
                             DocumentBuilder* builder) {
  std::vector<bool> by_categories(static_cast<std::size_t>(header.n_features), false);
  Integers ends;
  Integers outputs;
  LightGbmTreeReader reader(header.n_features, header.scale, header.names);
  builder->Key("trees");
  builder->BeginArray();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    auto tree = reader.Read(parts[i]);
    for (auto const node : tree.set_nodes) {
      by_categories[static_cast<std::size_t>(tree.feature[static_cast<std::size_t>(node)])] = true;
    }
    outputs.push_back(static_cast<std::int64_t>(i - 1) % header.trees_in_round);
    if (outputs.back() == 0) ends.push_back(static_cast<std::int64_t>(i - 1));
    WriteLightGbmTree(std::move(tree), header, builder);
  }
  builder->EndArray();
  ends.push_back(static_cast<std::int64_t>(parts.size()) - 1);
  Put(builder, "tree_info", {std::move(outputs)});
  Put(builder, "iteration_indptr", {std::move(ends)});
  builder->Key("gbtree_model_param");
  builder->BeginObject();
  PutText(builder, "num_parallel_tree", "1");
  PutText(builder, "num_trees", std::to_string(parts.size() - 1));
  builder->EndObject();
  return by_categories;
}

/// Writes the trees and the names of categories, and returns which columns have splits on categories.
std::vector<bool> WriteLightGbmTrees(std::vector<std::string_view> const& parts, Header const& header,
                                     DocumentBuilder* builder) {
  builder->Key("gradient_booster");
  builder->BeginObject();
  PutText(builder, "name", "gbtree");
  builder->Key("model");
  builder->BeginObject();
  auto by_categories = WriteTrees(parts, header, builder);
  builder->Key("cats");
  builder->BeginObject();
  builder->Key("enc");
  builder->BeginArray();
  for (auto const& names : header.names) WriteLightGbmNames(names, builder);
  builder->EndArray();
  builder->EndObject();
  builder->EndObject();
  builder->EndObject();
  return by_categories;
}

void WriteHeader(Header const& header, DocumentBuilder* builder) {
  builder->Key("learner_model_param");
  builder->BeginObject();
  Put(builder, "base_score", {Floats(static_cast<std::size_t>(header.trees_in_round), header.link.base_score)});
  PutText(builder, "boost_from_average", "0");
  PutText(builder, "num_class", std::to_string(header.n_classes));
  PutText(builder, "num_feature", std::to_string(header.n_features));
  PutText(builder, "num_target", std::to_string(header.n_classes > 0 ? 1 : header.trees_in_round));
  builder->EndObject();
  builder->Key("objective");
  builder->BeginObject();
  PutText(builder, "name", header.link.ours);
  if (header.n_classes > 0) {
    builder->Key("softmax_multiclass_param");
    builder->BeginObject();
    PutText(builder, "num_class", std::to_string(header.n_classes));
    builder->EndObject();
  }
  builder->EndObject();
  builder->Key("feature_names");
  builder->BeginArray();
  for (auto const name : header.feature_names) builder->String(std::string(name));
  builder->EndArray();
}

/// Writes the types of all columns, if any column has categories.
void WriteTypes(std::vector<bool> by_categories, Header const& header, DocumentBuilder* builder) {
  for (std::size_t column = 0; column < header.names.size(); ++column) {
    if (header.names[column].Size() > 0) by_categories[column] = true;
  }
  builder->Key("feature_types");
  builder->BeginArray();
  if (std::find(by_categories.begin(), by_categories.end(), true) != by_categories.end()) {
    for (bool const has_categories : by_categories) builder->String(has_categories ? "c" : "q");
  }
  builder->EndArray();
}

}  // namespace

bool IsLightGbm(std::string_view bytes) { return bytes.substr(0, 5) == "tree\n" || bytes.substr(0, 6) == "tree\r\n"; }

Value ParseLightGbm(std::string_view bytes) {
  std::string text;
  if (bytes.find('\r') != std::string_view::npos) {
    std::copy_if(bytes.begin(), bytes.end(), std::back_inserter(text), [](char letter) { return letter != '\r'; });
    bytes = text;
  }
  auto const parts = SplitText(bytes, "\nTree=");
  if (parts.size() == 1) {
    Fail(ErrorKind::kModel,
         "this is no model of LightGBM, or one without a tree: no line of it begins with 'Tree='. Save the booster "
         "with save_model.");
  }
  auto const header = HeaderOf(parts.front(), bytes, static_cast<std::int64_t>(parts.size()) - 1);
  DocumentBuilder builder;
  builder.BeginObject();
  builder.Key("learner");
  builder.BeginObject();
  WriteHeader(header, &builder);
  auto const by_categories = WriteLightGbmTrees(parts, header, &builder);
  WriteTypes(by_categories, header, &builder);
  builder.EndObject();
  builder.EndObject();
  return builder.Take();
}

}  // namespace kauri::model_io
