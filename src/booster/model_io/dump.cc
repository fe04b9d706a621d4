#include "booster/model_io/dump.h"

#include "booster/model_io/dump_format.h"
#include "booster/model_io/feature_labels.h"
#include "booster/model_io/linear_part.h"

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
