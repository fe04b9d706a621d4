#include "booster/model/ready_model.h"

#include <utility>

#include "booster/model/column_fit.h"
#include "booster/model/model_fit.h"
#include "kauri/error.h"

namespace kauri {

std::vector<float> StartMargins(Components const& parts, Model const& model) {
  auto const n_outputs = static_cast<std::size_t>(model.NumOutputs());
  auto scores = model.base_score;
  if (scores.size() == 1) scores.assign(n_outputs, scores[0]);
  if (scores.size() != n_outputs) {
    Fail(ErrorKind::kModel, "the model has ", scores.size(), " base scores for ", n_outputs, " outputs.");
  }
  // XGBoost starts every output of a linear model from the first base score; the biases learn the rest.
  if (parts.param.booster == "gblinear") scores.assign(n_outputs, scores[0]);
  return parts.objective->StartMargins(scores);
}

std::shared_ptr<CompiledModel const> ReadyModel::Compiled() const {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (compiled_ == nullptr) compiled_ = parts_->predictor->Compile(parts_->ctx, *model_, model_->TreesOf({}));
  return compiled_;
}

std::shared_ptr<CompiledModel const> ReadyModel::CompiledForCpu() const {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (compiled_for_cpu_ == nullptr) {
    compiled_for_cpu_ = CpuPredictorOf(parts_, "")->Compile(parts_->ctx, *model_, model_->TreesOf({}));
  }
  return compiled_for_cpu_;
}

void ReadyModel::CheckColumns(DeclaredColumns const& given, std::int64_t n_cols, DataInWords const& words) const {
  auto const data = ToPredict(given, parts_->client);
  CheckPredictable(*model_);
  CheckColumnFit(*model_, data, n_cols, words);
  auto const lacks_names = (data.is_frame || data.may_name_categories) && !model_->categories.names.empty();
  if (data.types.empty() && data.categories.empty() && !lacks_names) return;
  std::lock_guard<std::mutex> const lock(mutex_);
  kinds_.Update(*model_);
  CheckColumnKinds(*model_, kinds_, data, words.noun);
}

ModelPredictor PredictorFor(ReadyModel const& ready, PredictKind kind, bool against_background,
                            std::string const& shap_method) {
  auto const& parts = ready.Parts();
  auto predictor = PredictorOf(parts, shap_method);
  if (predictor->Computes(kind, against_background)) return {std::move(predictor), ready.Compiled()};
  return {CpuPredictorOf(parts, shap_method), ready.CompiledForCpu()};
}

ModelPredictor PredictorForSets(ReadyModel const& ready) {
  auto predictor = PredictorOf(ready.Parts(), "");
  if (predictor->ComputesSets()) return {std::move(predictor), ready.Compiled()};
  return {CpuPredictorOf(ready.Parts(), ""), ready.CompiledForCpu()};
}

}  // namespace kauri
