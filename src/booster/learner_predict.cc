/// Prediction: margins from the predictor, values from the objective, shapes as the C ABI reports them.
#include <algorithm>
#include <optional>
#include <utility>

#include "booster/learner_undo.h"
#include "data/categories/category_view.h"
#include "data/meta_info.h"
#include "kauri/error.h"
#include "kauri/registry.h"

namespace kauri {

void CheckPredictable(Model const& model, std::int64_t n_cols) {
  if (model.n_features == 0) {
    Fail(ErrorKind::kModel, "the booster has no model yet; train it or load one before predicting.");
  }
  if (n_cols > model.n_features) {
    Fail(ErrorKind::kData, "the data have ", n_cols, " features, the model ", model.n_features,
         "; drop the features that the model does not know.");
  }
}

std::vector<std::uint64_t> ShapeOf(Model const& model, PredictOptions const& options, TreeRange trees,
                                   std::int64_t n_rows, std::int64_t value_width) {
  auto const rows = static_cast<std::uint64_t>(n_rows);
  auto const outputs = static_cast<std::uint64_t>(model.NumOutputs());
  auto const columns = static_cast<std::uint64_t>(model.n_features) + 1;
  auto const strict = options.strict_shape;
  auto const with_outputs = [&](std::vector<std::uint64_t> tail) {
    std::vector<std::uint64_t> shape{rows};
    if (strict || outputs > 1) shape.push_back(outputs);
    shape.insert(shape.end(), tail.begin(), tail.end());
    return shape;
  };
  switch (options.kind) {
    case PredictKind::kValue:
    case PredictKind::kMargin:
      if (value_width > 1 || strict) return {rows, static_cast<std::uint64_t>(value_width)};
      return {rows};
    case PredictKind::kContribution:
    case PredictKind::kApproxContribution:
    case PredictKind::kBanzhaf:
      return with_outputs({columns});
    case PredictKind::kInteraction:
    case PredictKind::kApproxInteraction:
    case PredictKind::kTaylorInteraction:
      return with_outputs({columns, columns});
    case PredictKind::kLeaf:
      break;
  }
  auto const n_trees = static_cast<std::uint64_t>(trees.end - trees.begin);
  auto const parallel = static_cast<std::uint64_t>(std::max<std::int64_t>(model.n_parallel_trees, 1));
  auto const groups = model.HasVectorLeaves() ? 1 : outputs;
  if (strict) return {rows, n_trees / (groups * parallel), groups, parallel};
  if (n_trees == 1) return {rows};
  return {rows, n_trees};
}

bool IsOfCachedMargins(PredictOptions const& options) {
  auto const whole = options.iterations.begin == 0 && options.iterations.end == 0;
  return whole && (options.kind == PredictKind::kValue || options.kind == PredictKind::kMargin);
}

std::vector<float> Learner::Impl::StartMargins(Components const& parts) const {
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

std::shared_ptr<CompiledModel const> Learner::Impl::Compiled(Components const& parts) const {
  std::lock_guard<std::mutex> const lock(mutex);
  if (compiled == nullptr || compiled_revision != model_revision) {
    compiled = parts.predictor->Compile(parts.ctx, model, model.TreesOf({}));
    compiled_revision = model_revision;
  }
  return compiled;
}

std::shared_ptr<Predictor const> Learner::Impl::PredictorFor(std::shared_ptr<Components const> const& parts,
                                                             std::string const& shap_method) const {
  if (shap_method.empty()) return {parts, parts->predictor.get()};
  auto with_method = parts->effective;
  with_method["shap_method"] = shap_method;
  return GetRegistries().predictors.Find(PredictorName(parts->param.booster, parts->ctx.device.kind)).make(with_method);
}

Prediction Learner::Impl::Finish(Components const& parts, PredictOptions const& options, TreeRange trees,
                                 std::int64_t n_rows, std::vector<float> values) const {
  auto const n_outputs = model.NumOutputs();
  auto width = n_outputs;
  if (options.kind == PredictKind::kValue) {
    parts.objective->TransformMargins(parts.ctx, values, n_outputs);
    width = parts.objective->ValueWidth(n_outputs);
    if (width != n_outputs) {
      std::vector<float> picked(n_rows * width);
      parts.objective->PickValues(parts.ctx, values, n_outputs, picked);
      values = std::move(picked);
    }
  }
  return {std::move(values), ShapeOf(model, options, trees, n_rows, width)};
}

namespace {

/// `memory` with `size` elements of any value, or other memory where it is too small or much too large.
std::vector<float> Recycled(std::vector<float> memory, std::size_t size) {
  if (memory.capacity() < size || memory.capacity() / 2 > size) memory = std::vector<float>();
  memory.resize(size);
  return memory;
}

}  // namespace

Prediction Learner::PredictInPlace(DataView const& rows, Span<float const> base_margin, PredictOptions const& options,
                                   std::vector<float> memory) const {
  auto const parts = impl_->Resolve();
  auto const& model = impl_->model;
  CheckPredictable(model, rows.NumCols());
  impl_->CheckColumns({options.feature_types, rows.Categories()});
  CheckBaseMargin(base_margin, rows.NumRows(), model.NumOutputs());
  auto const trees = model.TreesOf(options.iterations);
  auto const start = impl_->StartMargins(*parts);
  auto const kind = options.kind == PredictKind::kValue ? PredictKind::kMargin : options.kind;
  auto const compiled = impl_->Compiled(*parts);
  auto values = Recycled(std::move(memory), static_cast<std::size_t>(rows.NumRows() * OutputWidth(model, kind, trees)));
  MarginStart from{start, base_margin};
  ModelRows const known(model, rows);
  impl_->PredictorFor(parts, options.shap_method)
      ->Predict(parts->ctx, *compiled, known.View(), kind, trees, from, values);
  return impl_->Finish(*parts, options, trees, rows.NumRows(), std::move(values));
}

Prediction Learner::Predict(DataMatrix const& data, PredictOptions const& options, std::vector<float> memory) const {
  impl_->CheckColumns(DeclaredColumns::Of(data.Info()));
  return PredictInPlace(*data.View(), data.Info().base_margin, options, std::move(memory));
}

Engine* Learner::Impl::UpdateMargins(Components const& parts, std::shared_ptr<DataMatrix const> const& data) {
  std::optional<Undo> undo;
  if (!intercept_ready) {
    undo.emplace(this);
    PrepareModel(parts, *data, true, &*undo);
    intercept_ready = false;  // a first round of the built-in objective still estimates it
  }
  CheckPredictable(model, data->NumCols());
  CheckColumns(DeclaredColumns::Of(data->Info()));
  auto* const session = TheEngine(parts);
  auto const dropped = parts.booster->DroppedTrees(parts.ctx, model);  // of a custom objective's gradients as well
  session->UpdateMargins(parts.ctx, data, model, *parts.predictor, StartMargins(parts), dropped);
  if (undo.has_value()) undo->Commit();
  return session;
}

Prediction Learner::PredictTraining(std::shared_ptr<DataMatrix const> const& data, PredictOptions const& options) {
  if (!IsOfCachedMargins(options)) return Predict(*data, options);
  auto const parts = impl_->Resolve();
  auto* const engine = impl_->UpdateMargins(*parts, data);
  return impl_->Finish(*parts, options, {}, data->NumRows(), engine->Margins(*data));
}

}  // namespace kauri
