/// Rounds of training, and predictions and metrics computed from the margins cached by training.
#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "booster/boosters/finite_check.h"
#include "booster/config/components.h"
#include "booster/config/configuration.h"
#include "booster/config/group.h"
#include "booster/learner.h"
#include "booster/model/column_fit.h"
#include "booster/model/model_fit.h"
#include "booster/model/trained_model.h"
#include "booster/support/training_support.h"
#include "booster/training/training.h"
#include "collective/reduce.h"
#include "common/text/log.h"
#include "data/info_memo.h"
#include "data/meta_info.h"
#include "kauri/data_matrix.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// Prepares a round of process_type=update, which removes the model's rounds and restores them one by one.
/// \throws Error(kParameter) unless a round is left.
void ContinueUpdate(ModelDraft* draft, Training* training) {
  if (draft->Updated() == nullptr) {
    auto const& model = draft->Get();
    if (model.trees.empty()) {
      Fail(ErrorKind::kParameter, "process_type=update changes the trees of a model, and the booster has none; ",
           "load a model first, or use process_type=default.");
    }
    draft->BeginUpdate();
    training->ForgetData();
  }
  auto const n_rounds = draft->Updated()->NumIterations();
  if (draft->Get().NumIterations() < n_rounds) return;
  Fail(ErrorKind::kParameter, "process_type=update has changed all ", n_rounds, " rounds of the model; ",
       "boost no more rounds than it has, or load it again to change it once more.");
}

/// Warns if rounds are still to be restored. updated: as ModelDraft::Updated.
void WarnOfPartialUpdate(Model const& model, Model const* updated) {
  if (updated == nullptr || model.NumIterations() >= updated->NumIterations()) return;
  Log(LogLevel::kWarning, "process_type=update has changed ", model.NumIterations(), " of the model's ",
      updated->NumIterations(), " rounds, and the others are not in it any more; boost as many rounds as it had, or ",
      "take a slice of it first.");
}

/// Returns what a round of process_type=update asks for, which changes the trees of `model`.
Request AskedByUpdate(Model const& model) {
  Request request;
  request.features.AddIf(model.HasLinearLeaves(), Feature::kLinearModel);
  request.features.AddIf(model.HasVectorLeaves(), Feature::kVectorModel);
  request.features.AddIf(!model.tree_weights.empty(), Feature::kWeightedModel);
  return request;
}

/// Returns what the gradients and the process ranks of a round ask for.
Request AskedByRound(Components const& parts, RoundGradients const& gradients) {
  Request request;
  request.features.AddIf(IsDistributed(parts.ctx), Feature::kRanks);
  request.features.AddIf(std::holds_alternative<SplitGradients>(gradients), Feature::kSplitGradients);
  request.features.AddIf(!std::holds_alternative<ObjectiveGradients>(gradients), Feature::kCustomGradients);
  if (auto const* const loss = parts.booster->OwnLoss()) request.words.emplace("own_loss", loss->Name());
  return request;
}

/// Returns the objective of the gradients that the library computes.
Objective const& LossOf(Components const& parts) {
  auto const* const own = parts.booster->OwnLoss();
  return own == nullptr ? *parts.objective : *own;
}

/// Returns whether the caller passed the gradients of the round, so that the objective does not compute them.
bool AreOfCaller(RoundGradients const& gradients) { return !std::holds_alternative<ObjectiveGradients>(gradients); }

/// Sets the engine's gradients of a round. The objective may train its state on the way; the draft receives it.
void SetGradients(Components const& parts, DataMatrix const& data, std::int64_t iteration,
                  RoundGradients const& gradients, Engine* engine, ModelDraft* draft) {
  if (auto const* pairs = std::get_if<Span<GradientPair const>>(&gradients)) {
    return engine->SetGradients(parts.ctx, data, *pairs);
  }
  if (auto const* split = std::get_if<SplitGradients>(&gradients)) {
    return engine->SetSplitGradients(parts.ctx, data, *split);
  }
  if (auto const* on_device = std::get_if<DeviceGradients>(&gradients)) {
    auto* const side = engine->OnDevice();
    if (side == nullptr)
      Fail(ErrorKind::kInternal, "expected gradients in host memory for a CPU engine, got gradients in device memory");
    return side->SetDeviceGradients(parts.ctx, data, on_device->gradients, on_device->hessians);
  }
  auto state = draft->Get().objective_state;
  auto const learning = parts.objective->Learning(&state);
  auto const* const of_round = parts.booster->OwnLoss() != nullptr ? parts.booster->OwnLoss() : learning.get();
  engine->ComputeGradients(parts.ctx, data, of_round == nullptr ? *parts.objective : *of_round, iteration);
  draft->SetObjectiveState(std::move(state));
}

