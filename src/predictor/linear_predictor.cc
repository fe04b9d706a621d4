/// Predictions of linear models. A margin is bias + start, then value * weight of one feature after another, in
/// float32. This is XGBoost's order, so a model from XGBoost gives the same bits here.
///
/// The contribution of a feature does not depend on other features, so every kind of contribution is value * weight, as
/// XGBoost defines it: against a background in which every value is 0. Interaction matrices are zero off the diagonal.
#include <algorithm>
#include <cmath>
#include <vector>

#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "data/matrix_view.h"
#include "kauri/predictor.h"
#include "predictor/predictors.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 256;
/// Floats of the buffer for copied rows; rows wider than this are copied one at a time.
constexpr std::int64_t kTileFloats = 1 << 16;

class CompiledLinear : public CompiledModel {
 public:
  explicit CompiledLinear(Model const& model)
      : n_features(model.n_features), n_outputs(model.NumOutputs()), weights(model.linear.weights) {
    if (weights.empty()) weights.assign(SizeInMemory((n_features + 1) * n_outputs), 0.0F);  // no round yet
  }
  float const* Row(std::int64_t feature) const { return weights.data() + feature * n_outputs; }
  float const* Biases() const { return Row(n_features); }

  std::int64_t n_features;
  std::int64_t n_outputs;
  std::vector<float> weights;  ///< [n_features + 1, n_outputs]
};

/// Calls begin_row(row), then fn(row, feature, value) for the row's present values among the first n_features, in
/// ascending order.
template <typename BeginRow, typename Fn>
void ForPresent(DataView const& view, std::int64_t n_features, std::int64_t begin, std::int64_t end,
                BeginRow&& begin_row, Fn&& fn) {
  auto const* sparse = dynamic_cast<SparseView const*>(&view);
  if (auto const* csr = sparse == nullptr ? nullptr : sparse->OwnedCsr()) {
    for (auto row = begin; row < end; ++row) {
      begin_row(row);
      for (auto entry = ToSize(csr->row_ptr[row]); entry < ToSize(csr->row_ptr[row + 1]); ++entry) {
        if (csr->features[entry] < n_features) fn(row, std::int64_t{csr->features[entry]}, csr->values[entry]);
      }
    }
    return;
  }
  auto const n_cols = std::min(n_features, view.NumCols());
  auto const tile_rows = std::clamp<std::int64_t>(kTileFloats / std::max<std::int64_t>(n_cols, 1), 1, end - begin);
  std::vector<float> tile(tile_rows * n_cols);
  for (auto first = begin; first < end; first += tile_rows) {
    auto const last = std::min(first + tile_rows, end);
    view.CopyRows(first, last, n_cols, tile.data());
    auto const* value = tile.data();
    for (auto row = first; row < last; ++row) {
      begin_row(row);
      for (std::int64_t feature = 0; feature < n_cols; ++feature, ++value) {
        if (!std::isnan(*value)) fn(row, feature, *value);
      }
    }
  }
}

void Margins(Context const& ctx, CompiledLinear const& linear, PredictTask const& task, Span<float> out) {
  auto const n_outputs = linear.n_outputs;
  ParallelForBlocks(ctx, task.rows.NumRows(), kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    auto const begin_row = [&](std::int64_t row) {
      for (std::int64_t k = 0; k < n_outputs; ++k) {
        out[row * n_outputs + k] = linear.Biases()[k] + task.start.Of(row, k, n_outputs);
      }
    };
    ForPresent(task.rows, linear.n_features, begin, end, begin_row,
               [&](std::int64_t row, std::int64_t feature, float value) {
                 auto const* weight = linear.Row(feature);
                 auto* const sums = out.data() + row * n_outputs;
                 for (std::int64_t k = 0; k < n_outputs; ++k) sums[k] += value * weight[k];
               });
  });
}

/// Layout of contributions: floats per output, and floats from one feature to the next.
struct Cells {
  std::int64_t block;
  std::int64_t stride;
};

Cells CellsOf(std::int64_t n_features, bool of_pairs) {
  auto const columns = n_features + 1;
  return of_pairs ? Cells{columns * columns, columns + 1} : Cells{columns, 1};
}

