#include "booster/config_document.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "booster/dart.h"
#include "booster/gblinear.h"
#include "booster/gbtree.h"
#include "booster/parameter_check.h"
#include "common/json_text.h"
#include "kauri/error.h"
#include "kauri/tree_param.h"
#include "kauri/version.h"

namespace kauri {
namespace {

using Json = nlohmann::json;

/// Names and values, as JSON.
std::string TextsAsJson(std::map<std::string, std::string> const& texts) {
  std::map<std::string, std::string> members;
  for (auto const& [name, text] : texts) members[name] = JsonQuoted(text);
  return JsonObject(members);
}

/// The declared values, overlaid by the user's own text where there is one (dmlc prints floats with fewer digits).
std::string ParamsAsJson(std::map<std::string, std::string> const& declared, ParamMap const& user) {
  std::map<std::string, std::string> texts;
  for (auto const& [name, value] : declared) {
    auto const found = user.find(name);
    texts[name] = found == user.end() ? value : found->second;
  }
  return TextsAsJson(texts);
}

std::string NumbersAsJson(std::vector<float> const& numbers) {
  std::vector<std::string> texts;
  for (auto const number : numbers) texts.push_back(Json(number).dump());
  return JsonArray(texts);
}

std::string ModelParamsAsJson(Model const& model) {
  return TextsAsJson({{"base_score", NumbersAsJson(model.base_score)},
                      {"boost_from_average", model.base_score_estimated ? "1" : "0"},
                      {"num_class", std::to_string(model.n_classes)},
                      {"num_feature", std::to_string(model.n_features)},
                      {"num_target", std::to_string(model.n_targets)}});
}

std::string ObjectiveAsJson(Model const& model) {
  std::map<std::string, std::string> objective{{"name", JsonQuoted(model.objective)}};
  if (!model.objective_param_key.empty()) objective[model.objective_param_key] = TextsAsJson(model.objective_params);
  return JsonObject(objective);
}

std::string GbTreeAsJson(ParamMap const& effective, Model const& model, ParamMap const& user) {
  return JsonObject({{"name", JsonQuoted("gbtree")},
                     {"gbtree_train_param", ParamsAsJson(ParseParameters<GbTreeParam>(effective).__DICT__(), user)},
                     {"tree_train_param", ParamsAsJson(ParseParameters<TreeParam>(effective).__DICT__(), effective)},
                     {"gbtree_model_param", TextsAsJson({{"num_parallel_tree", std::to_string(model.n_parallel_trees)},
                                                         {"num_trees", std::to_string(model.trees.size())}})}});
}

std::string BoosterAsJson(Components const& parts, Model const& model, ParamMap const& user) {
  auto const name = JsonQuoted(parts.param.booster);
  if (parts.param.booster == "gblinear") {
    auto const param = ParseParameters<GbLinearParam>(parts.effective);
    return JsonObject({{"name", name}, {"gblinear_train_param", ParamsAsJson(param.__DICT__(), user)}});
  }
  auto gbtree = GbTreeAsJson(parts.effective, model, user);
  if (parts.param.booster == "gbtree") return gbtree;
  auto const param = ParseParameters<DartParam>(parts.effective);
  return JsonObject(
      {{"name", name}, {"dart_train_param", ParamsAsJson(param.__DICT__(), user)}, {"gbtree", std::move(gbtree)}});
}

std::string MetricsAsJson(Components const& parts) {
  std::vector<std::string> metrics;
  for (auto const& metric : parts.metrics) metrics.push_back(JsonObject({{"name", JsonQuoted(metric->Name())}}));
  return JsonArray(metrics);
}

std::string NamesAsJson(std::vector<std::string> const& names) {
  std::vector<std::string> quoted;
  for (auto const& name : names) quoted.push_back(JsonQuoted(name));
  return JsonArray(quoted);
}

constexpr std::size_t kShownText = 60;

[[noreturn]] void RefuseMember(std::string const& path, Json const& value, char const* expected) {
  Fail(ErrorKind::kParameter, "the configuration's ", path, " is ",
       value.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, kShownText), ", a JSON ", value.type_name(),
       "; expected ", expected, ".");
}

/// Members of XGBoost's documents that hold no parameter.
bool HoldsNoParameter(std::string const& name, Json const& value) {
  if (name == "specified_updater") return value.is_boolean();
  return (name == "metrics" || name == "updater" || name == "user_metrics") && value.is_array();
}

void CollectParams(std::string const& path, Json const& node, ParamMap* out);

/// Leaves of the document are the values of parameters, whatever group they stand in.
void CollectMember(std::string const& path, std::string const& name, Json const& value, ParamMap* out) {
  auto const place = path + "." + name;
  if (value.is_object()) {
    CollectParams(place, value, out);
  } else if (!value.is_string()) {
    if (!HoldsNoParameter(name, value)) RefuseMember(place, value, "a string");
  } else if (name != "name") {
    (*out)[name] = value.get<std::string>();
  }
}

void CollectParams(std::string const& path, Json const& node, ParamMap* out) {
  if (!node.is_object()) RefuseMember(path, node, "an object");
  for (auto const& [name, value] : node.items()) CollectMember(path, name, value, out);
}

std::vector<std::string> MetricNames(Json const& learner) {
  std::vector<std::string> names;
  if (!learner.contains("user_metrics")) return names;
  auto const& metrics = learner["user_metrics"];
  if (!metrics.is_array()) RefuseMember("learner.user_metrics", metrics, "a list of strings");
  for (auto const& name : metrics) {
    if (!name.is_string()) RefuseMember("learner.user_metrics", metrics, "a list of strings");
    names.push_back(name.get<std::string>());
  }
  return names;
}

}  // namespace

