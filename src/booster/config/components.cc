#include "booster/config/components.h"

#include <set>
#include <string>
#include <utility>

#include "booster/boosters/boosters.h"
#include "booster/boosters/dart.h"
#include "booster/boosters/device.h"
#include "booster/config/learner_param.h"
#include "booster/config/metrics.h"
#include "booster/config/parameter_check.h"
#include "booster/names/other_names.h"
#include "common/text/log.h"
#include "kauri/context.h"
#include "kauri/error.h"
#include "kauri/plugin.h"
#include "kauri/registry.h"

namespace kauri {
namespace {

/// Moves linear models to the CPU: they are trained and used in host memory, and data in device memory are copied.
void KeepLinearOnCpu(std::string const& booster, Device* device) {
  if (booster != "gblinear" || device->kind == DeviceKind::kCpu) return;
  Log(LogLevel::kWarning, "booster=gblinear has no version for device=cuda; it runs on the CPU.");
  *device = {};
}

/// Creates the metrics. A metric that cannot be created is removed from `names`, like an unknown parameter.
MetricList MakeMetrics(std::vector<std::string>* names, Components const& parts) {
  MetricList metrics;
  if (names->empty() && !parts.param.disable_default_eval_metric) {
    metrics.push_back(MakeMetric(parts.objective->DefaultMetric(), parts.effective));
  }
  for (auto name = names->begin(); name != names->end(); ++name) {
    try {
      metrics.push_back(MakeMetric(*name, parts.effective));
    } catch (Error const&) {
      names->erase(name);
      throw;
    }
  }
  return metrics;
}

/// Returns whether a number of classes is given without an objective, which means classification (XGBoost's rule).
bool MeansClasses(ParamMap const& params) {
  auto const found = params.find("num_class");
  return params.count("objective") == 0 && found != params.end() && found->second != "0" && found->second != "1";
}

/// Returns whether gbtree has parameters of dropout, which make it dart (XGBoost's rule since 3.3).
bool MeansDropout(LearnerParam const& param, ParamMap const& params) {
  return param.booster == "gbtree" && ParseParameters<DartParam>(params).AsksForDropout();
}

/// Throws for a name of another library. Other unknown names are refused by the registries.
void RefuseOtherNames(LearnerParam const& param) {
  auto const& registries = GetRegistries();
  if (registries.objectives.TryFind(param.objective) == nullptr) RefuseOtherName(NameKind::kObjective, param.objective);
  if (registries.boosters.TryFind(param.booster) == nullptr) RefuseOtherName(NameKind::kBooster, param.booster);
}

/// Checks num_class. \throws Error(kParameter) if classes are given to an objective that has none.
void RequireClasses(Components const& parts) {
  auto const given = parts.effective.find("num_class");
  if (parts.objective->NumClasses() > 0 || given == parts.effective.end()) return;
  if (given->second == "0" || given->second == "1") return;
  Fail(ErrorKind::kParameter, "num_class=", given->second, " does not go with objective=", parts.param.objective,
       ", which is not a multi-class objective; use multi:softprob or multi:softmax, or leave num_class out.");
}

constexpr char const* kOnDevice = "gpu_predictor";
constexpr char const* kOfLinear = "linear_predictor";

/// Loads the plug-in with the device's predictor.
void RequireDevicePredictor() {
  auto const status = GetCudaPluginStatus();
  if (status.problem.empty()) return;
  Fail(ErrorKind::kDevice, "predictor=gpu_predictor: ", status.problem, " Or use predictor=cpu_predictor.");
}

/// Returns the predictor's name in the registry: the parameter's value, or for auto the device's predictor. A linear
/// booster has one predictor, whatever is named. \throws Error(kParameter) for an unknown name and for linear_predictor
/// with trees, Error(kDevice) for gpu_predictor if no CUDA device can be used.
std::string PredictorName(LearnerParam const& param, DeviceKind device) {
  auto const& name = param.predictor;
  auto const is_linear = param.booster == "gblinear";
  if (name == "auto") return is_linear ? kOfLinear : device == DeviceKind::kCuda ? kOnDevice : "cpu_predictor";
  if (is_linear && name == kOnDevice) return kOfLinear;
  if (name == kOnDevice) RequireDevicePredictor();
  if (GetRegistries().predictors.TryFind(name) == nullptr) GetCudaPluginStatus();  // the message lists its names, too
  GetRegistries().predictors.Find(name);
  if (is_linear) return kOfLinear;
  if (name != kOfLinear) return name;
  Fail(ErrorKind::kParameter, "predictor=linear_predictor is for booster=gblinear, but booster=", param.booster,
       " trains trees; use predictor=auto.");
}

std::unique_ptr<Predictor> MakePredictor(Components const& parts, ParamMap const& params) {
  auto const name = PredictorName(parts.param, parts.ctx.device.kind);
  return GetRegistries().predictors.Find(name).make(params);
}

/// Returns the treatment of unknown names. XGBoost checks names only on request.
UnknownNames UnknownNamesOf(bool is_xgboost, LearnerParam const& param) {
  if (is_xgboost) return param.validate_parameters ? UnknownNames::kWarn : UnknownNames::kDrop;
  return param.validate_parameters ? UnknownNames::kFail : UnknownNames::kWarn;
}

/// Takes an ordinal that no device has modulo the number of devices (XGBoost's rule).
/// \throws Error(kParameter) if the user wants such an ordinal to be an error; Error(kDevice) without any device.
void WrapOrdinal(LearnerParam const& param, ParamMap* params) {
  auto const ordinal = OrdinalOf(*params);
  if (ordinal < 0) return;
  auto const n_devices = RequireCudaDevices();
  if (ordinal < n_devices) return;
  if (param.fail_on_invalid_gpu_id) {
    Fail(ErrorKind::kParameter, "Only ", n_devices, " GPUs are visible, ordinal ", ordinal,
         " is invalid: device=", param.device, "; use a number below ", n_devices,
         ", or leave fail_on_invalid_gpu_id out.");
  }
  auto const wrapped = ordinal % n_devices;
  Log(LogLevel::kWarning, "Only ", n_devices, " GPUs are visible, setting device ordinal to ", wrapped,
      ": device=", param.device, " is not there.");
  (*params)["device"] = "cuda:" + std::to_string(wrapped);
}

/// Applies XGBoost's rule: ordinals wrap around, and without any device everything runs on the CPU.
void AdaptDevice(LearnerParam const& param, ParamMap* params) {
  auto const predictor = params->find("predictor");
  try {
    WrapOrdinal(param, params);
    FindDevice(*params);
    if (predictor != params->end() && predictor->second == "gpu_predictor") RequireCudaDevices();
    return;
  } catch (Error const& error) {
    if (error.Kind() != ErrorKind::kDevice) throw;
    auto const has_none = !GetCudaPluginStatus().problem.empty();
    Log(LogLevel::kWarning, "Device is changed from GPU to CPU. ", has_none ? "No visible GPU is found: " : "",
        error.what());
  }
  (*params)["device"] = "cpu";
  params->erase("predictor");
}

/// Returns the user's parameters, completed by the loaded model's. Parameters of the model's objective apply only with
/// that objective; booster, num_class and num_parallel_tree apply with any.
ParamMap InEffect(Settings const& settings) {
  static std::set<std::string> const kOfAnyObjective{"booster", "num_class", "num_parallel_tree"};
  auto params = settings.params;
  auto const of_model = settings.of_model.find("objective");
  if (of_model == settings.of_model.end()) return params;
  auto const has_its_objective = params.emplace(*of_model).first->second == of_model->second;
  for (auto const& [name, value] : settings.of_model) {
    if (has_its_objective || kOfAnyObjective.count(name) != 0) params.emplace(name, value);
  }
  return params;
}

/// Logs once the user's parameters that the booster does not read.
void WarnOfUnread(std::string const& booster, Settings* settings) {
  auto const unread = ListUnread(booster, settings->params, settings->given_names, &settings->unread);
  if (unread.empty() || settings->is_quiet) return;
  Log(LogLevel::kWarning, "Parameters: { ", unread, " } are not used. booster=", booster,
      " does not read them; leave them out, or choose another booster.");
}

/// Logs once the user's objective and booster, if they differ from the loaded model's.
void WarnOfOverriding(LearnerParam const& param, Settings* settings) {
  for (auto const& [name, value] : ParamMap{{"objective", param.objective}, {"booster", param.booster}}) {
    auto const of_model = settings->of_model.find(name);
    if (of_model == settings->of_model.end() || of_model->second == value) continue;
    if (!settings->overriding.insert(name + "=" + value).second || settings->is_quiet) continue;
    Log(LogLevel::kWarning, name, "=", value, " was set, and takes the place of ", of_model->second,
        ", which the loaded model says; leave it out to go on with the model as it is.");
  }
}

/// Sets the threads, the seed and the ranks of the context from the parameters.
void FillContext(std::shared_ptr<Collective> const& collective, Components* parts) {
  parts->ctx.threads = parts->param.Threads();
  parts->ctx.seed = static_cast<std::uint64_t>(parts->param.seed);
  parts->collective = collective;
  parts->ctx.collective = parts->collective.get();
}

/// Keeps the settings that the components were made of. params: the parameters in effect.
void KeepSettings(Settings const& settings, ParamMap const& params, Components* parts) {
  parts->client = settings.client;
  parts->of_user = settings.params;
  parts->of_model = settings.of_model;
  parts->given = params;
  parts->metric_names = settings.metric_names;
}

}  // namespace

std::string ParametersAsText(ParamMap const& parameters) {
  std::string text;
  for (auto const& [name, value] : parameters) text += name + '=' + value + '\n';
  return text;
}

std::shared_ptr<Components const> MakeComponents(Settings* settings) {
  auto parts = std::make_shared<Components>();
  parts->param = ParseParameters<LearnerParam>(settings->params);
  if (settings->params.count("verbosity") != 0) SetLogLevel(parts->param.verbosity);
  for (auto const& note : std::exchange(settings->notes, {})) Log(LogLevel::kWarning, note);
  auto const is_xgboost = settings->client.habits == Habits::kXgboost;
  if (is_xgboost) AdaptDevice(parts->param, &settings->params);
  parts->ctx.device = FindDevice(settings->params);
  auto const unknown = UnknownNamesOf(is_xgboost, parts->param);
  CheckNames(unknown, &settings->params);  // plug-ins declare parameters, too
  auto const params = InEffect(*settings);
  parts->param = ParseParameters<LearnerParam>(params);
  if (MeansClasses(params)) parts->param.objective = "multi:softmax";
  if (MeansDropout(parts->param, params)) parts->param.booster = "dart";
  FillContext(settings->collective, parts.get());
  CheckUnusedValues(parts->param.booster, parts->param.objective, params);
  if (unknown != UnknownNames::kDrop) WarnOfUnread(parts->param.booster, settings);
  WarnOfOverriding(parts->param, settings);
  settings->is_quiet = false;
  ParseBaseScore(parts->param.base_score);
  RefuseOtherNames(parts->param);
  parts->objective = GetRegistries().objectives.Find(parts->param.objective).make(params);
  parts->effective = params;
  for (auto const& [name, value] : parts->objective->ParameterDefaults()) parts->effective.emplace(name, value);
  RequireClasses(*parts);
  auto const& booster = GetRegistries().boosters.Find(parts->param.booster);
  for (auto const& [name, value] : booster.defaults) parts->effective.emplace(name, value);
  auto training = ParamsOf(booster, parts->effective);
  training.free_outputs = parts->objective->FreeOutputs();
  parts->tree_param = training.tree;
  parts->booster = booster.make(training);
  KeepLinearOnCpu(parts->param.booster, &parts->ctx.device);
  parts->support = std::make_unique<TrainingSupport>(parts->param.booster, training, parts->ctx.device);
  parts->predictor = MakePredictor(*parts, parts->effective);
  parts->metrics = MakeMetrics(&settings->metric_names, *parts);
  KeepSettings(*settings, params, parts.get());
  return parts;
}

namespace {

ParamMap WithShapMethod(Components const& parts, std::string const& shap_method) {
  auto params = parts.effective;
  if (!shap_method.empty()) params["shap_method"] = shap_method;
  return params;
}

}  // namespace

std::shared_ptr<Predictor const> PredictorOf(std::shared_ptr<Components const> const& parts,
                                             std::string const& shap_method) {
  if (shap_method.empty()) return {parts, parts->predictor.get()};
  return MakePredictor(*parts, WithShapMethod(*parts, shap_method));
}

std::shared_ptr<Predictor const> CpuPredictorOf(std::shared_ptr<Components const> const& parts,
                                                std::string const& shap_method) {
  return GetRegistries().predictors.Find("cpu_predictor").make(WithShapMethod(*parts, shap_method));
}

}  // namespace kauri
