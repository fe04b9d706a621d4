#include "booster/model_io/dump.h"

#include <nlohmann/json.hpp>

#include "booster/model_io/dump_format.h"
#include "booster/model_io/feature_labels.h"
#include "booster/model_io/model_parts.h"
#include "common/text/json_text.h"
#include "common/text/log.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri {

ColumnNames::ColumnNames(Model const& model, std::vector<std::string> const& names) : model_(model), names_(names) {
  if (model.categories.ordered != nullptr) added_ = model.categories.ordered->AddedColumns();
}

std::string ColumnNames::OfFeature(std::int64_t feature) const {
  return names_.empty() ? "f" + std::to_string(feature) : names_[static_cast<std::size_t>(feature)];
}

std::string ColumnNames::Of(std::int64_t column) const {
  auto const is_feature = column < model_.n_features;
  if (is_feature && !model_.categories.Encodes(static_cast<std::size_t>(column))) return OfFeature(column);
  auto const& encoding = *model_.categories.ordered;
  auto const of = is_feature ? NumberColumn{static_cast<std::size_t>(column), 0} : added_[column - model_.n_features];
  std::string name;
  for (auto const member : encoding.MembersOf(of.column)) {
    if (!name.empty()) name += '&';
    name += OfFeature(member);
  }
  return encoding.settings.n_numbers > 1 ? name + '@' + std::to_string(of.number) : name;
}

std::vector<std::string> DumpModel(Model const& model, FeatureMap const& map, bool with_stats,
                                   std::string const& format) {
  auto const colon = format.find(':');
  auto const name = format.substr(0, colon);
  if (name != "text" && name != "json" && name != "dot") {
    Fail(ErrorKind::kParameter, "unknown dump format '", format, "'; use text, json or dot");
  }
  if (model.booster == "gblinear") return {model_io::DumpLinear(model, name)};
  model.RequireConstantLeaves("dumps");
  auto const options = model_io::ParseDumpOptions(colon == std::string::npos ? "" : format.substr(colon + 1));
  auto shown = map;
  if (options.names_categories) shown.categories = model.categories.names;
  for (std::size_t feature = 0; feature < shown.types.size(); ++feature) {
    if (model.categories.Encodes(feature)) shown.types[feature] = "float";  // trees split its numbers
  }
  model_io::FeatureLabels const labels(shown, model);
  std::vector<std::string> dumps;
  for (auto const& tree : model.trees) {
    labels.CheckKinds(tree);
    if (name == "text") {
      dumps.push_back(model_io::TextOfTree(tree, labels, with_stats));
    } else if (name == "json") {
      dumps.push_back(model_io::JsonOfTree(tree, labels, with_stats));
    } else {
      dumps.push_back(model_io::DotOfTree(tree, labels, with_stats, options));
    }
  }
  return dumps;
}

}  // namespace kauri

namespace kauri::model_io {
namespace {

using Attributes = std::map<std::string, std::string>;

/// Returns whether the options for labels request category names.
bool NamesCategories(Attributes const& labels) {
  auto const found = labels.find("categories");
  if (found == labels.end() || found->second == "numbers") return false;
  if (found->second == "names") return true;
  Fail(ErrorKind::kParameter, "the dump shows categories as ", Quoted(found->second), "; expected names or numbers.");
}

}  // namespace

DumpOptions ParseDumpOptions(std::string const& json) {
  DumpOptions options;
  if (json.empty()) return options;
  std::map<std::string, Attributes> groups;
  try {
    ParseJsonText(json, ErrorKind::kParameter).Root().get_to(groups);
  } catch (nlohmann::json::exception const&) {
    Fail(ErrorKind::kParameter, "the options of the dump format are '", json,
         R"('; expected a JSON object such as {"graph_attrs": {"rankdir": "LR"}})");
  }
  for (auto const& [name, attributes] : groups) {
    if (name == "graph_attrs") {
      options.graph = attributes;
    } else if (name == "condition_node_params") {
      options.split_node = attributes;
    } else if (name == "leaf_node_params") {
      options.leaf_node = attributes;
    } else if (name == "labels") {
      options.names_categories = NamesCategories(attributes);
    } else if (name == "edge") {
      if (attributes.count("yes_color") != 0) options.default_color = attributes.at("yes_color");
      if (attributes.count("no_color") != 0) options.other_color = attributes.at("no_color");
    } else {
      Log(LogLevel::kWarning, "The dump format has no option '", name, "'; it is ignored.");
    }
  }
  return options;
}

}  // namespace kauri::model_io

namespace kauri {
namespace {

enum class Importance { kWeight, kGain, kCover, kTotalGain, kTotalCover };

Importance ImportanceOf(std::string const& type) {
  if (type == "weight") return Importance::kWeight;
  if (type == "gain") return Importance::kGain;
  if (type == "cover") return Importance::kCover;
  if (type == "total_gain") return Importance::kTotalGain;
  if (type == "total_cover") return Importance::kTotalCover;
  Fail(ErrorKind::kParameter, "unknown feature importance type '", type,
       "'; expected one of weight, gain, cover, total_gain, total_cover");
}

void RequireStatistics(Tree const& tree, std::string const& type) {
  if (!tree.HasVectorLeaves() || tree.NumNodes() == 1 || tree.sum_hessian[0] > 0.0F) return;
  Fail(ErrorKind::kParameter, "feature importance ", type,
       " needs gains and sums of hessians, which XGBoost before 3.2 did not save for vector leaves; use weight.");
}

}  // namespace

std::map<std::int64_t, double> FeatureScore(Model const& model, std::string const& importance_type) {
  auto const importance = ImportanceOf(importance_type);
  bool const of_gain = importance == Importance::kGain || importance == Importance::kTotalGain;
  std::map<std::int64_t, double> counts;
  std::map<std::int64_t, double> sums;
  for (auto const& tree : model.trees) {
    if (importance != Importance::kWeight) RequireStatistics(tree, importance_type);
    for (std::int32_t id = 0; id < tree.NumNodes(); ++id) {
      if (tree.IsLeaf(id)) continue;
      auto const node = static_cast<std::size_t>(id);
      auto const feature = static_cast<std::int64_t>(tree.split_feature[node]);
      counts[feature] += 1.0;
      sums[feature] += static_cast<double>(of_gain ? tree.loss_change[node] : tree.sum_hessian[node]);
    }
  }
  if (importance == Importance::kWeight) return counts;
  if (importance == Importance::kTotalGain || importance == Importance::kTotalCover) return sums;
  for (auto& [feature, sum] : sums) sum /= counts[feature];
  return sums;
}

Span<float const> LinearScore(Model const& model, std::string const& importance_type) {
  if (importance_type != "weight") {
    Fail(ErrorKind::kParameter, "feature importance ", importance_type,
         " counts splits of trees; a linear booster has weight only");
  }
  auto const n_biases = static_cast<std::size_t>(model.NumOutputs());
  return Span<float const>(model.linear.weights).subspan(0, model.linear.weights.size() - n_biases);
}

}  // namespace kauri
