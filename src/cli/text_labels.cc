#include "cli/text_labels.h"

#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/checkpoint.h"
#include "common/text/log.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri::cli {
namespace {

using Json = nlohmann::json;

constexpr char const* kAttribute = "kauri_classes";

/// Returns a class in the form of text files; empty for a class that no file can contain.
std::string TextOf(Json const& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? NumberText(value.get<double>()) : std::string();
}

}  // namespace

TextNames NamesOf(Model const& model) {
  TextNames names{{}, model.categories.names, model.feature_names};
  auto const found = model.attributes.find(kAttribute);
  if (found == model.attributes.end()) return names;
  auto const document = Json::parse(found->second, nullptr, false);
  if (!document.is_object() || !document.contains("values") || !document["values"].is_array()) {
    Fail(ErrorKind::kModel, "the model's attribute ", kAttribute, " is damaged; train the model again.");
  }
  for (auto const& value : document["values"]) names.classes.push_back(TextOf(value));
  return names;
}

void RequireClassification(TextNames const& names, Learner const& learner) {
  if (names.classes.empty()) return;
  auto const& objective = learner.Ready()->Parts()->param.objective;
  auto const is_binary = objective.compare(0, 7, "binary:") == 0;
  if (!is_binary && objective.compare(0, 6, "multi:") != 0) {
    Fail(ErrorKind::kParameter, "the labels are texts, as ", Quoted(names.classes[0]), ", which are classes, but ",
         "objective=", objective, " predicts numbers; set objective=binary:logistic, or multi:softprob and num_class.");
  }
  if (is_binary && names.classes.size() > 2) {
    Fail(ErrorKind::kParameter, "the labels are ", names.classes.size(), " different texts, but objective=", objective,
         " is for two classes; set objective=multi:softprob and num_class=", names.classes.size(), ".");
  }
}

void KeepClasses(TextNames const& names, Learner* learner) {
  RequireClassification(names, *learner);
  if (names.classes.empty() || learner->Attributes().count(kAttribute) != 0) return;
  Json const document{{"dtype", "U"}, {"values", names.classes}};
  learner->Attributes()[kAttribute] = document.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (GetLogLevel() == 0) return;
  std::cerr << "classes:";
  for (std::size_t place = 0; place < names.classes.size(); ++place) {
    std::cerr << (place == 0 ? " " : ", ") << place << " is " << Quoted(names.classes[place]);
  }
  std::cerr << '\n';
}

}  // namespace kauri::cli
