/// The short functions of a Learner: parameters, data, and queries of the model.
#include "booster/learner.h"

#include <string>
#include <utility>

#include "booster/config/configuration.h"
#include "booster/config/group.h"
#include "booster/model/column_fit.h"
#include "booster/model/model_copies.h"
#include "booster/model/trained_model.h"
#include "booster/training/training.h"
#include "kauri/error.h"

namespace kauri {

Learner::Learner(Client const& client)
    : configuration_(std::make_unique<Configuration>(client)),
      model_(std::make_unique<TrainedModel>()),
      training_(std::make_unique<Training>()) {}

Learner::Learner(Configuration const& settings)
    : configuration_(std::make_unique<Configuration>(settings)),
      model_(std::make_unique<TrainedModel>()),
      training_(std::make_unique<Training>()) {}

Learner::~Learner() = default;

void Learner::SetParam(std::string const& name, std::string const& value) {
  if (configuration_->Set(name, value) != "base_score") return;
  auto const is_unset = value.empty() && NumIterations() > 0;
  if (NumIterations() > 0) configuration_->NoteBaseScore(model_->AsTrained());
  model_->SetHasIntercept(is_unset);  // a model with rounds keeps the base score that its trees were built upon
}

void Learner::SettleParams() { configuration_->Settle(); }

void Learner::SetCollective(std::shared_ptr<Collective> collective) {
  configuration_->SetCollective(std::move(collective));
  training_->ForgetData();  // bins and units came from the rows of the previous ranks
}

void Learner::Configure() const { Ready(); }

std::shared_ptr<ReadyModel const> Learner::Ready() const { return model_->Ready(configuration_->Resolve()); }

void Learner::CountRows(DataMatrix const& data) {
  auto const ready = Ready();
  InGroup(ready->Parts()->ctx, [&] { model_->SetRowCounts(kauri::CountRows(*ready, data)); });
}

void Learner::AddData(std::shared_ptr<DataMatrix const> const& data) {
  if (NumIterations() == 0) model_->RaiseNumFeatures(data->NumCols());
}

Model const& Learner::GetModel() const { return Ready()->GetModel(); }

std::int64_t Learner::NumIterations() const { return model_->AsTrained().NumIterations(); }

void Learner::Reset() { training_->ForgetData(); }

std::map<std::string, std::string>& Learner::Attributes() { return model_->Edit()->attributes; }

std::map<std::string, std::string> const& Learner::Attributes() const { return model_->AsTrained().attributes; }

namespace {

/// Returns the field of a model that a name in the C ABI stands for.
std::vector<std::string> Model::*FeatureField(std::string const& name) {
  if (name == "feature_name") return &Model::feature_names;
  if (name == "feature_type") return &Model::feature_types;
  Fail(ErrorKind::kParameter, "unknown feature info '", name, "'; expected feature_name or feature_type.");
}

}  // namespace

void Learner::SetFeatureInfo(std::string const& field, std::vector<std::string> const& values) {
  auto const member = FeatureField(field);
  auto const is_free = configuration_->GetClient().habits == Habits::kXgboost;
  if (!is_free) CheckColumnLabels(model_->AsTrained(), field, values);
  auto copy = values;
  (model_->Edit()->*member).swap(copy);
}

void Learner::CheckColumns(DataMatrix const& data) const {
  auto const& info = data.Info();
  if (NumIterations() == 0) return CheckTrainingNames(model_->AsTrained(), info);
  Ready()->CheckColumns(DeclaredColumns::Of(info).With(*data.View()), info.n_cols);
}

std::vector<std::string> const& Learner::FeatureInfo(std::string const& field) const {
  return model_->AsTrained().*FeatureField(field);
}

std::unique_ptr<Learner> Learner::Slice(IterationRange range, std::int64_t step) const {
  std::unique_ptr<Learner> slice(new Learner(*configuration_));
  slice->model_ = std::make_unique<TrainedModel>(*model_, SliceOf(model_->AsTrained(), range, step));
  return slice;
}

std::unique_ptr<Learner> Learner::Average(std::vector<Learner const*> const& learners) {
  std::vector<Model const*> models;
  for (auto const* learner : learners) models.push_back(&learner->GetModel());  // includes the objective as set now
  auto model = AverageOf(models);
  auto const& first = *learners.front();
  std::unique_ptr<Learner> average(new Learner(*first.configuration_));
  average->SetParam("num_parallel_tree", std::to_string(model.n_parallel_trees));
  average->model_ = std::make_unique<TrainedModel>(*first.model_, std::move(model));
  return average;
}

std::unique_ptr<Learner> Learner::Untrained(ParamMap const& params) const {
  auto learner = std::make_unique<Learner>(configuration_->GetClient());
  for (auto const& [name, value] : params) learner->SetParam(name, value);
  return learner;
}

}  // namespace kauri