void Contributions(Context const& ctx, CompiledLinear const& linear, PredictTask const& task, Cells cells,
                   Span<float> out) {
  auto const n_outputs = linear.n_outputs;
  ParallelForBlocks(ctx, task.rows.NumRows(), kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    auto const begin_row = [&](std::int64_t row) {
      auto* block = out.data() + row * n_outputs * cells.block;
      std::fill(block, block + n_outputs * cells.block, 0.0F);
      for (std::int64_t k = 0; k < n_outputs; ++k, block += cells.block) {
        block[linear.n_features * cells.stride] = linear.Biases()[k] + task.start.Of(row, k, n_outputs);
      }
    };
    ForPresent(task.rows, linear.n_features, begin, end, begin_row,
               [&](std::int64_t row, std::int64_t feature, float value) {
                 auto* const block = out.data() + row * n_outputs * cells.block + feature * cells.stride;
                 for (std::int64_t k = 0; k < n_outputs; ++k) block[k * cells.block] = value * linear.Row(feature)[k];
               });
  });
}

/// Returns the mean of each feature over the rows; missing values count as 0.
std::vector<double> MeansOf(DataView const& rows, std::int64_t n_features) {
  std::vector<double> means(n_features, 0.0);
  ForPresent(
      rows, n_features, 0, rows.NumRows(), [](std::int64_t) {},
      [&](std::int64_t, std::int64_t feature, float value) { means[feature] += static_cast<double>(value); });
  for (auto& mean : means) mean /= static_cast<double>(rows.NumRows());
  return means;
}

/// Moves the contributions of the mean row from the features to the bias.
void CountFromMeans(Context const& ctx, CompiledLinear const& linear, std::vector<double> const& means,
                    std::int64_t n_rows, Cells cells, Span<float> out) {
  ParallelForBlocks(ctx, n_rows * linear.n_outputs, kRowsPerBlock, [&](auto begin, auto end, auto) {
    for (auto block = begin; block < end; ++block) {
      auto* const values = out.data() + block * cells.block;
      auto* const bias = values + linear.n_features * cells.stride;
      auto sum = static_cast<double>(*bias);
      for (std::int64_t feature = 0; feature < linear.n_features; ++feature) {
        auto const of_mean = means[feature] * static_cast<double>(linear.Row(feature)[block % linear.n_outputs]);
        auto* const value = values + feature * cells.stride;
        *value = static_cast<float>(static_cast<double>(*value) - of_mean);
        sum += of_mean;
      }
      *bias = static_cast<float>(sum);
    }
  });
}

class LinearPredictor : public Predictor {
 public:
  std::shared_ptr<CompiledModel const> Compile(Context const&, Model const& model, TreeRange) const override {
    return std::make_shared<CompiledLinear const>(model);
  }

  void Predict(Context const& ctx, CompiledModel const& model, PredictTask const& task, PredictKind kind,
               Span<float> out) const override {
    auto const& linear = LinearOf(model);
    if (kind == PredictKind::kLeaf) Fail(ErrorKind::kParameter, "a linear booster has no trees, so it has no leaves.");
    if (kind == PredictKind::kMargin) return Margins(ctx, linear, task, out);
    Contributions(ctx, linear, task, CellsOf(linear.n_features, IsOfPairs(kind)), out);
  }

  void PredictInterventional(Context const& ctx, CompiledModel const& model, PredictTask const& task,
                             DataView const& background, Span<float> out) const override {
    PredictAgainst(ctx, model, task, PredictKind::kContribution, background, out);
  }

  bool Computes(PredictKind, bool) const override { return true; }

  void PredictAgainst(Context const& ctx, CompiledModel const& model, PredictTask const& task, PredictKind kind,
                      DataView const& background, Span<float> out) const override {
    auto const& linear = LinearOf(model);
    auto const cells = CellsOf(linear.n_features, IsOfPairs(kind));
    Contributions(ctx, linear, task, cells, out);
    CountFromMeans(ctx, linear, MeansOf(background, linear.n_features), task.rows.NumRows(), cells, out);
  }

 private:
  static CompiledLinear const& LinearOf(CompiledModel const& model) {
    if (auto const* linear = dynamic_cast<CompiledLinear const*>(&model)) return *linear;
    Fail(ErrorKind::kInternal, "linear_predictor was given a model that another predictor compiled.");
  }
};

}  // namespace

void RegisterLinearPredictor(Registry<PredictorFactory>* registry) {
  registry->Add({"linear_predictor", "Prediction and contributions of linear models.",
                 [](ParamMap const&) { return std::make_unique<LinearPredictor>(); }});
}

}  // namespace kauri
