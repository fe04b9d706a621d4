#include "booster/predict/prediction.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "booster/model/column_fit.h"
#include "booster/model/model_fit.h"
#include "common/memory_size.h"
#include "data/categories/category_view.h"
#include "data/meta_info.h"
#include "kauri/error.h"

namespace kauri {

bool IsExplanation(PredictKind kind) {
  return IsOfPairs(kind) || kind == PredictKind::kContribution || kind == PredictKind::kApproxContribution ||
         kind == PredictKind::kBanzhaf;
}

std::int64_t ExplainTileRows(std::int64_t row_width) {
  constexpr std::int64_t kTileFloats = std::int64_t{1} << 24U;
  return std::max<std::int64_t>(kTileFloats / row_width, 1);
}

void CheckFeatures(std::vector<std::int64_t> const& features, std::int64_t n_features) {
  for (auto const feature : features) {
    if (feature < 0 || feature >= n_features) {
      Fail(ErrorKind::kParameter, "there is no feature ", feature, "; the model has ", n_features,
           " features, numbered from 0.");
    }
  }
  auto sorted = features;
  std::sort(sorted.begin(), sorted.end());
  auto const twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    Fail(ErrorKind::kParameter, "feature ", *twice, " is asked for twice; name each feature once.");
  }
}

std::vector<std::int64_t> CellsOf(std::vector<std::int64_t> const& features, std::int64_t n_features, bool pairs) {
  auto const width = n_features + 1;
  std::vector<std::int64_t> columns = features;
  if (features.empty()) {
    for (std::int64_t feature = 0; feature < n_features; ++feature) columns.push_back(feature);
  }
  columns.push_back(n_features);
  if (!pairs) return columns;
  std::vector<std::int64_t> cells;
  cells.reserve(columns.size() * columns.size());
  for (auto const row : columns) {
    for (auto const column : columns) cells.push_back(row * width + column);
  }
  return cells;
}