/// Returns the number of outputs of the data and the objective. If they have one and the caller provides the gradients,
/// num_target decides. \throws Error(kParameter) if both differ, or if the objective would train only one output.
std::int64_t NumTargets(Components const& parts, MetaInfo const& train, bool custom) {
  auto const found = parts.objective->NumOutputs(train);
  auto const given = parts.param.num_target;
  if (given == 1 || given == found) return found;
  if (found == 1 && custom) return given;
  Fail(ErrorKind::kParameter, "Inconsistent configuration of the `num_target`: it is ", given, ", but ", found,
       " outputs follow from the label columns (", train.n_targets, ") and objective=", parts.param.objective,
       "; leave num_target out, or give the data as many label columns.");
}

/// Sets the sizes of an untrained model, and checks those of a trained one. custom: the caller provides the gradients.
/// \throws Error(kData) when `train` has other features or needs other outputs than the model has.
void SettleSizes(Components const& parts, DataMatrix const& train, bool custom, ModelDraft* draft) {
  if (draft->IsUntrained()) {
    auto* const model = draft->Edit();
    model->n_features = train.NumCols();
    model->n_classes = parts.objective->NumClasses();
    auto const n_targets = model->n_classes > 0 ? 1 : NumTargets(parts, train.Info(), custom);
    model->n_targets = static_cast<std::int64_t>(MaxOverRanks(parts.ctx, static_cast<std::uint64_t>(n_targets)));
    if (draft->HasIntercept()) model->base_score.resize(ToSize(model->NumOutputs()), model->base_score.at(0));
  }
  auto const& model = draft->Get();
  auto const has_rows = train.NumRows() > 0 || !IsDistributed(parts.ctx);  // labels give the number of outputs
  if (!custom && has_rows) RequireSameOutputs(model, parts, train.Info());
  if (model.n_features != train.NumCols()) {
    Fail(ErrorKind::kData, "the training data have ", train.NumCols(), " features, the booster ", model.n_features,
         "; continue training with the features that it was trained on.");
  }
}

std::vector<float> BaseScoreOf(Components const& parts, DataMatrix const& train, bool custom, std::size_t n_outputs) {
  auto given = BaseScoresOf(parts.param.base_score, n_outputs);
  if (!given.empty()) return given;
  if (custom) return std::vector<float>(n_outputs, 0.5F);
  if (parts.booster->OwnLoss() != nullptr) return std::vector<float>(n_outputs, 0.0F);
  auto const estimate = [&] { return parts.objective->EstimateBaseScore(parts.ctx, train.Info()); };
  auto const estimated =
      IsDistributed(parts.ctx)
          ? estimate()
          : train.Memo().Get(train.InfoRevision(), "base score\n" + ParametersAsText(parts.effective), estimate);
  RequireFiniteIntercept(estimated);
  return estimated;
}

/// Sets the base score: the user's, else the objective's estimate, or 0.5 if the caller provides the gradients.
void SettleIntercept(Components const& parts, DataMatrix const& train, bool custom, ModelDraft* draft) {
  auto const n_outputs = static_cast<std::size_t>(draft->Get().NumOutputs());
  auto base_score = BaseScoreOf(parts, train, custom, n_outputs);
  if (parts.param.booster == "gblinear") base_score.assign(n_outputs, base_score[0]);  // see StartMargins
  auto const is_estimated = ParseBaseScore(parts.param.base_score).empty();
  draft->SetHasIntercept(true);
  if (base_score == draft->Get().base_score && is_estimated == draft->Get().base_score_estimated) return;
  auto* const model = draft->Edit();
  model->base_score = std::move(base_score);
  model->base_score_estimated = is_estimated;
}

}  // namespace

