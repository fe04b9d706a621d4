#include "booster/ready_model.h"

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

void ReadyModel::CheckColumns(DeclaredColumns const& data, std::string const& what) const {
  auto const lacks_names = data.is_frame && !model_->categories.names.empty();
  if (data.types.empty() && data.names.empty() && !lacks_names) return;
  std::lock_guard<std::mutex> const lock(mutex_);
  kinds_.Update(*model_);
  CheckColumnKinds(*model_, kinds_, data, what);
}

}  // namespace kauri
