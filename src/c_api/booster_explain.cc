/// Explains rows, with a choice of what is returned.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "booster/predict/explain_interactions.h"
#include "booster/predict/explanation.h"
#include "booster/predict/sampled_explain.h"
#include "c_api/global.h"
#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json_config.h"
#include "c_api/predict_out.h"
#include "common/text/quoted.h"
#include "shapley/estimate.h"
#include "shapley/row_game.h"

namespace kauri::c_api {
namespace {

// Keys shared by the configurations of sampled Shapley values.

/// Reads "method", "n_orders", "max_evals", "tolerance", "seed".
ShapleyOptions ShapleyOptionsOf(JsonConfig const& config) {
  ShapleyOptions options;
  options.method = ShapleyMethodNamed(config.Text("method"));
  options.n_orders = config.IntegerOr("n_orders", 0);
  options.max_evals = config.IntegerOr("max_evals", 0);
  if (config.Has("tolerance")) options.tolerance = config.Number("tolerance");
  options.seed = static_cast<std::uint64_t>(config.IntegerOr("seed", 0));
  return options;
}

/// Reads "players": the columns of each player.
std::vector<std::vector<std::int64_t>> PlayerListsOf(JsonConfig const& config) {
  return config.IntegerLists("players");
}

/// Reads "n_outputs", at least 1.
std::int64_t OutputsOf(JsonConfig const& config) {
  constexpr std::int64_t kMost = 1 << 20;
  auto const n_outputs = config.Integer("n_outputs");
  if (n_outputs >= 1 && n_outputs <= kMost) return n_outputs;
  Fail(ErrorKind::kParameter, "n_outputs is ", n_outputs, "; expected 1 to ", kMost, ".");
}

ExplainReduction ReductionOf(JsonConfig const& config) {
  if (!config.Has("reduce")) return ExplainReduction::kNone;
  auto const reduce = config.Text("reduce");
  if (reduce == "none") return ExplainReduction::kNone;
  if (reduce == "mean_abs") return ExplainReduction::kMeanAbs;
  Fail(ErrorKind::kParameter, "reduce is ", Quoted(reduce), "; expected none or mean_abs.");
}

ExplainOptions ExplainOptionsOf(JsonConfig const& config) {
  auto const prediction = OptionsOf(config);
  ExplainOptions options;
  options.kind = prediction.kind;
  options.iterations = prediction.iterations;
  options.strict_shape = prediction.strict_shape;
  if (config.Has("features")) options.features = config.Integers("features");
  options.reduction = ReductionOf(config);
  return options;
}

/// The background matrix; empty for a null handle.
struct Background {
  explicit Background(DMatrixHandle handle) {
    if (handle == nullptr) return;
    matrix.emplace(handle);
    rows = (*matrix)->data->View();
  }
  DeclaredColumns Columns() const { return DeclaredColumns::Of((*matrix)->Info()); }

  std::optional<DataRead> matrix;
  std::unique_ptr<DataView> rows;
};

// Explanations of boosters by sampled coalitions.

SampledOptions SampledOptionsOf(JsonConfig const& config) {
  SampledOptions options;
  options.output = ExplainedOutputNamed(config.Text("output"));
  options.iterations = {config.Integer("iteration_begin"), config.Integer("iteration_end")};
  if (config.Has("players")) options.players = PlayerListsOf(config);
  options.shapley = ShapleyOptionsOf(config);
  return options;
}

/// The caller's pointers for the two tables.
struct SampledOut {
  bst_ulong const** shape;
  bst_ulong* dim;
  double const** values;
  double const** errors;
  bst_ulong* n_evals;
};

void ReturnSampled(SampledValues const& found, ReturnBuffers* buffers, SampledOut const& out) {
  auto const n_rows = static_cast<bst_ulong>(found.n_evals.size());
  buffers->shape = {n_rows, static_cast<bst_ulong>(found.n_outputs), static_cast<bst_ulong>(found.n_players + 1)};
  buffers->doubles = found.values;
  buffers->doubles.insert(buffers->doubles.end(), found.errors.begin(), found.errors.end());
  std::copy(found.n_evals.begin(), found.n_evals.end(), out.n_evals);
  *out.shape = buffers->shape.data();
  *out.dim = buffers->shape.size();
  *out.values = buffers->doubles.data();
  *out.errors = buffers->doubles.data() + found.values.size();
}

// Computes Shapley values of the caller's functions.

void CheckStatus(int status, char const* what) {
  if (status == 0) return;
  Fail(ErrorKind::kData, "the ", what, " returned ", status, "; expected 0. Look for the cause in that function.");
}

class CallerGame : public Game {
 public:
  CallerGame(KauriGame* game, void* user, std::int32_t n_players, std::int64_t n_outputs)
      : game_(NotNull(game, "game")), user_(user), n_players_(n_players), n_outputs_(n_outputs) {}

