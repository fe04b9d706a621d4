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

/// The declared values, overlaid by the user's own text where there is one (dmlc prints floats with fewer digits).
Json ParamsAsJson(std::map<std::string, std::string> const& declared, ParamMap const& user) {
  Json params;
  for (auto const& [name, value] : declared) {
    auto const found = user.find(name);
    params[name] = found == user.end() ? value : found->second;
  }
  return params;
}

Json ModelParamsAsJson(Model const& model) {
  return {{"base_score", Json(model.base_score).dump()},
          {"boost_from_average", model.base_score_estimated ? "1" : "0"},
          {"num_class", std::to_string(model.n_classes)},
          {"num_feature", std::to_string(model.n_features)},
          {"num_target", std::to_string(model.n_targets)}};
}

Json ObjectiveAsJson(Model const& model) {
  Json objective{{"name", model.objective}};
  if (!model.objective_param_key.empty()) objective[model.objective_param_key] = model.objective_params;
  return objective;
}

Json GbTreeAsJson(ParamMap const& effective, Model const& model, ParamMap const& user) {
  return {{"name", "gbtree"},
          {"gbtree_train_param", ParamsAsJson(ParseParameters<GbTreeParam>(effective).__DICT__(), user)},
          {"tree_train_param", ParamsAsJson(ParseParameters<TreeParam>(effective).__DICT__(), effective)},
          {"gbtree_model_param",
           {{"num_parallel_tree", std::to_string(model.n_parallel_trees)},
            {"num_trees", std::to_string(model.trees.size())}}}};
}

Json BoosterAsJson(Components const& parts, Model const& model, ParamMap const& user) {
  auto const& name = parts.param.booster;
  if (name == "gblinear") {
    auto const param = ParseParameters<GbLinearParam>(parts.effective);
    return {{"name", name}, {"gblinear_train_param", ParamsAsJson(param.__DICT__(), user)}};
  }
  auto gbtree = GbTreeAsJson(parts.effective, model, user);
  if (name == "gbtree") return gbtree;
  auto const param = ParseParameters<DartParam>(parts.effective);
  return {{"name", name}, {"dart_train_param", ParamsAsJson(param.__DICT__(), user)}, {"gbtree", std::move(gbtree)}};
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

/// Leaves of the document are the values of parameters, whatever group they stand in.
void CollectParams(std::string const& path, Json const& node, ParamMap* out) {
  if (!node.is_object()) RefuseMember(path, node, "an object");
  for (auto const& [name, value] : node.items()) {
    auto const place = path + "." + name;
    if (value.is_object()) {
      CollectParams(place, value, out);
    } else if (!value.is_string()) {
      if (!HoldsNoParameter(name, value)) RefuseMember(place, value, "a string");
    } else if (name != "name") {
      (*out)[name] = value.get<std::string>();
    }
  }
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
  auto model = ParseModel(bytes);
  auto const params_before = impl_->params;
  impl_->params.erase("num_class");  // the model's, if it has classes
  impl_->params["objective"] = model.objective;
  impl_->params["booster"] = model.booster;
  for (auto const& [name, value] : model.objective_params) impl_->params[name] = value;
  if (model.n_parallel_trees > 1) impl_->params["num_parallel_tree"] = std::to_string(model.n_parallel_trees);
  std::swap(impl_->model, model);
  impl_->ForgetResolved();
  try {
    impl_->Resolve();
  } catch (...) {  // an objective that is not known, say: the old model stays
    std::swap(impl_->model, model);
    impl_->params = params_before;
    impl_->ForgetResolved();
    throw;
  }
  ++impl_->model_revision;
  impl_->intercept_ready = true;
  impl_->updated.reset();
  impl_->ForgetTraining();
  impl_->ForgetResolved();
}

std::string Learner::SaveConfig() const {
  auto const parts = impl_->Resolve();
  auto const& model = GetModel();
  auto const& user = impl_->params;
  Json metrics = Json::array();
  for (auto const& metric : parts->metrics) metrics.push_back({{"name", metric->Name()}});
  auto general = ParamsAsJson(parts->param.__DICT__(), user);
  for (auto const* moved : {"objective", "booster", "base_score", "eval_metric"}) general.erase(moved);
  Json trained{{"objective", parts->param.objective},
               {"booster", parts->param.booster},
               {"base_score", parts->param.base_score},
               {"disable_default_eval_metric", parts->param.disable_default_eval_metric ? "1" : "0"}};
  auto const booster = BoosterAsJson(*parts, model, user);
  Json document{{"learner",
                 {{"generic_param", general},
                  {"learner_train_param", trained},
                  {"gradient_booster", booster},
                  {"learner_model_param", ModelParamsAsJson(model)},
                  {"metrics", metrics},
                  {"objective", ObjectiveAsJson(model)},
                  {"user_params", impl_->params},
                  {"user_metrics", impl_->metric_names}}},
                {"version", {KAURI_VERSION_MAJOR, KAURI_VERSION_MINOR, KAURI_VERSION_PATCH}}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void Learner::LoadConfig(std::string const& json) {
  auto const document = ParseJsonText(json, ErrorKind::kParameter);
  if (document.is_discarded() || !document.is_object() || !document.contains("learner") ||
      !document["learner"].is_object()) {
    Fail(ErrorKind::kParameter, "the configuration is not a JSON object with a member 'learner': '",
         json.substr(0, kShownText), "'.");
  }
  auto learner = document["learner"];
  ParamMap params;
  if (learner.contains("user_params")) {
    CollectParams("learner.user_params", learner["user_params"], &params);
  } else {  // written by another library of this format
    learner.erase("learner_model_param");
    CollectParams("learner", learner, &params);
    params.erase("num_trees");
    auto const place = Json::json_pointer("/gradient_booster/specified_updater");
    if (learner.contains(place) && learner[place] == false) params.erase("updater");  // follows from tree_method
    auto const objective = learner.value("objective", Json());
    if (objective.contains("name") && objective["name"].is_string()) params["objective"] = objective["name"];
  }
  params.erase("verbosity");  // the process's, not the model's
  auto const metrics = MetricNames(learner);
  for (auto const& [name, value] : params) {
    if (!AdaptParameter(name, value).name.empty()) SetParam(name, value);  // documents say more than users do
  }
  for (auto const& name : metrics) SetParam("eval_metric", name);
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
  LoadModel(bytes.subspan(config_end, bytes.size() - config_end));
  LoadConfig(config);
  impl_->intercept_ready = impl_->model.NumIterations() > 0;
}

}  // namespace kauri
