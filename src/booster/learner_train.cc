/// Boosting rounds and evaluation.
#include <array>
#include <cstdio>
#include <utility>

#include "booster/finite_check.h"
#include "booster/learner_undo.h"
#include "data/meta_info.h"
#include "kauri/error.h"
#include "kauri/registry.h"

namespace kauri {

Engine* Learner::Impl::TheEngine(Components const& parts) {
  auto const device = parts.ctx.device.kind;
  if (engine == nullptr || engine_device != device) {
    engine = GetRegistries().engines.Find(device == DeviceKind::kCuda ? "cuda" : "cpu").make();
    engine_device = device;
  }
  return engine.get();
}

void Learner::Impl::PrepareModel(Components const& parts, DataMatrix const& train, bool custom, Undo* undo) {
  if (model.NumIterations() == 0 && updated == nullptr) {
    model.n_features = train.NumCols();
    model.n_classes = parts.objective->NumClasses();
    model.n_targets = model.n_classes > 0 ? 1 : parts.objective->NumOutputs(train.Info());
  }
  if (!custom) RequireSameOutputs(model, parts, train.Info());
  if (model.n_features != train.NumCols()) {
    Fail(ErrorKind::kData, "the training data have ", train.NumCols(), " features, the booster ", model.n_features,
         "; continue training with the features that it was trained on.");
  }
  LearnCategories(parts, train, undo);
  if (!intercept_ready) SetIntercept(parts, train, custom);
}

void Learner::Impl::SetIntercept(Components const& parts, DataMatrix const& train, bool custom) {
  auto const n_outputs = static_cast<std::size_t>(model.NumOutputs());
  auto const given = ParseBaseScore(parts.param.base_score);
  if (given.size() > 1 && given.size() != n_outputs) {
    Fail(ErrorKind::kParameter, "base_score has ", given.size(), " values for ", n_outputs,
         " outputs; give one number, or one per output.");
  }
  if (!given.empty()) {
    model.base_score = given.size() == n_outputs ? given : std::vector<float>(n_outputs, given[0]);
  } else if (custom) {
    model.base_score.assign(n_outputs, 0.5F);
  } else {
    auto estimated = parts.objective->EstimateBaseScore(parts.ctx, train.Info());
    RequireFiniteIntercept(estimated);
    model.base_score = std::move(estimated);
  }
  model.base_score_estimated = given.empty();
  if (parts.param.booster == "gblinear") model.base_score.assign(n_outputs, model.base_score[0]);  // see StartMargins
  intercept_ready = true;
}

void Learner::Impl::ValidateTrainingData(std::shared_ptr<Components const> const& parts, DataMatrix const& train,
                                         bool custom) {
  if (train.NumRows() == 0) {
    Fail(ErrorKind::kData, "the training data have 0 rows and ", train.NumCols(),
         " features; there is nothing to learn from.");
  }
  auto const stamp = DataStamp::Of(train);
  if (!(fitting == stamp)) ValidateInfo(train.Info());
  fitting = stamp;
  if (custom || (checked == stamp && checked_by == parts)) return;
  parts->objective->ValidateInfo(train.Info());
  checked = stamp;
  checked_by = parts;
}

namespace {

void RequireScalarLeaves(Model const& model) {
  if (!model.HasVectorLeaves()) return;
  Fail(ErrorKind::kModel, "process_type=update: the model has trees with vector leaves ",
       "(multi_strategy=multi_output_tree), which no updater changes; train a new model, or add rounds to this one ",
       "with process_type=default.");
}

}  // namespace

template <typename SetGradients>
void Learner::Impl::BoostRound(std::shared_ptr<DataMatrix const> const& train, std::int64_t iteration, bool custom,
                               SetGradients&& set_gradients) {
  auto const parts = Resolve();
  parts->booster->RequireTraining();
  ValidateTrainingData(parts, *train, custom);
  auto const updates = parts->booster->UpdatesTrees();
  CheckTrainingColumns(*train, updates);
  if (updates) RequireScalarLeaves(updated == nullptr ? model : *updated);
  auto* const session = TheEngine(*parts);
  Undo undo(this);
  if (updates) PrepareUpdate(&undo);
  if (!updates) updated.reset();
  auto const data = InCategoriesOfModel(*parts, train);
  PrepareModel(*parts, *data, custom, &undo);
  auto const dropped = parts->booster->DroppedTrees(parts->ctx, model);
  session->UpdateMargins(parts->ctx, data, model, *parts->predictor, StartMargins(*parts), dropped);
  set_gradients(*parts, *data);
  if (updates) {
    parts->booster->UpdateRound(parts->ctx, *data, *updated, *parts->predictor, session, &model);
  } else {
    parts->booster->BoostRound(parts->ctx, *data, iteration, session, &model);
  }
  undo.Commit();
}

void Learner::UpdateOneIteration(std::shared_ptr<DataMatrix const> const& train, std::int64_t iteration) {
  auto state = GetModel().objective_state;
  impl_->BoostRound(train, iteration, false, [&](Components const& parts, DataMatrix const& data) {
    auto const learning = parts.objective->Learning(&state);
    auto const& objective = learning == nullptr ? *parts.objective : *learning;
    impl_->engine->ComputeGradients(parts.ctx, data, objective, iteration);
  });
  impl_->model.objective_state = state;
  impl_->learnt_state = std::move(state);
}

void Learner::BoostOneIteration(std::shared_ptr<DataMatrix const> const& train, Span<GradientPair const> gradients,
                                std::int64_t iteration) {
  impl_->BoostRound(train, iteration, true, [&](Components const& parts, DataMatrix const& data) {
    impl_->engine->SetGradients(parts.ctx, data, gradients);
  });
}

bool Learner::TrainsOnDevice() const { return impl_->Resolve()->ctx.device.kind == DeviceKind::kCuda; }

void Learner::BoostOneIteration(std::shared_ptr<DataMatrix const> const& train, DeviceArray const& gradients,
                                DeviceArray const& hessians, std::int64_t iteration) {
  impl_->BoostRound(train, iteration, true, [&](Components const& parts, DataMatrix const& data) {
    auto* const on_device = impl_->engine->OnDevice();
    if (on_device == nullptr)
      Fail(ErrorKind::kInternal, "gradients in device memory were given to an engine in host memory");
    on_device->SetDeviceGradients(parts.ctx, data, gradients, hessians);
  });
}

std::vector<EvaluationResult> Learner::Evaluate(std::vector<NamedData> const& sets) {
  auto const parts = impl_->Resolve();
  auto const start = impl_->StartMargins(*parts);
  auto* const engine = impl_->TheEngine(*parts);
  std::vector<EvaluationResult> results;
  for (auto const& set : sets) {
    if (set.data->NumCols() > impl_->model.n_features) {
      Fail(ErrorKind::kData, "evaluation set '", set.name, "' has ", set.data->NumCols(), " features, the booster ",
           impl_->model.n_features, ".");
    }
    ValidateInfo(set.data->Info());
    impl_->CheckColumns(DeclaredColumns::Of(set.data->Info()), "evaluation set '" + set.name + "'");
    engine->UpdateMargins(parts->ctx, set.data, impl_->model, *parts->predictor, start, {});
    auto const values = engine->Evaluate(parts->ctx, *set.data, *parts->objective, parts->metrics);
    for (std::size_t i = 0; i < values.size(); ++i) {
      results.push_back({set.name, parts->metrics[i]->Name(), values[i], parts->metrics[i]->HigherIsBetter()});
    }
  }
  return results;
}

std::string Learner::FormatEvaluation(std::int64_t iteration, std::vector<EvaluationResult> const& results) {
  auto line = "[" + std::to_string(iteration) + "]";
  for (auto const& result : results) {
    std::array<char, 400> value{};  // %.17f of the largest double takes 328 characters
    std::snprintf(value.data(), value.size(), "%.17f", result.value);
    line += "\t" + result.data_name + "-" + result.metric + ":" + value.data();
  }
  return line;
}

}  // namespace kauri
