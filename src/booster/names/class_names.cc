#include "booster/names/class_names.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri {
namespace {

using Json = nlohmann::json;

constexpr char const* kAttribute = "kauri_classes";

/// Returns a class in the form of text files; empty for a class that no file can contain.
std::string TextOf(Json const& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number()) return {};
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value.get<double>()).ptr};
}

}  // namespace

TextNames TextNamesOf(Model const& model) {
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

void RequireKnownClasses(TextNames const& names, Model const& model) {
  if (names.classes.empty() || model.NumIterations() == 0 || model.attributes.count(kAttribute) != 0) return;
  Fail(ErrorKind::kData, "the labels are texts, as ", Quoted(names.classes[0]),
       ", but the model was trained on numbers and has no names of classes; write the numbers of its classes into the "
       "file.");
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

bool KeepClasses(TextNames const& names, Learner* learner) {
  RequireClassification(names, *learner);
  auto const& attributes = std::as_const(*learner).Attributes();
  if (names.classes.empty() || attributes.count(kAttribute) != 0) return false;
  RequireKnownClasses(names, learner->GetModel());
  Json const document{{"dtype", "U"}, {"values", names.classes}};
  learner->Attributes()[kAttribute] = document.dump(-1, ' ', true, Json::error_handler_t::replace);
  return true;
}

}  // namespace kauri
