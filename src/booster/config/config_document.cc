#include "booster/config/config_document.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "booster/boosters/dart.h"
#include "booster/boosters/device.h"
#include "booster/boosters/gblinear.h"
#include "booster/boosters/gbtree.h"
#include "booster/config/metrics.h"
#include "booster/config/parameter_check.h"
#include "common/text/json_text.h"
#include "kauri/error.h"
#include "kauri/tree_param.h"
#include "kauri/version.h"

namespace kauri {
namespace {

using Json = nlohmann::json;

/// Returns names and values as a JSON object.
std::string TextsAsJson(std::map<std::string, std::string> const& texts) {
  std::map<std::string, std::string> members;
  for (auto const& [name, text] : texts) members[name] = JsonQuoted(text);
  return JsonObject(members);
}

/// Returns the declared values, replaced by the user's own text where given (dmlc prints floats with fewer digits).
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

/// Returns the base score as an array. Packages of XGBoost before 3.1 read one number, so they get one if all outputs
/// are equal.
std::string BaseScoreAsJson(Client const& client, Model const& model) {
  auto base_score = model.base_score;
  if (base_score.size() == 1) base_score.assign(ToSize(model.NumOutputs()), base_score[0]);
  constexpr std::array<int, 3> kFirstWithArrays{3, 1, 0};
  auto const is_older = client.habits == Habits::kXgboost && client.version < kFirstWithArrays;
  auto const differs = std::adjacent_find(base_score.begin(), base_score.end(), std::not_equal_to<>());
  if (!is_older || base_score.empty() || differs != base_score.end()) return NumbersAsJson(base_score);
  return Json(base_score[0]).dump();
}

std::string ModelParamsAsJson(Client const& client, Model const& model) {
  return TextsAsJson({{"base_score", BaseScoreAsJson(client, model)},
                      {"boost_from_average", model.base_score_estimated ? "1" : "0"},
                      {"num_class", std::to_string(model.n_classes)},
                      {"num_feature", std::to_string(model.n_features)},
                      {"num_target", std::to_string(model.n_targets)}});
}

std::string ObjectiveAsJson(Model const& model) {
  std::map<std::string, std::string> objective{{"name", JsonQuoted(model.objective)}};
  if (!model.objective_param_key.empty()) objective[model.objective_param_key] = TextsAsJson(model.objective_params);
  for (auto const& [name, numbers] : model.objective_state) objective[name] = NumbersAsJson(numbers);
  return JsonObject(objective);
}

/// Returns the updaters: XGBoost's readers require its builder's name, and an object of parameters for each name.
std::string UpdatersAsJson(std::string const& tree_method) {
  auto const method = ResolveTreeMethod(tree_method, DeviceKind::kCpu);
  std::map<std::string, std::string> updater{{"hist_train_param", JsonObject({})}};
  updater["name"] = JsonQuoted(method == "approx" ? "grow_histmaker" : "grow_quantile_histmaker");
  if (method == "exact") updater = {{"name", JsonQuoted("grow_colmaker")}, {"colmaker_train_param", JsonObject({})}};
  return JsonArray({JsonObject(updater)});
}

std::string GbTreeAsJson(Components const& parts, Model const& model, ParamMap const& user) {
  auto const param = ParseParameters<GbTreeParam>(parts.effective);
  return JsonObject({{"name", JsonQuoted("gbtree")},
                     {"specified_updater", "false"},
                     {"updater", UpdatersAsJson(param.tree_method)},
                     {"gbtree_train_param", ParamsAsJson(param.__DICT__(), user)},
                     {"tree_train_param", ParamsAsJson(parts.tree_param.__DICT__(), parts.effective)},
                     {"gbtree_model_param", TextsAsJson({{"num_parallel_tree", std::to_string(model.n_parallel_trees)},
                                                         {"num_trees", std::to_string(model.trees.size())}})}});
}

std::string BoosterAsJson(Components const& parts, Model const& model, ParamMap const& user) {
  auto const name = JsonQuoted(parts.param.booster);
  if (parts.param.booster == "gblinear") {
    auto const param = ParseParameters<GbLinearParam>(parts.effective);
    return JsonObject({{"name", name}, {"gblinear_train_param", ParamsAsJson(param.__DICT__(), user)}});
  }
  auto gbtree = GbTreeAsJson(parts, model, user);
  if (parts.param.booster == "gbtree") return gbtree;
  std::map<std::string, std::string> members{{"name", name}, {"gbtree", std::move(gbtree)}};
  if (parts.param.booster == "dart") {
    members["dart_train_param"] = ParamsAsJson(ParseParameters<DartParam>(parts.effective).__DICT__(), user);
  }
  return JsonObject(members);
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

/// Returns whether a member of XGBoost's documents holds no parameter.
bool HoldsNoParameter(std::string const& name, Json const& value) {
  if (name == "specified_updater") return value.is_boolean();
  static std::set<std::string> const kLists{"metrics", "updater", "user_metrics", "ti+", "tj-"};
  return kLists.count(name) != 0 && value.is_array();
}

void CollectParams(std::string const& path, Json const& node, ParamMap* out);

/// Collects a member of the document. Leaves are the values of parameters, whatever group they are in.
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

/// Returns the user's metrics. Documents of other libraries do not mark them, so all metrics are returned.
std::vector<std::string> MetricNames(Json const& learner) {
  std::vector<std::string> names;
  if (!learner.contains("user_metrics")) {
    auto const& metrics = JsonMember(learner, "metrics");
    for (auto const& metric : metrics) {
      auto const& name = JsonMember(metric, "name");
      if (name.is_string()) names.push_back(name.get<std::string>());
    }
    return names;
  }
  auto const& metrics = learner["user_metrics"];
  if (!metrics.is_array()) RefuseMember("learner.user_metrics", metrics, "a list of strings");
  for (auto const& name : metrics) {
    if (!name.is_string()) RefuseMember("learner.user_metrics", metrics, "a list of strings");
    names.push_back(name.get<std::string>());
  }
  return names;
}

/// Returns the initial state of XGBoost's generator, a Mersenne twister, for a seed.
std::string FirstState(std::uint32_t seed) {
  constexpr std::uint32_t kWords = 624;
  auto word = seed;
  auto text = std::to_string(word);
  for (std::uint32_t i = 1; i < kWords; ++i) {
    word = 1812433253U * (word ^ word >> 30U) + i;
    text += " " + std::to_string(word);
  }
  return text + " " + std::to_string(kWords);
}

/// Adds members that only XGBoost has and its readers require. XGBoost's draws continue from rng_state; here they
/// follow from the seed and the round.
void AddXgboostMembers(LearnerParam const& param, std::map<std::string, std::string>* general) {
  (*general)["rng_state"] = FirstState(static_cast<std::uint32_t>(param.seed));
  (*general)["seed_per_iteration"] = "0";
}

}  // namespace

std::string ConfigAsJson(Components const& parts, Model const& model) {
  auto const& user = parts.given;
  auto shown = user;
  shown.erase("validate_parameters");     // users write true in several ways
  shown.erase("fail_on_invalid_gpu_id");  // likewise
  if (auto const ordinal = OrdinalOf(user); ordinal >= 0) shown["device"] = "cuda:" + std::to_string(ordinal);
  auto const is_xgboost = parts.client.habits == Habits::kXgboost;
  auto general = parts.param.__DICT__();
  if (is_xgboost) AddXgboostMembers(parts.param, &general);
  for (auto const* moved : {"objective", "booster", "base_score", "eval_metric"}) general.erase(moved);
  constexpr char const* kOneOutput = "one_output_per_tree";
  auto const multi_strategy = parts.effective.find("multi_strategy");
  auto const trained =
      TextsAsJson({{"objective", parts.param.objective},
                   {"booster", parts.param.booster},
                   {"base_score", parts.param.base_score},
                   {"multi_strategy", multi_strategy == parts.effective.end() ? kOneOutput : multi_strategy->second},
                   {"disable_default_eval_metric", parts.param.disable_default_eval_metric ? "1" : "0"}});
  auto const learner = JsonObject({{"generic_param", ParamsAsJson(general, shown)},
                                   {"learner_train_param", trained},
                                   {"gradient_booster", BoosterAsJson(parts, model, user)},
                                   {"learner_model_param", ModelParamsAsJson(parts.client, model)},
                                   {"metrics", MetricsAsJson(parts)},
                                   {"objective", ObjectiveAsJson(model)},
                                   {"user_params", TextsAsJson(parts.of_user)},
                                   {"model_params", TextsAsJson(parts.of_model)},
                                   {"user_metrics", NamesAsJson(parts.metric_names)}});
  std::array<int, 3> const own{KAURI_VERSION_MAJOR, KAURI_VERSION_MINOR, KAURI_VERSION_PATCH};
  std::vector<std::string> version;
  for (auto const number : is_xgboost ? parts.client.version : own) version.push_back(std::to_string(number));
  return JsonObject({{"learner", learner}, {"version", JsonArray(version)}});
}

namespace {

/// Removes parameters that do not carry over. This library knows only some parameters of other versions. The device of
/// training need not exist here, and process_type=update does not apply to the next rounds.
void LeaveOutForeign(ParamMap* params) {
  for (auto const& [name, value] : ParamMap(*params)) {
    if (!IsKnownParameter(name)) params->erase(name);
  }
  params->erase("num_trees");
  params->erase("predictor");
  if (auto const device = params->find("device"); device != params->end() && !HasDevice(*params)) params->erase(device);
  if (auto const process = params->find("process_type"); process != params->end() && process->second == "update") {
    params->erase(process);
    params->erase("updater");
  }
  if (auto const method = params->find("tree_method"); method != params->end() && method->second == "gpu_hist") {
    method->second = "hist";
  }
}

/// Returns the parameters in a document of another library with this format.
ParamMap ForeignParams(Json const& learner) {
  ParamMap params;
  for (auto const& [name, value] : learner.items()) {
    if (name != "learner_model_param") CollectMember("learner", name, value, &params);
  }
  for (auto const& [name, value] : ParamsOfMetrics(learner)) params.emplace(name, value);
  LeaveOutForeign(&params);
  auto const& updater = JsonMember(JsonMember(learner, "gradient_booster"), "specified_updater");
  if (updater.is_boolean() && !updater.get<bool>()) params.erase("updater");  // follows from tree_method
  auto const& objective = JsonMember(JsonMember(learner, "objective"), "name");
  if (objective.is_string()) params["objective"] = objective.get<std::string>();
  return params;
}

/// Moves parameters to `of_model`: documents of other libraries do not mark them. The model owns its objective with its
/// parameters, booster and num_parallel_tree.
void LeaveToModel(Json const& learner, ConfigDocument* config) {
  ParamMap of_objective;
  auto const& objective = JsonMember(learner, "objective");
  if (objective.is_object()) CollectParams("learner.objective", objective, &of_objective);
  for (auto const* const name : {"objective", "booster", "num_parallel_tree"}) of_objective[name];
  for (auto const& [name, ignored] : of_objective) {
    auto const found = config->params.find(name);
    if (found != config->params.end()) config->of_model.insert(config->params.extract(found));
  }
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
  config.is_own = learner.contains("user_params");
  if (config.is_own) {
    CollectParams("learner.user_params", learner["user_params"], &config.params);
    if (learner.contains("model_params")) {
      CollectParams("learner.model_params", learner["model_params"], &config.of_model);
    }
  } else {
    config.params = ForeignParams(learner);
    LeaveToModel(learner, &config);
  }
  config.params.erase("verbosity");  // a setting of the process, not of the model
  config.metric_names = MetricNames(learner);
  return config;
}

}  // namespace kauri