  std::int32_t NumPlayers() const override { return n_players_; }
  std::int64_t NumOutputs() const override { return n_outputs_; }
  void Evaluate(std::int64_t n, Span<std::uint8_t const> masks, Span<double> worth) override {
    auto const n_masks = static_cast<std::uint64_t>(n);
    CheckStatus(game_(user_, n_masks, static_cast<std::uint64_t>(n_players_), masks.data(), worth.data()), "game");
    for (std::int64_t i = 0; i < n * n_outputs_; ++i) {
      if (std::isfinite(worth[i])) continue;
      Fail(ErrorKind::kData, "the game returned ", worth[i], " for coalition ", i / n_outputs_, " of ", n, ", output ",
           i % n_outputs_, "; Shapley values need finite numbers.");
    }
  }

 private:
  KauriGame* game_;
  void* user_;
  std::int32_t n_players_;
  std::int64_t n_outputs_;
};

class CallerFunction : public RowFunction {
 public:
  CallerFunction(KauriRowFunction* function, void* user, std::int64_t n_outputs)
      : function_(NotNull(function, "function")), user_(user), n_outputs_(n_outputs) {}

  std::int64_t NumOutputs() const override { return n_outputs_; }
  void Call(std::int64_t n_rows, std::int64_t n_cols, double const* rows, double* out) override {
    auto const n = static_cast<std::uint64_t>(n_rows);
    CheckStatus(function_(user_, n, static_cast<std::uint64_t>(n_cols), rows, out), "function");
  }