std::shared_ptr<DataMatrix const> Learner::Prepare(Components const& parts,
                                                   std::shared_ptr<DataMatrix const> const& train, bool custom,
                                                   ModelDraft* draft) {
  auto data = training_->InCategoriesOf(*draft, parts.ctx, train);
  SettleSizes(parts, *data, custom, draft);
  if (LearnCategories(parts.ctx, *data, draft)) training_->ForgetData();
  if (!draft->HasIntercept()) SettleIntercept(parts, *data, custom, draft);
  return data;
}

void Learner::CheckRound(std::shared_ptr<Components const> const& parts, DataMatrix const& train, Request const& asked,
                         ModelDraft* draft) {
  parts->support->Require(asked);
  training_->Validate(parts, train, asked.features.Has(Feature::kCustomGradients));
  training_->Agree(parts, train, draft->Get());
  CheckTrainingNames(draft->Get(), train.Info());
  if (parts->booster->UpdatesTrees()) {
    training_->CheckKinds(draft->Get(), train, "the training data");
    parts->support->Require(AskedByUpdate(draft->Updated() == nullptr ? draft->Get() : *draft->Updated()));
  } else {
    training_->CheckKindsOfTraining(draft->Get(), train);
    WarnOfPartialUpdate(draft->Get(), draft->Updated());
    draft->EndUpdate();
  }
}

void Learner::BoostRound(std::shared_ptr<DataMatrix const> const& train, std::int64_t iteration,
                         RoundGradients const& gradients) {
  auto const parts = configuration_->Resolve();
  auto const& ctx = parts->ctx;
  auto const& booster = *parts->booster;
  InGroup(ctx, [&] {
    auto draft = model_->MakeDraft(parts);
    auto const asked = AskedByRound(*parts, gradients);
    CheckRound(parts, *train, asked, &draft);
    auto* const engine = training_->EngineFor(*parts);
    try {
      if (booster.UpdatesTrees()) ContinueUpdate(&draft, training_.get());
      auto const known = Prepare(*parts, train, AreOfCaller(gradients), &draft);
      SettleEncoding(*parts, *known, asked, training_->Ordered(), &draft);
      if (parts->client.habits == Habits::kKauri) AdoptColumnLabels(train->Info(), &draft);
      auto const& model = draft.Get();
      auto const data = training_->Ordered()->For(ctx, known, model, iteration);
      parts->support->RequireData(asked, *data, LossOf(*parts), model.NumOutputs());
      auto const dropped = booster.DroppedTrees(ctx, model);
      engine->UpdateMargins(ctx, data, model, *parts->predictor, StartMargins(*parts, model), dropped);
      SetGradients(*parts, *data, iteration, gradients, engine, &draft);
      auto round = booster.UpdatesTrees()
                       ? booster.UpdateRound(ctx, *data, model, *draft.Updated(), *parts->predictor, engine)
                       : booster.BoostRound(ctx, *data, model, iteration, engine);
      model_->Commit(std::move(draft), std::move(round));
      engine->FinishRound(*data, model_->AsTrained());
      configuration_->KeepDefaultMetric();
    } catch (...) {
      training_->ForgetData();  // margins may hold trees of the round
      throw;
    }
  });
}

void Learner::WarnOfLostRounds() const { WarnOfPartialUpdate(model_->AsTrained(), model_->Updated()); }

void Learner::EndTraining() {
  auto const ready = Ready();
  WarnOfLostRounds();
  auto const& ctx = ready->Parts()->ctx;
  InGroup(ctx, [&] { RequireSameModel(ctx, ready->GetModel()); });
}

