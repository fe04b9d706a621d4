/// Models, configurations and snapshots as bytes.
///
/// A snapshot is: the magic, the length of the configuration as 8 bytes little-endian, the configuration (JSON), the
/// model (UBJSON).
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "booster/dart.h"
#include "booster/gblinear.h"
#include "booster/gbtree.h"
#include "booster/learner_impl.h"
#include "booster/model_io/model_io.h"
#include "booster/parameter_check.h"
#include "common/json_text.h"
#include "kauri/error.h"
#include "kauri/tree_param.h"
#include "kauri/version.h"

namespace kauri {
namespace {

using Json = nlohmann::json;

constexpr char kMagic[] = "KAURI-SNAPSHOT-1\n";
constexpr std::size_t kMagicLength = sizeof(kMagic) - 1;
constexpr std::size_t kHeaderLength = kMagicLength + sizeof(std::uint64_t);

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

std::uint64_t ReadLength(char const* bytes) {
  std::uint64_t length = 0;
  for (int byte = 7; byte >= 0; --byte) length = length << 8U | static_cast<unsigned char>(bytes[byte]);
  return length;
}

}  // namespace

void Learner::LoadModel(Span<char const> bytes) {
  auto loaded = impl_->CopySettings();
  loaded->model = ParseModel(bytes);
  loaded->learnt_state = loaded->model.objective_state;
  loaded->intercept_ready = true;
  auto const& model = loaded->model;
  auto& params = loaded->params;
  params.erase("num_class");  // the model's, if it has classes
  params["objective"] = model.objective;
  params["booster"] = model.booster;
  for (auto const& [name, value] : model.objective_params) params[name] = value;
  if (model.n_parallel_trees > 1) params["num_parallel_tree"] = std::to_string(model.n_parallel_trees);
  loaded->Resolve();
  impl_ = std::move(loaded);
}

std::string Learner::SaveConfig() const {
  auto const parts = impl_->Resolve();
  auto const& model = GetModel();
  auto const& user = impl_->params;
  auto general = parts->param.__DICT__();
  for (auto const* moved : {"objective", "booster", "base_score", "eval_metric"}) general.erase(moved);
  auto const trained =
      TextsAsJson({{"objective", parts->param.objective},
                   {"booster", parts->param.booster},
                   {"base_score", parts->param.base_score},
                   {"disable_default_eval_metric", parts->param.disable_default_eval_metric ? "1" : "0"}});
  auto const learner = JsonObject({{"generic_param", ParamsAsJson(general, user)},
                                   {"learner_train_param", trained},
                                   {"gradient_booster", BoosterAsJson(*parts, model, user)},
                                   {"learner_model_param", ModelParamsAsJson(model)},
                                   {"metrics", MetricsAsJson(*parts)},
                                   {"objective", ObjectiveAsJson(model)},
                                   {"user_params", TextsAsJson(impl_->params)},
                                   {"user_metrics", NamesAsJson(impl_->metric_names)}});
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

void Learner::LoadConfig(std::string const& json) {
  auto const document = ParseJsonText(json, ErrorKind::kParameter);
  auto const& learner = JsonMember(document.Root(), "learner");
  if (!learner.is_object()) {
    Fail(ErrorKind::kParameter, "the configuration is not a JSON object with a member 'learner': '",
         json.substr(0, kShownText), "'.");
  }
  ParamMap params;
  if (learner.contains("user_params")) {
    CollectParams("learner.user_params", learner["user_params"], &params);
  } else {
    params = ForeignParams(learner);
  }
  params.erase("verbosity");  // the process's, not the model's
  auto const metrics = MetricNames(learner);
  Learner next;
  next.impl_ = impl_->CopySettings();
  next.impl_->intercept_ready = impl_->intercept_ready;
  for (auto const& [name, value] : params) {
    if (!AdaptParameter(name, value).name.empty()) next.SetParam(name, value);  // documents say more than users do
  }
  for (auto const& name : metrics) next.SetParam("eval_metric", name);
  impl_->TakeSettings(next.impl_.get());
}

std::string Learner::SaveSnapshot() const {
  auto const config = SaveConfig();
  std::string bytes(kMagic, kMagicLength);
  for (unsigned shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(config.size() >> shift & 0xFFU);
  return bytes + config + SerialiseModel(GetModel(), ModelFormat::kUbjson);
}

void Learner::LoadSnapshot(Span<char const> bytes) {
  if (bytes.size() < kHeaderLength || std::memcmp(bytes.data(), kMagic, kMagicLength) != 0) {
    LoadModel(bytes);
    return;
  }
  auto const length = ReadLength(bytes.data() + kMagicLength);
  if (length > bytes.size() - kHeaderLength) {
    Fail(ErrorKind::kModel, "the snapshot is cut short: it announces a configuration of ", length, " bytes, ",
         bytes.size() - kHeaderLength, " are left.");
  }
  auto const config_end = kHeaderLength + static_cast<std::size_t>(length);
  auto const config = std::string(bytes.data() + kHeaderLength, static_cast<std::size_t>(length));
  Learner next;
  next.impl_ = impl_->CopySettings();
  next.LoadModel(bytes.subspan(config_end, bytes.size() - config_end));
  next.LoadConfig(config);
  next.impl_->intercept_ready = next.impl_->model.NumIterations() > 0;
  impl_ = std::move(next.impl_);
}

}  // namespace kauri
