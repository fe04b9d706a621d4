#include "booster/model_io/lightgbm_text.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "booster/model_io/foreign_forest.h"
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

/// Facts of a model, and of how its trees are read.
struct Header {
  ForeignHeader facts;
  double scale = 1.0;  ///< factor of leaf values
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
  auto& facts = header.facts;
  facts.n_features = WholeNumber(fields, "max_feature_idx", 0);
  if (facts.n_features >= std::numeric_limits<std::int32_t>::max()) {
    Fail(ErrorKind::kModel, "a model of LightGBM has max_feature_idx=", facts.n_features, "; expected less than 2^31.");
  }
  ++facts.n_features;
  header.facts.trees_in_round = WholeNumber(fields, "num_tree_per_iteration", 1);
  if (n_trees % header.facts.trees_in_round != 0) {
    Fail(ErrorKind::kModel, "a model of LightGBM has ", n_trees,
         " trees and num_tree_per_iteration=", header.facts.trees_in_round, ".");
  }
  auto const link = LinkOf(FieldOr(fields, "objective", "regression"), &header.scale);
  auto const lines = SplitText(head, "\n");
  if (std::find(lines.begin(), lines.end(), "average_output") != lines.end()) {
    header.scale /= static_cast<double>(n_trees / header.facts.trees_in_round);
  }
  facts.objective = link.ours;
  facts.base_score.assign(static_cast<std::size_t>(header.facts.trees_in_round), link.base_score);
  facts.n_classes = facts.objective == "multi:softprob" ? header.facts.trees_in_round : 0;
  for (auto const name : FeatureNamesOf(fields, facts.n_features)) facts.feature_names.emplace_back(name);
  facts.names = CategoryNamesOf(text, FieldOr(fields, "feature_infos", ""), facts.n_features);
  return header;
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
  LightGbmTreeReader reader(header.facts.n_features, header.scale, header.facts.names);
  ForeignWriter writer(header.facts);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    writer.Add(reader.Read(parts[i]), static_cast<std::int64_t>(i - 1) % header.facts.trees_in_round);
  }
  return writer.Take();
}

}  // namespace kauri::model_io