std::string ConfigAsJson(Components const& parts, Model const& model) {
  auto const& user = parts.given;
  auto general = parts.param.__DICT__();
  for (auto const* moved : {"objective", "booster", "base_score", "eval_metric"}) general.erase(moved);
  auto const trained =
      TextsAsJson({{"objective", parts.param.objective},
                   {"booster", parts.param.booster},
                   {"base_score", parts.param.base_score},
                   {"disable_default_eval_metric", parts.param.disable_default_eval_metric ? "1" : "0"}});
  auto const learner = JsonObject({{"generic_param", ParamsAsJson(general, user)},
                                   {"learner_train_param", trained},
                                   {"gradient_booster", BoosterAsJson(parts, model, user)},
                                   {"learner_model_param", ModelParamsAsJson(model)},
                                   {"metrics", MetricsAsJson(parts)},
                                   {"objective", ObjectiveAsJson(model)},
                                   {"user_params", TextsAsJson(user)},
                                   {"user_metrics", NamesAsJson(parts.metric_names)}});
  auto const version = JsonArray(
      {std::to_string(KAURI_VERSION_MAJOR), std::to_string(KAURI_VERSION_MINOR), std::to_string(KAURI_VERSION_PATCH)});
  return JsonObject({{"learner", learner}, {"version", version}});
}

namespace {

/// What a document of another library of this format gives.
ParamMap ForeignParams(Json const& learner) {
  ParamMap params;
  for (auto const& [name, value] : learner.items()) {
    if (name != "learner_model_param") CollectMember("learner", name, value, &params);
  }
  params.erase("num_trees");
  params.erase("predictor");  // where it predicted there says nothing of the devices here
  auto const& updater = JsonMember(JsonMember(learner, "gradient_booster"), "specified_updater");
  if (updater.is_boolean() && !updater.get<bool>()) params.erase("updater");  // follows from tree_method
  auto const& objective = JsonMember(JsonMember(learner, "objective"), "name");
  if (objective.is_string()) params["objective"] = objective.get<std::string>();
  return params;
}

}  // namespace

ConfigDocument ParseConfig(std::string const& json) {
  auto const document = ParseJsonText(json, ErrorKind::kParameter);
  auto const& learner = JsonMember(document.Root(), "learner");
  if (!learner.is_object()) {
    Fail(ErrorKind::kParameter, "the configuration is not a JSON object with a member 'learner': '",
         json.substr(0, kShownText), "'.");
  }
  ConfigDocument config;
  if (learner.contains("user_params")) {
    CollectParams("learner.user_params", learner["user_params"], &config.params);
  } else {
    config.params = ForeignParams(learner);
  }
  config.params.erase("verbosity");  // the process's, not the model's
  config.metric_names = MetricNames(learner);
  return config;
}

}  // namespace kauri
