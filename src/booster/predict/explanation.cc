/// Explanations in tiles of rows: peak memory is the model, a tile of full blocks, and the requested result.
#include "booster/predict/explanation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "booster/model/model_fit.h"
#include "booster/predict/prediction.h"
#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "data/categories/category_view.h"
#include "data/matrix_view.h"
#include "data/meta_info.h"
#include "kauri/error.h"
#include "predictor/predictors.h"

namespace kauri {
namespace {

/// Resolved inputs of the predictor that do not depend on the tile.
struct Explainer {
  Components const& parts;
  Predictor const& predictor;
  CompiledModel const& model;
  PredictKind kind;
  TreeRange trees;
  Span<float const> start;
  std::int64_t n_outputs;

  /// Explains rows [begin, end) of the task. out: [end - begin, n_outputs, block].
  void Explain(ExplainTask const& task, std::int64_t begin, std::int64_t end, Span<float> out) const {
    RowWindow const window(task.rows, begin, end);
    auto const is_whole = begin == 0 && end == task.rows.NumRows();
    auto const& rows = is_whole ? task.rows : static_cast<DataView const&>(window);
    auto const first = static_cast<std::size_t>(begin * n_outputs);
    auto const count = static_cast<std::size_t>((end - begin) * n_outputs);
    auto const& margins = task.base_margin;
    MarginStart const from{start, is_whole || margins.empty() ? margins : margins.subspan(first, count)};
    if (task.background != nullptr) {
      predictor.PredictAgainst(parts.ctx, model, {rows, trees, from}, kind, *task.background, out);
    } else {
      predictor.Predict(parts.ctx, model, {rows, trees, from}, kind, out);
    }
  }
};

/// Returns the rows of a tile. Each tile walks the background again, so tiles against a background are as long as the
/// background, as far as they take no more than a few times the usual memory.
std::int64_t TileRowsOf(ExplainTask const& task, std::int64_t row_width) {
  constexpr std::int64_t kMostUsual = 8;
  auto const usual = ExplainTileRows(row_width);
  return task.background == nullptr ? usual : std::clamp(task.background->NumRows(), usual, kMostUsual * usual);
}

/// Calls fn(begin, end, tile) for each tile of rows. tile: [end - begin, row_width].
template <typename Fn>
void ForTiles(Explainer const& explainer, ExplainTask const& task, std::int64_t row_width, Fn&& fn) {
  auto const n_rows = task.rows.NumRows();
  auto const tile_rows = std::min(TileRowsOf(task, row_width), n_rows);
  std::vector<float> tile(SizeInMemory(tile_rows * row_width));
  for (std::int64_t begin = 0; begin < n_rows; begin += tile_rows) {
    auto const end = std::min(begin + tile_rows, n_rows);
    auto const used = Span<float>(tile).subspan(0, (end - begin) * row_width);
    explainer.Explain(task, begin, end, used);
    fn(begin, end, used);
  }
}

/// Writes the chosen cells of every block to `values`, [n_rows, n_outputs, cells].
void PickCells(Explainer const& explainer, ExplainTask const& task, std::int64_t block,
               std::vector<std::int64_t> const& cells, Span<float> values) {
  auto const n_outputs = explainer.n_outputs;
  auto const n_cells = static_cast<std::int64_t>(cells.size());
  ForTiles(explainer, task, n_outputs * block, [&](std::int64_t begin, std::int64_t end, Span<float const> tile) {
    ParallelForBlocks(explainer.parts.ctx, (end - begin) * n_outputs, 64, [&](auto first, auto last, auto) {
      for (auto b = first; b < last; ++b) {
        auto const* from = tile.data() + b * block;
        auto* to = values.data() + (begin * n_outputs + b) * n_cells;
        for (std::int64_t i = 0; i < n_cells; ++i) to[i] = from[cells[i]];
      }
    });
  });
}

/// Writes the mean absolute values of the chosen cells over the rows to `means`, [n_outputs, cells].
void MeanAbs(Explainer const& explainer, ExplainTask const& task, std::int64_t block,
             std::vector<std::int64_t> const& cells, Span<float> means) {
  auto const row_width = explainer.n_outputs * block;
  auto const n_cells = static_cast<std::int64_t>(cells.size());
  constexpr std::int64_t kCells = 256;  // cells of one task
  auto const n_chunks = NumBlocks(n_cells, kCells);
  std::vector<double> sums(SizeInMemory(explainer.n_outputs * n_cells), 0.0);
  ForTiles(explainer, task, row_width, [&](std::int64_t begin, std::int64_t end, Span<float const> tile) {
    ParallelFor(explainer.parts.ctx, explainer.n_outputs * n_chunks, [&](std::int64_t chunk) {
      auto const output = chunk / n_chunks;
      auto const first = chunk % n_chunks * kCells;
      auto const last = std::min(first + kCells, n_cells);
      for (std::int64_t row = 0; row < end - begin; ++row) {
        auto const* from = tile.data() + row * row_width + output * block;
        auto* to = sums.data() + output * n_cells;
        for (auto i = first; i < last; ++i) {
          to[i] += std::abs(static_cast<double>(from[cells[i]]));
        }
      }
    });
  });
  auto const n_rows = static_cast<double>(task.rows.NumRows());
  std::transform(sums.begin(), sums.end(), means.begin(), [&](double sum) { return static_cast<float>(sum / n_rows); });
}

std::vector<std::uint64_t> ShapeOfExplanation(ExplainTask const& task, ExplainOptions const& options,
                                              std::int64_t n_outputs, std::int64_t n_columns) {
  std::vector<std::uint64_t> shape;
  if (options.reduction == ExplainReduction::kNone) shape.push_back(static_cast<std::uint64_t>(task.rows.NumRows()));
  if (options.strict_shape || n_outputs > 1) shape.push_back(static_cast<std::uint64_t>(n_outputs));
  shape.insert(shape.end(), IsOfPairs(options.kind) ? 2 : 1, static_cast<std::uint64_t>(n_columns));
  return shape;
}

void CheckTakesBackground(ReadyModel const& ready, ExplainOptions const& options) {
  auto const is_treeshap = options.shap_method.empty()
                               ? ParseParameters<PredictorParam>(ready.Parts()->effective).IsTreeShap()
                               : options.shap_method == "treeshap";
  if (!is_treeshap) return;
  Fail(ErrorKind::kParameter,
       "shap_method=treeshap weighs the branches of trees and takes no background; leave out the ",
       "background, or use shap_method=auto.");
}

void CheckTask(ReadyModel const& ready, ExplainTask const& task, ExplainOptions const& options) {
  if (!IsExplanation(options.kind)) {
    Fail(ErrorKind::kParameter, "prediction type ", static_cast<int>(options.kind),
         " is no explanation; expected 2 contributions, 3 approximate contributions, 4 interactions, 5 approximate ",
         "interactions, 100 Banzhaf values, 101 Taylor interactions or 102 Banzhaf interactions.");
  }
  CheckExplainedRows(ready, task);
  CheckFeatures(options.features, ready.GetModel().n_features);
  if (options.reduction == ExplainReduction::kMeanAbs && task.rows.NumRows() == 0) {
    Fail(ErrorKind::kData, "the data have 0 rows, which have no mean; pass at least one.");
  }
  if (task.background == nullptr) return;
  auto const of_features = options.kind == PredictKind::kApproxContribution;
  if (of_features || options.kind == PredictKind::kApproxInteraction) {
    Fail(ErrorKind::kParameter, "approximate ", of_features ? "contributions" : "interactions",
         " take no background; the exact ones (prediction type ", of_features ? 2 : 4, ") do.");
  }
  CheckTakesBackground(ready, options);
  ready.CheckColumns(task.background_columns.With(*task.background), task.background->NumCols(),
                     {"the background", "has"});
  if (task.background->NumRows() == 0) {
    Fail(ErrorKind::kData, "the background has 0 rows; pass at least one to compare with.");
  }
}

}  // namespace

void CheckExplainedRows(ReadyModel const& ready, ExplainTask const& task) {
  auto const& model = ready.GetModel();
  ready.CheckColumns(task.columns.With(task.rows), task.rows.NumCols());
  CheckExplicable(model);
  CheckBaseMargin(task.base_margin, task.rows.NumRows(), model.NumOutputs());
}

std::vector<std::uint64_t> ExplainInto(ReadyModel const& ready, ExplainTask const& asked, ExplainOptions const& options,
                                       ResultMemory const& memory) {
  auto const& parts = *ready.Parts();
  auto const& model = ready.GetModel();
  CheckTask(ready, asked, options);
  ModelRows const rows(model, asked.rows);
  ModelRows const background(model, asked.background == nullptr ? asked.rows : *asked.background);
  ExplainTask const task{rows.View(), asked.base_margin, asked.background == nullptr ? nullptr : &background.View()};
  auto const with = PredictorFor(ready, options.kind, asked.background != nullptr, options.shap_method);
  auto const start = StartMargins(parts, model);
  auto const trees = model.TreesOf(options.iterations);
  auto const n_outputs = model.NumOutputs();
  Explainer const explainer{parts, *with.predictor, *with.model, options.kind, trees, start, n_outputs};
  auto const block = OutputWidth(model, options.kind, trees) / n_outputs;
  auto const n_columns =
      options.features.empty() ? model.n_features : static_cast<std::int64_t>(options.features.size());
  auto shape = ShapeOfExplanation(task, options, n_outputs, n_columns + 1);
  auto const mean = options.reduction == ExplainReduction::kMeanAbs;
  auto const n_blocks = (mean ? 1 : task.rows.NumRows()) * n_outputs;
  if (!mean && options.features.empty()) {
    explainer.Explain(task, 0, task.rows.NumRows(), memory(SizeInMemory(n_blocks * block)));
    return shape;
  }
  auto const cells = CellsOf(options.features, model.n_features, IsOfPairs(options.kind));
  auto const values = memory(SizeInMemory(n_blocks * static_cast<std::int64_t>(cells.size())));
  if (mean) {
    MeanAbs(explainer, task, block, cells, values);
  } else {
    PickCells(explainer, task, block, cells, values);
  }
  return shape;
}

Prediction Explain(ReadyModel const& ready, ExplainTask const& task, ExplainOptions const& options) {
  Prediction result;
  result.shape = ExplainInto(ready, task, options, [&](std::size_t size) {
    result.values.resize(size);
    return Span<float>(result.values);
  });
  return result;
}

SparseInteractions ExplainSparse(ReadyModel const& ready, ExplainTask const& task, SparseOptions const& options) {
  auto const& parts = *ready.Parts();
  auto const& model = ready.GetModel();
  CheckExplainedRows(ready, task);
  if (options.top_k < 0)
    Fail(ErrorKind::kParameter, "top_k is ", options.top_k, "; expected at least 1, or 0 for all.");
  auto const start = StartMargins(parts, model);
  SparseInteractions sparse;
  ModelRows const rows(model, task.rows);
  PredictorOf(ready.Parts(), options.shap_method)
      ->PredictSparse(parts.ctx, *ready.Compiled(),
                      {rows.View(), model.TreesOf(options.iterations), {start, task.base_margin}}, options.top_k,
                      &sparse);
  return sparse;
}

}  // namespace kauri
