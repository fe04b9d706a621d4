/// Boosting rounds and evaluation.
#include <array>
#include <cstdio>
#include <utility>

#include "booster/learner_impl.h"
#include "kauri/error.h"
#include "kauri/registry.h"

namespace kauri {

Engine* Learner::Impl::TheEngine(Components const& parts) {
  if (engine == nullptr) {
    engine = GetRegistries().engines.Find(parts.ctx.device.kind == DeviceKind::kCuda ? "cuda" : "cpu").make();
  }
  return engine.get();
}

void Learner::Impl::PrepareModel(Components const& parts, DataMatrix const& train, bool custom) {
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
  LearnCategories(parts, train);
  if (!intercept_ready) SetIntercept(parts, train, custom);
}

void Learner::Impl::SetIntercept(Components const& parts, DataMatrix const& train, bool custom) {
  auto const n_outputs = static_cast<std::size_t>(model.NumOutputs());
  auto const given = ParseBaseScore(parts.param.base_score);
  if (given.size() > 1 && given.size() != n_outputs) {
    Fail(ErrorKind::kParameter, "base_score has ", given.size(), " values for ", n_outputs,
         " outputs; give one number, or one per output.");
  }
  auto const before = model.base_score;
  model.base_score_estimated = given.empty();
  if (!given.empty()) {
    model.base_score = given.size() == n_outputs ? given : std::vector<float>(n_outputs, given[0]);
  } else if (custom) {
    model.base_score.assign(n_outputs, 0.5F);
  } else {
    model.base_score = parts.objective->EstimateBaseScore(parts.ctx, train.Info());
  }
  if (parts.param.booster == "gblinear") model.base_score.assign(n_outputs, model.base_score[0]);  // see StartMargins
  if (model.base_score != before) ForgetTraining();  // margins started from the old one
  intercept_ready = true;
}

void Learner::Impl::ValidateTrainingData(Components const& parts, DataMatrix const& train, bool custom) {
  if (train.NumRows() == 0) {
    Fail(ErrorKind::kData, "the training data have 0 rows and ", train.NumCols(),
         " features; there is nothing to learn from.");
  }
  if (custom || (checked_data == train.Id() && checked_revision == train.InfoRevision())) return;
  parts.objective->ValidateInfo(train.Info());
  checked_data = train.Id();
  checked_revision = train.InfoRevision();
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
  ValidateTrainingData(*parts, *train, custom);
  auto const updates = parts->booster->UpdatesTrees();
  if (updates) RequireScalarLeaves(updated == nullptr ? model : *updated);
  if (!updates) updated.reset();
  auto* const session = TheEngine(*parts);
  try {
    if (updates) PrepareUpdate();
    auto const data = InCategoriesOfModel(*parts, train);
    PrepareModel(*parts, *data, custom);
    CheckDeviceCategories(*parts, *data);
    auto const dropped = parts->booster->DroppedTrees(parts->ctx, model);
    session->UpdateMargins(parts->ctx, data, model, *parts->predictor, StartMargins(*parts), dropped);
    set_gradients(*parts, *data);
    if (updates) {
      parts->booster->UpdateRound(parts->ctx, *data, *updated, *parts->predictor, session, &model);
    } else {
      parts->booster->BoostRound(parts->ctx, *data, iteration, session, &model);
    }
  } catch (...) {
    ForgetTraining();  // margins may hold trees of a round that never came to be
    GiveUpUpdate();
    throw;
  }
}

void Learner::UpdateOneIteration(std::shared_ptr<DataMatrix const> const& train, std::int64_t iteration) {
  auto state = GetModel().objective_state;
  impl_->BoostRound(train, iteration, false, [&](Components const& parts, DataMatrix const& data) {
    auto const learning = parts.objective->Learning(&state);
    auto const& objective = learning == nullptr ? *parts.objective : *learning;
    impl_->engine->ComputeGradients(parts.ctx, data, objective, iteration);
  });
  impl_->model.objective_state = std::move(state);
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
    impl_->engine->SetDeviceGradients(parts.ctx, data, gradients, hessians);
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
    impl_->CheckDeviceCategories(*parts, *set.data);
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