std::vector<EvaluationResult> Learner::Evaluate(std::vector<NamedData> const& sets) {
  configuration_->KeepDefaultMetric();
  auto const ready = Ready();
  auto const& parts = *ready->Parts();
  auto const& model = ready->GetModel();
  auto const start = StartMargins(parts, model);
  auto* const engine = training_->EngineFor(parts);
  std::vector<EvaluationResult> results;
  std::vector<DataMatrix const*> matrices;
  auto const check = [&](NamedData const& set) {
    auto const& info = set.data->Info();
    DataInWords const words{"evaluation set '" + set.name + "'", "has"};
    CheckColumnFit(model, ToEvaluate(DeclaredColumns::Of(info), parts.client), info.n_cols, words);
    ValidateInfo(info);
    matrices.push_back(set.data.get());
  };
  auto const evaluate = [&](NamedData const& set) {
    training_->CheckKinds(model, *set.data, "evaluation set '" + set.name + "'");
    engine->UpdateMargins(parts.ctx, set.data, model, *parts.predictor, start, {});
    auto const values = engine->Evaluate(parts.ctx, *set.data, *parts.objective, parts.metrics);
    for (std::size_t i = 0; i < values.size(); ++i) {
      results.push_back({set.name, parts.metrics[i]->Name(), values[i], parts.metrics[i]->HigherIsBetter()});
    }
  };
  InGroup(parts.ctx, [&] {
    std::for_each(sets.begin(), sets.end(), check);
    training_->AgreeOnSets(parts.ctx, matrices);
    std::for_each(sets.begin(), sets.end(), evaluate);
  });
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

Engine* Learner::UpdateMargins(std::shared_ptr<DataMatrix const> const& data, PredictOptions const& options) {
  auto const parts = configuration_->Resolve();
  auto draft = model_->MakeDraft(parts);
  if (!draft.HasIntercept()) {
    InGroup(parts->ctx, [&] { Prepare(*parts, data, true, &draft); });
    draft.SetHasIntercept(false);  // a first round of the built-in objective still estimates it
  }
  auto const& model = draft.Get();
  CheckPredictable(model);
  auto const columns = ToPredict(options.Compared(DeclaredColumns::Of(data->Info())), parts->client);
  CheckColumnFit(model, columns, data->NumCols(), {});
  training_->CheckKinds(model, *data, "the data");
  auto* const engine = training_->EngineFor(*parts);
  auto const dropped = parts->booster->DroppedTrees(parts->ctx, model);  // also for a custom objective's gradients
  engine->UpdateMargins(parts->ctx, data, model, *parts->predictor, StartMargins(*parts, model), dropped);
  if (draft.IsEdited()) model_->Commit(std::move(draft));
  return engine;
}

Prediction Learner::PredictTraining(std::shared_ptr<DataMatrix const> const& data, PredictOptions const& options) {
  if (!IsOfCachedMargins(options)) {
    auto const view = data->View();
    return Predict(*Ready(), {*view, data->Info().base_margin, DeclaredColumns::Of(data->Info())}, options);
  }
  auto* const engine = UpdateMargins(data, options);
  return Finish(*Ready(), options, {}, data->NumRows(), engine->Margins(*data));
}

DevicePrediction Learner::PredictTrainingOnDevice(std::shared_ptr<DataMatrix const> const& data,
                                                  PredictOptions const& options) {
  auto const rows = DeviceRowsOf(*data);
  if (!IsOfCachedMargins(options)) return PredictOnDevice(*Ready(), rows, options);
  auto* const engine = UpdateMargins(data, options);
  auto const ready = Ready();
  auto const& parts = *ready->Parts();
  auto const n_outputs = ready->GetModel().NumOutputs();
  auto const is_value = options.kind == PredictKind::kValue;
  if (!is_value || parts.objective->ValueWidth(n_outputs) == n_outputs) {
    auto const* objective = is_value ? parts.objective.get() : nullptr;
    if (auto* const on_device = engine->OnDevice()) {
      return {on_device->DevicePredictions(parts.ctx, *data, objective),
              ShapeOf(ready->GetModel(), options, {}, data->NumRows(), n_outputs)};
    }
  }
  return UploadPrediction(Finish(*ready, options, {}, data->NumRows(), engine->Margins(*data)),
                          rows.storage.Layout().device);
}

}  // namespace kauri