 private:
  KauriRowFunction* function_;
  void* user_;
  std::int64_t n_outputs_;
};

/// Converts a count. \throws Error(kParameter) for more than memory could hold.
std::int64_t CheckedCount(bst_ulong count, char const* name) {
  constexpr bst_ulong kMost = bst_ulong{1} << 40U;
  if (count <= kMost) return static_cast<std::int64_t>(count);
  Fail(ErrorKind::kParameter, name, " is ", count, "; at most ", kMost, " are possible.");
}

RowTable TableOf(double const* values, bst_ulong n_rows, bst_ulong n_cols, char const* name) {
  RowTable const table{values, CheckedCount(n_rows, "rows"), CheckedCount(n_cols, "n_cols")};
  if (table.n_rows != 0 && table.n_cols != 0) NotNull(values, name);
  return table;
}

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace

int KauriBoosterExplain(BoosterHandle handle, DMatrixHandle dmat, DMatrixHandle background, char const* config,
                        bst_ulong const** out_shape, bst_ulong* out_dim, float const** out_result) {
  return Guard([&] {
    auto const out = CheckedOut(out_shape, out_dim, out_result);
    BoosterRead const booster(handle);
    DataRead const matrix(dmat);
    auto const& data = *matrix->data;
    auto const rows = data.View();
    Background const compared(background);
    auto const options = ExplainOptionsOf(JsonConfig(config, "KauriBoosterExplain"));
    kauri::ExplainTask task{*rows, data.Info().base_margin, compared.rows.get(),
                            kauri::DeclaredColumns::Of(data.Info())};
    if (background != nullptr) task.background_columns = compared.Columns();
    auto const shape = kauri::ExplainInto(*booster->learner->Ready(), task, options, ExplanationMemory(&*booster));
    ReturnExplanation(shape, &*booster, out);
  });
}

int KauriBoosterExplainSparse(BoosterHandle handle, DMatrixHandle dmat, char const* config, bst_ulong* out_n_outputs,
                              int64_t const** out_begin, uint32_t const** out_first, uint32_t const** out_second,
                              float const** out_values) {
  return Guard([&] {
    NotNull(out_n_outputs, "out_n_outputs");
    NotNull(out_begin, "out_begin");
    NotNull(out_first, "out_first");
    NotNull(out_second, "out_second");
    NotNull(out_values, "out_values");
    BoosterRead const booster(handle);
    DataRead const matrix(dmat);
    auto const& data = *matrix->data;
    JsonConfig const settings(config, "KauriBoosterExplainSparse");
    kauri::SparseOptions options;
    options.iterations = {settings.Integer("iteration_begin"), settings.Integer("iteration_end")};
    options.top_k = settings.Integer("top_k");
    auto const rows = data.View();
    auto& sparse = booster->Buffers().sparse;
    auto const model = booster->learner->Ready();
    sparse = kauri::ExplainSparse(
        *model, {*rows, data.Info().base_margin, nullptr, kauri::DeclaredColumns::Of(data.Info())}, options);
    *out_n_outputs = static_cast<bst_ulong>(model->GetModel().NumOutputs());
    *out_begin = sparse.begin.data();
    *out_first = sparse.first.data();
    *out_second = sparse.second.data();
    *out_values = sparse.values.data();
  });
}

int KauriBoosterExplainInteractions(BoosterHandle handle, DMatrixHandle dmat, char const* config,
                                    bst_ulong* out_n_outputs, bst_ulong* out_n_sets, int64_t const** out_set_begin,
                                    uint32_t const** out_members, int64_t const** out_begin, uint32_t const** out_sets,
                                    float const** out_values, float const** out_base_values) {
  return Guard([&] {
    for (auto* out : {out_n_outputs, out_n_sets}) NotNull(out, "out_n_outputs or out_n_sets");
    for (auto* out : {out_set_begin, out_begin}) NotNull(out, "out_set_begin or out_begin");
    for (auto* out : {out_members, out_sets}) NotNull(out, "out_members or out_sets");
    for (auto* out : {out_values, out_base_values}) NotNull(out, "out_values or out_base_values");
    BoosterRead const booster(handle);
    DataRead const matrix(dmat);
    auto const& data = *matrix->data;
    JsonConfig const settings(config, "KauriBoosterExplainInteractions");
    auto const index = kauri::InteractionIndexNamed(settings.Text("index"));
    auto const rows = data.View();
    auto const model = booster->learner->Ready();
    auto& found = booster->Buffers().set_interactions;
    found = kauri::ExplainInteractions(
        *model, {*rows, data.Info().base_margin, nullptr, kauri::DeclaredColumns::Of(data.Info())},
        {settings.Integer("iteration_begin"), settings.Integer("iteration_end")},
        {index, settings.Integer("max_order"), settings.Integer("top_k")});
    *out_n_outputs = static_cast<bst_ulong>(model->GetModel().NumOutputs());
    *out_n_sets = static_cast<bst_ulong>(found.set_begin.size() - 1);
    *out_set_begin = found.set_begin.data();
    *out_members = found.members.data();
    *out_begin = found.begin.data();
    *out_sets = found.sets.data();
    *out_values = found.values.data();
    *out_base_values = found.base_values.data();
  });
}

int KauriBoosterTakeExplanation(BoosterHandle handle, KauriHostArrayHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    BoosterRead const booster(handle);
    auto& values = booster->Buffers().explanation;
    if (values.Empty()) {
      kauri::Fail(
          kauri::ErrorKind::kParameter,
          "this thread has no explanation or large prediction of this booster, or has already taken it; explain "
          "rows with the booster first.");
    }
    *out = new HostArrayHandle(std::exchange(values, kauri::FloatMemory()), booster->spare);
  });
}

int KauriHostArrayFree(KauriHostArrayHandle handle) {
  return Guard([&] {
    std::unique_ptr<HostArrayHandle> const array(&HostArrayOf(handle));
    if (auto const spare = array->spare.lock()) spare->Keep(std::move(array->values));
  });
}

