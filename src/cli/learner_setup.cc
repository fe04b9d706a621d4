#include "cli/learner_setup.h"

#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "booster/config/learner_param.h"
#include "booster/config/parameter_check.h"
#include "cli/checkpoint.h"
#include "common/files/read_file.h"
#include "common/text/log.h"
#include "common/text/quoted.h"
#include "data/memory_budget.h"
#include "data_from_uri.h"
#include "kauri/error.h"
#include "kauri/tree_param.h"

namespace kauri::cli {
namespace {

constexpr std::size_t kShownText = 60;

void SetParameters(Options const& options, Learner* learner) {
  learner->SetParam("validate_parameters", "true");
  for (auto const& [name, value] : options.learner) learner->SetParam(name, value);
}

/// Warns if the model uses a special missing value. An estimator of the Python package stores it in its model; text
/// files have empty fields for it.
void WarnOfMissing(Learner const& learner) {
  auto const found = learner.Attributes().find("kauri_missing");
  if (found == learner.Attributes().end()) return;
  Log(LogLevel::kWarning, "the model was learnt from tables in which ", found->second.substr(0, kShownText),
      " means a missing value; here it is a number: leave such fields empty.");
}

void LoadModelIn(Options const& options, Learner* learner) {
  if (options.cli.model_in.empty()) return;
  auto const bytes = ReadFile(FileToRead{options.cli.model_in, "model"});
  try {
    learner->LoadModel({bytes.data(), bytes.size()});
  } catch (Error const& error) {
    Fail(error.Kind(), "model_in=", options.cli.model_in, ": ", error.what());
  }
  WarnOfMissing(*learner);
}

}  // namespace

void SetUpLearner(Options const& options, Learner* learner) {
  LoadModelIn(options, learner);
  SetParameters(options, learner);
  learner->Configure();
}

ParamMap LearnerParams(Options const& options) {
  ParamMap params;
  for (auto const& [name, value] : options.learner) {
    auto const adapted = AdaptParameter(name, value);
    if (!adapted.name.empty()) params[adapted.name] = adapted.value;
  }
  return params;
}

Context MakeContext(Options const& options) {
  Context ctx;
  ctx.threads = ParseParameters<LearnerParam>(LearnerParams(options)).Threads();
  return ctx;
}

std::shared_ptr<DataMatrix> ReadData(Options const& options, std::string const& key, std::string const& uri,
                                     TextNames* names, DataMatrix const* like) {
  auto const params = LearnerParams(options);
  auto const ctx = MakeContext(options);
  BinStoreOptions bins;
  bins.max_bin = ParseParameters<TreeParam>(params).max_bin;
  bins.budget = ParseParameters<MemoryParam>(params).Budget();
  bins.like = like;
  try {
    return ReadUri(ctx, uri, bins, names);
  } catch (Error const& error) {
    Fail(error.Kind(), key, "=", uri, ": ", error.what());
  }
}

std::shared_ptr<DataMatrix> ReadValues(Options const& options, std::string const& key, std::string const& uri,
                                       TextNames* names) {
  auto data = ReadData(options, key, uri, names);
  if (data->Store() == nullptr) return data;
  Fail(ErrorKind::kParameter, key, "=", uri,
       ": the task needs the values of the features, but a cache keeps only bins; leave out the part from '#' on.");
}

std::shared_ptr<DataMatrix> ReadRowsFor(ReadyModel const& model, Options const& options, std::string const& key,
                                        std::string const& uri) {
  auto names = NamesOf(model.GetModel());
  auto data = ReadValues(options, key, uri, &names);
  try {
    model.CheckColumns(DeclaredColumns::Of(data->Info()).With(*data->View()), data->NumCols());
  } catch (Error const& error) {
    Fail(error.Kind(), key, "=", uri, ": ", error.what());
  }
  return data;
}

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
