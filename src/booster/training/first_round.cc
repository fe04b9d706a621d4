#include "booster/training/first_round.h"

#include <utility>
#include <vector>

#include "booster/boosters/finite_check.h"
#include "booster/model/model_fit.h"
#include "collective/reduce.h"
#include "kauri/error.h"

namespace kauri {

namespace {

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

}  // namespace

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

namespace {

std::vector<float> BaseScoreOf(Components const& parts, DataMatrix const& train, bool custom, std::size_t n_outputs) {
  auto given = BaseScoresOf(parts.param.base_score, n_outputs);
  if (!given.empty()) return given;
  if (custom) return std::vector<float>(n_outputs, 0.5F);
  if (parts.booster->OwnLoss() != nullptr) return std::vector<float>(n_outputs, 0.0F);
  auto estimated = parts.objective->EstimateBaseScore(parts.ctx, train.Info());
  RequireFiniteIntercept(estimated);
  return estimated;
}

}  // namespace

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

}  // namespace kauri