int KauriBoosterExplainSampled(BoosterHandle handle, DMatrixHandle dmat, DMatrixHandle background, char const* config,
                               bst_ulong const** out_shape, bst_ulong* out_dim, double const** out_values,
                               double const** out_errors, bst_ulong* out_n_evals, char const** out_method) {
  return Guard([&] {
    SampledOut const out{NotNull(out_shape, "out_shape"), NotNull(out_dim, "out_dim"),
                         NotNull(out_values, "out_values"), NotNull(out_errors, "out_errors"),
                         NotNull(out_n_evals, "out_n_evals")};
    NotNull(out_method, "out_method");
    BoosterRead const booster(handle);
    DataRead const matrix(dmat);
    DataRead const compared_matrix(background);
    auto const& data = *matrix->data;
    auto const& against = *compared_matrix->data;
    auto const options = SampledOptionsOf(JsonConfig(config, "KauriBoosterExplainSampled"));
    auto const rows = data.View();
    auto const compared = against.View();
    kauri::SampledTask const task{*rows, data.Info(), *compared, kauri::DeclaredColumns::Of(data.Info()),
                                  kauri::DeclaredColumns::Of(against.Info())};
    auto const found = kauri::ExplainSampled(*booster->learner->Ready(), task, options);
    ReturnSampled(found, &booster->Buffers(), out);
    *out_method = NameOf(found.method);
  });
}

int KauriShapleyValues(KauriGame* game, void* user, bst_ulong n_players, char const* config, double* out_values,
                       double* out_errors, double* out_base, bst_ulong* out_n_evals, char const** out_method) {
  return Guard([&] {
    JsonConfig const settings(config, "KauriShapleyValues");
    if (n_players < 1 || n_players > static_cast<bst_ulong>(kauri::kMostPlayers)) {
      kauri::Fail(kauri::ErrorKind::kParameter, "n_players is ", n_players, "; expected 1 to ", kauri::kMostPlayers,
                  ".");
    }
    auto const d = static_cast<std::int32_t>(n_players);
    CallerGame of_caller(game, user, d, OutputsOf(settings));
    auto const options = ShapleyOptionsOf(settings);
    for (auto* out : {out_values, out_errors, out_base}) NotNull(out, "out_values, out_errors or out_base");
    NotNull(out_n_evals, "out_n_evals");
    NotNull(out_method, "out_method");
    auto const estimate = kauri::ShapleyEstimator(MakeContext(0), options).Estimate(&of_caller);
    std::copy(estimate.values.begin(), estimate.values.end(), out_values);
    std::copy(estimate.errors.begin(), estimate.errors.end(), out_errors);
    std::copy(estimate.nobody.begin(), estimate.nobody.end(), out_base);
    *out_n_evals = static_cast<bst_ulong>(estimate.n_evals);
    *out_method = NameOf(kauri::ShapleyPlanOf(options, d).method);
  });
}

int KauriExplainFunction(KauriRowFunction* function, void* user, double const* rows, bst_ulong n_rows,
                         double const* background, bst_ulong n_background, bst_ulong n_cols, char const* config,
                         double* out_values, double* out_errors, double* out_base, bst_ulong* out_n_evals,
                         char const** out_method) {
  return Guard([&] {
    JsonConfig const settings(config, "KauriExplainFunction");
    CallerFunction of_caller(function, user, OutputsOf(settings));
    kauri::ExplainRowsTask task{TableOf(rows, n_rows, n_cols, "rows"),
                                TableOf(background, n_background, n_cols, "background"), PlayerListsOf(settings)};
    task.batch_rows = settings.IntegerOr("batch_rows", task.batch_rows);
    for (auto* out : {out_values, out_errors, out_base}) NotNull(out, "out_values, out_errors or out_base");
    NotNull(out_n_evals, "out_n_evals");
    NotNull(out_method, "out_method");
    *out_method = NameOf(kauri::ExplainRows(MakeContext(0), &of_caller, task, ShapleyOptionsOf(settings),
                                            {out_values, out_errors, out_base, out_n_evals}));
  });
}
