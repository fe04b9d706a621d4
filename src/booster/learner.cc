/// Parameters, resolution and the small accessors of a Learner.
#include "booster/learner.h"

#include <algorithm>
#include <utility>

#include "booster/dart.h"
#include "booster/device.h"
#include "booster/learner_impl.h"
#include "booster/model_io/object_reader.h"
#include "booster/parameter_check.h"
#include "common/log.h"
#include "data/categories/category_names.h"
#include "kauri/error.h"
#include "kauri/registry.h"

namespace kauri {
namespace {

/// A linear model has no trees, and the other way round.
void RequireSameKind(Model const& model, std::string const& booster) {
  if (model.NumIterations() == 0 || model.IsLinear() == (booster == "gblinear")) return;
  Fail(ErrorKind::kParameter, "booster=", booster, " does not fit the model, which ",
       model.IsLinear() ? "is linear (gblinear)." : "consists of trees (gbtree or dart).",
       " Leave the parameter out to go on with the model, or start a new one.");
}

/// Linear models are learnt and used in host memory; data in device memory are copied.
void KeepLinearOnCpu(std::string const& booster, Device* device) {
  if (booster != "gblinear" || device->kind == DeviceKind::kCpu) return;
  Log(LogLevel::kWarning, "booster=gblinear has no version for device=cuda; it runs on the CPU.");
  *device = {};
}

/// A metric that cannot be made is dropped from `names`, as an unknown parameter is.
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

/// XGBoost's rule: who gives a number of classes and no objective wants to tell classes apart.
bool MeansClasses(ParamMap const& params) {
  auto const found = params.find("num_class");
  return params.count("objective") == 0 && found != params.end() && found->second != "0" && found->second != "1";
}

/// XGBoost's rule since 3.3: gbtree with parameters that leave trees out is dart.
bool MeansDropout(LearnerParam const& param, ParamMap const& params) {
  return param.booster == "gbtree" && ParseParameters<DartParam>(params).AsksForDropout();
}

/// \throws Error(kParameter) for classes that the objective has no outputs for.
void RequireClasses(Components const& parts) {
  auto const given = parts.effective.find("num_class");
  if (parts.objective->NumClasses() > 0 || given == parts.effective.end()) return;
  if (given->second == "0" || given->second == "1") return;
  Fail(ErrorKind::kParameter, "num_class=", given->second, " does not go with objective=", parts.param.objective,
       ", which tells no classes apart; use multi:softprob or multi:softmax, or leave num_class out.");
}

/// What a model file says of the parameters.
void DescribeIn(Components const& parts, ObjectiveState const& learnt_state, Model* model) {
  auto const& objective = *parts.objective;
  model->objective = parts.param.objective;
  model->objective_param_key = objective.ParamKey();
  model->objective_params = objective.SaveParams();
  model->objective_state = learnt_state;
  objective.PrepareState(&model->objective_state);
  model->booster = parts.param.booster;
  ParsePolicy(parts.param.unseen_category, &model->categories.unseen);  // nothing given: the model's stays
}

}  // namespace

std::string PredictorName(std::string const& booster, DeviceKind device) {
  if (booster == "gblinear") return "linear_predictor";
  return device == DeviceKind::kCuda ? "gpu_predictor" : "cpu_predictor";
}

Learner::Learner() : impl_(std::make_unique<Impl>()) {}

Learner::~Learner() = default;

std::shared_ptr<Components const> Learner::Impl::Resolve() const {
  std::lock_guard<std::mutex> const lock(mutex);
  if (components != nullptr) return components;
  auto parts = std::make_shared<Components>();
  parts->param = ParseParameters<LearnerParam>(params);
  if (params.count("verbosity") != 0) SetLogLevel(parts->param.verbosity);
  for (auto const& note : std::exchange(notes, {})) Log(LogLevel::kWarning, note);
  if (MeansClasses(params)) parts->param.objective = "multi:softmax";
  if (MeansDropout(parts->param, params)) parts->param.booster = "dart";
  parts->ctx.threads = parts->param.Threads();
  parts->ctx.seed = static_cast<std::uint64_t>(parts->param.seed);
  parts->ctx.device = FindDevice(params);
  CheckNames(parts->param.validate_parameters, &params);  // a plug-in has parameters of its own
  CheckUnusedValues(parts->param.booster, parts->param.objective, params);
  ParseBaseScore(parts->param.base_score);
  parts->objective = GetRegistries().objectives.Find(parts->param.objective).make(params);
  parts->effective = params;
  for (auto const& [name, value] : parts->objective->ParameterDefaults()) parts->effective.emplace(name, value);
  RequireClasses(*parts);
  parts->booster = GetRegistries().boosters.Find(parts->param.booster).make(parts->effective);
  RequireSameKind(model, parts->param.booster);
  RequireSameClasses(model, *parts);
  KeepLinearOnCpu(parts->param.booster, &parts->ctx.device);
  auto const predictor = PredictorName(parts->param.booster, parts->ctx.device.kind);
  parts->predictor = GetRegistries().predictors.Find(predictor).make(parts->effective);
  parts->metrics = MakeMetrics(&metric_names, *parts);
  DescribeIn(*parts, learnt_state, &model);
  if (model.NumIterations() == 0 && !intercept_ready) model.n_classes = parts->objective->NumClasses();
  components = std::move(parts);
  return components;
}

void Learner::Impl::ForgetResolved() {
  std::lock_guard<std::mutex> const lock(mutex);
  components.reset();
  compiled.reset();
  split_kinds = {};
}

std::unique_ptr<Learner::Impl> Learner::Impl::CopySettings() const {
  auto copy = std::make_unique<Impl>();
  copy->params = params;
  copy->metric_names = metric_names;
  copy->notes = notes;
  return copy;
}

void Learner::Impl::TakeSettings(Impl* other) {
  params.swap(other->params);
  metric_names.swap(other->metric_names);
  notes.swap(other->notes);
  std::swap(intercept_ready, other->intercept_ready);
  ForgetResolved();
}

void Learner::Impl::ForgetTraining() {
  if (engine != nullptr) engine->Clear();
  recoded.reset();
}

void Learner::SetParam(std::string const& name, std::string const& value) {
  if (name == "eval_metric") {
    auto& names = impl_->metric_names;
    if (!value.empty() && std::find(names.begin(), names.end(), value) == names.end()) names.push_back(value);
  } else {
    auto const adapted = AdaptParameter(name, value);
    if (!adapted.note.empty()) impl_->notes.push_back(adapted.note);
    if (!adapted.name.empty()) impl_->params[adapted.name] = adapted.value;
    if (adapted.name == "base_score") impl_->intercept_ready = false;
  }
  impl_->ForgetResolved();
}

void Learner::Configure() { impl_->Resolve(); }

int Learner::NumThreads() const { return impl_->Resolve()->ctx.threads; }

void Learner::AddData(std::shared_ptr<DataMatrix const> const& data) {
  auto& model = impl_->model;
  if (model.NumIterations() == 0) model.n_features = std::max(model.n_features, data->NumCols());
}

Model const& Learner::GetModel() const {
  impl_->Resolve();
  return impl_->model;
}

std::int64_t Learner::NumIterations() const { return impl_->model.NumIterations(); }

std::int64_t Learner::NumOutputs() const {
  impl_->Resolve();  // an untrained model does not know it otherwise
  return impl_->model.NumOutputs();
}

void Learner::Reset() { impl_->ForgetTraining(); }

std::map<std::string, std::string>& Learner::Attributes() { return impl_->model.attributes; }

std::map<std::string, std::string> const& Learner::Attributes() const { return impl_->model.attributes; }

void Learner::SetFeatureInfo(std::string const& field, std::vector<std::string> const& values) {
  auto const n_features = impl_->model.n_features;
  if (!values.empty() && n_features > 0 && static_cast<std::int64_t>(values.size()) != n_features) {
    Fail(ErrorKind::kParameter, "got ", values.size(), " values of ", field, " for a booster of ", n_features,
         " features.");
  }
  const_cast<std::vector<std::string>&>(FeatureInfo(field)) = values;
}

std::vector<std::string> const& Learner::FeatureInfo(std::string const& field) const {
  if (field == "feature_name") return impl_->model.feature_names;
  if (field == "feature_type") return impl_->model.feature_types;
  Fail(ErrorKind::kParameter, "unknown feature info '", field, "'; expected feature_name or feature_type.");
}

namespace {

/// A copy that costs what the trees do not. All members are named, so that a new one cannot be forgotten.
Model WithoutTrees(Model const& model) {
  auto const& [n_features, n_classes, n_targets, base_score, estimated, objective, param_key, params, state, booster,
               n_parallel, trees, output_of_tree, iteration_ptr, tree_weights, linear, feature_names, feature_types,
               categories, attributes] = model;
  return {n_features, n_classes, n_targets,     base_score,    estimated,  objective, param_key,
          params,     state,     booster,       n_parallel,    {},         {},        {0},
          {},         linear,    feature_names, feature_types, categories, attributes};
}

/// Of early stopping a slice knows what is still true: the first rounds of the model, with the best one among them.
void ForgetBestRound(IterationRange range, std::int64_t step, std::map<std::string, std::string>* attributes) {
  auto const best = attributes->find("best_iteration");
  if (best == attributes->end()) return;
  std::int64_t round = 0;
  auto const is_kept =
      range.begin == 0 && step == 1 && model_io::ParseInteger(best->second, &round) && round < range.end;
  if (is_kept) return;
  attributes->erase(best);
  attributes->erase("best_score");
}

}  // namespace

std::unique_ptr<Learner> Learner::Slice(IterationRange range, std::int64_t step) const {
  if (step < 1) Fail(ErrorKind::kParameter, "a slice needs a step of at least 1, got ", step, ".");
  std::lock_guard<std::mutex> const lock(impl_->mutex);  // another thread may resolve the parameters
  auto const& model = impl_->model;
  if (model.IsLinear()) Fail(ErrorKind::kParameter, "a linear booster has no rounds to slice; its weights are one.");
  model.TreesOf(range);  // checks the range
  auto const end = range.end == 0 ? model.NumIterations() : range.end;
  auto slice = std::make_unique<Learner>();
  slice->impl_ = impl_->CopySettings();
  slice->impl_->intercept_ready = impl_->intercept_ready;
  slice->impl_->learnt_state = impl_->learnt_state;
  auto& copy = slice->impl_->model;
  copy = WithoutTrees(model);
  for (auto iteration = range.begin; iteration < end; iteration += step) {
    auto const trees = model.TreesOf({iteration, iteration + 1});
    for (auto tree = trees.begin; tree < trees.end; ++tree) {
      copy.trees.push_back(model.trees[tree]);
      copy.output_of_tree.push_back(model.output_of_tree[tree]);
      if (!model.tree_weights.empty()) copy.tree_weights.push_back(model.TreeWeight(tree));
    }
    copy.iteration_ptr.push_back(static_cast<std::int64_t>(copy.trees.size()));
  }
  ForgetBestRound({range.begin, end}, step, &copy.attributes);
  return slice;
}

}  // namespace kauri
