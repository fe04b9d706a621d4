#include "booster/prediction.h"

#include <algorithm>
#include <utility>

#include "booster/model_fit.h"
#include "data/categories/category_view.h"
#include "data/meta_info.h"

namespace kauri {

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

Prediction Finish(ReadyModel const& model, PredictOptions const& options, TreeRange trees, std::int64_t n_rows,
                  std::vector<float> values) {
  auto const& parts = *model.Parts();
  auto const n_outputs = model.GetModel().NumOutputs();
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
  return {std::move(values), ShapeOf(model.GetModel(), options, trees, n_rows, width)};
}

namespace {

/// `memory` with `size` elements of any value, or other memory where it is too small or much too large.
std::vector<float> Recycled(std::vector<float> memory, std::size_t size) {
  if (memory.capacity() < size || memory.capacity() / 2 > size) memory = std::vector<float>();
  memory.resize(size);
  return memory;
}

/// The predictor's work of a call; returns the trees. memory: where it goes.
TreeRange PredictRows(ReadyModel const& ready, GivenRows const& rows, PredictOptions const& options,
                      ResultMemory const& memory) {
  auto const& model = ready.GetModel();
  auto const& parts = *ready.Parts();
  auto const n_rows = rows.view.NumRows();
  CheckPredictable(model, rows.view.NumCols());
  ready.CheckColumns(rows.columns);
  CheckBaseMargin(rows.base_margin, n_rows, model.NumOutputs());
  auto const trees = model.TreesOf(options.iterations);
  auto const start = StartMargins(parts, model);
  auto const kind = options.kind == PredictKind::kValue ? PredictKind::kMargin : options.kind;
  auto const compiled = ready.Compiled();
  auto const values = memory(static_cast<std::size_t>(n_rows * OutputWidth(model, kind, trees)));
  MarginStart const from{start, rows.base_margin};
  ModelRows const known(model, rows.view);
  PredictorOf(ready.Parts(), options.shap_method)
      ->Predict(parts.ctx, *compiled, {known.View(), trees, from}, kind, values);
  return trees;
}

}  // namespace

Prediction Predict(ReadyModel const& ready, GivenRows const& rows, PredictOptions const& options,
                   std::vector<float> memory) {
  std::vector<float> values;
  auto const trees = PredictRows(ready, rows, options, [&](std::size_t size) {
    values = Recycled(std::move(memory), size);
    return Span<float>(values);
  });
  return Finish(ready, options, trees, rows.view.NumRows(), std::move(values));
}

std::vector<std::uint64_t> PredictInto(ReadyModel const& ready, GivenRows const& rows, PredictOptions const& options,
                                       ResultMemory const& memory) {
  auto const trees = PredictRows(ready, rows, options, memory);
  return ShapeOf(ready.GetModel(), options, trees, rows.view.NumRows(), 0);
}

}  // namespace kauri