DeclaredColumns PredictOptions::Compared(DeclaredColumns const& columns) const {
  return validates_columns ? columns : Unchecked(columns);
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
    case PredictKind::kBanzhafInteraction:
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

Prediction Finish(ReadyModel const& model, PredictOptions const& options, TreeRange trees, std::int64_t n_rows,
                  std::vector<float> values) {
  auto const& parts = *model.Parts();
  auto const n_outputs = model.GetModel().NumOutputs();
  auto width = n_outputs;
  if (options.kind == PredictKind::kValue) {
    parts.objective->TransformMargins(parts.ctx, values, n_outputs);
    width = parts.objective->ValueWidth(n_outputs);
    if (width != n_outputs) {
      std::vector<float> picked(SizeInMemory(n_rows * width));
      parts.objective->PickValues(parts.ctx, values, n_outputs, picked);
      values = std::move(picked);
    }
  }
  return {std::move(values), ShapeOf(model.GetModel(), options, trees, n_rows, width)};
}

namespace {

/// Returns `memory` with `size` elements of any value, or new memory if it is too small or more than twice too large.
std::vector<float> Recycled(std::vector<float> memory, std::size_t size) {
  if (memory.capacity() < size || memory.capacity() / 2 > size) memory = std::vector<float>();
  memory.resize(size);
  return memory;
}

/// A checked task for the predictor. Refers to the arguments of the call.
class Work {
 public:
  Work(ReadyModel const& ready, GivenRows const& rows, PredictOptions const& options)
      : rows_(rows),
        model_(Checked(ready, rows, options)),
        trees_(model_.TreesOf(options.iterations)),
        kind_(options.kind == PredictKind::kValue ? PredictKind::kMargin : options.kind),
        start_(StartMargins(*ready.Parts(), model_)),
        with_(PredictorFor(ready, kind_, false, options.shap_method)),
        known_(model_, rows.view) {}

  TreeRange Trees() const { return trees_; }
  PredictKind Kind() const { return kind_; }
  ModelPredictor const& With() const { return with_; }
  PredictTask Task() const { return {known_.View(), trees_, {start_, rows_.base_margin}}; }
  /// Returns the number of floats in the result.
  std::size_t Size() const { return SizeInMemory(rows_.view.NumRows() * OutputWidth(model_, kind_, trees_)); }

 private:
  static Model const& Checked(ReadyModel const& ready, GivenRows const& rows, PredictOptions const& options) {
    auto const& model = ready.GetModel();
    ready.CheckColumns(options.Compared(rows.columns).With(rows.view), rows.view.NumCols());
    if (IsExplanation(options.kind)) CheckExplicable(model);
    CheckBaseMargin(rows.base_margin, rows.view.NumRows(), model.NumOutputs());
    return model;
  }

  GivenRows const& rows_;
  Model const& model_;
  TreeRange trees_;
  PredictKind kind_;
  std::vector<float> start_;
  ModelPredictor with_;
  ModelRows known_;
};

}  // namespace

Prediction Predict(ReadyModel const& ready, GivenRows const& rows, PredictOptions const& options,
                   std::vector<float> memory) {
  Work const work(ready, rows, options);
  auto values = Recycled(std::move(memory), work.Size());
  auto const& with = work.With();
  with.predictor->Predict(ready.Parts()->ctx, *with.model, work.Task(), work.Kind(), values);
  return Finish(ready, options, work.Trees(), rows.view.NumRows(), std::move(values));
}

std::vector<std::uint64_t> PredictInto(ReadyModel const& ready, GivenRows const& rows, PredictOptions const& options,
                                       ResultMemory const& memory) {
  Work const work(ready, rows, options);
  auto const& ctx = ready.Parts()->ctx;
  auto const& objective = *ready.Parts()->objective;
  auto const& with = work.With();
  auto const n_rows = rows.view.NumRows();
  auto const n_outputs = ready.GetModel().NumOutputs();
  auto const is_value = options.kind == PredictKind::kValue;
  auto const width = is_value ? objective.ValueWidth(n_outputs) : n_outputs;
  auto const picks = width != n_outputs;
  std::vector<float> before_pick(picks ? work.Size() : 0);
  auto const values = picks ? Span<float>(before_pick) : memory(work.Size());
  with.predictor->Predict(ctx, *with.model, work.Task(), work.Kind(), values);
  if (is_value) objective.TransformMargins(ctx, values, n_outputs);
  if (picks) objective.PickValues(ctx, values, n_outputs, memory(SizeInMemory(n_rows * width)));
  return ShapeOf(ready.GetModel(), options, work.Trees(), n_rows, width);
}

DevicePrediction UploadPrediction(Prediction const& on_host, int device) {
  return {RequireDeviceMemory()->ToDevice(on_host.values, device), on_host.shape};
}

GivenDeviceRows DeviceRowsOf(DataMatrix const& data) {
  if (auto const* rows = data.OnDevice()) return {*rows, data.Info().base_margin, DeclaredColumns::Of(data.Info())};
  Fail(
      ErrorKind::kData,
      "the DMatrix is in host memory, and so are its predictions; call XGBoosterPredictFromDMatrix, or make it from an "
      "array in device memory.");
}

DevicePrediction PredictOnDevice(ReadyModel const& ready, GivenDeviceRows const& rows, PredictOptions const& options) {
  auto const& model = ready.GetModel();
  auto const& parts = *ready.Parts();
  auto const& layout = rows.storage.Layout();
  ready.CheckColumns(options.Compared(rows.columns), layout.n_cols);
  CheckBaseMargin(rows.base_margin, layout.n_rows, model.NumOutputs());
  auto const view = MakeDeviceView(rows.storage);
  auto const computes = parts.predictor->Computes(options.kind, false);
  if (computes && options.shap_method.empty() && !ModelRows(model, *view).AreTranslated()) {
    auto const start = StartMargins(parts, model);
    DevicePredictTask const task{
        rows.storage, options.kind, model.TreesOf(options.iterations), {start, rows.base_margin}, *parts.objective};
    if (auto values = parts.predictor->PredictOnDevice(parts.ctx, *ready.Compiled(), task)) {
      return {std::move(values), ShapeOf(model, options, task.trees, layout.n_rows, model.NumOutputs())};
    }
  }
  return UploadPrediction(Predict(ready, {*view, rows.base_margin, rows.columns}, options), layout.device);
}

}  // namespace kauri
