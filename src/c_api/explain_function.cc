/// Computes Shapley values of the caller's functions.
#include <algorithm>
#include <cmath>
#include <vector>

#include "c_api/global.h"
#include "c_api/guard.h"
#include "c_api/sampled_config.h"
#include "shapley/row_game.h"

namespace kauri::c_api {
namespace {

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
std::int64_t CountOf(bst_ulong count, char const* name) {
  constexpr bst_ulong kMost = bst_ulong{1} << 40U;
  if (count <= kMost) return static_cast<std::int64_t>(count);
  Fail(ErrorKind::kParameter, name, " is ", count, "; at most ", kMost, " are possible.");
}

RowTable TableOf(double const* values, bst_ulong n_rows, bst_ulong n_cols, char const* name) {
  RowTable const table{values, CountOf(n_rows, "rows"), CountOf(n_cols, "n_cols")};
  if (table.n_rows != 0 && table.n_cols != 0) NotNull(values, name);
  return table;
}

}  // namespace

ShapleyOptions ShapleyOptionsOf(JsonConfig const& config) {
  ShapleyOptions options;
  options.method = ShapleyMethodNamed(config.Text("method"));
  options.n_orders = config.IntegerOr("n_orders", 0);
  options.max_evals = config.IntegerOr("max_evals", 0);
  if (config.Has("tolerance")) options.tolerance = config.Number("tolerance");
  options.seed = static_cast<std::uint64_t>(config.IntegerOr("seed", 0));
  return options;
}

std::int64_t OutputsOf(JsonConfig const& config) {
  constexpr std::int64_t kMost = 1 << 20;
  auto const n_outputs = config.Integer("n_outputs");
  if (n_outputs >= 1 && n_outputs <= kMost) return n_outputs;
  Fail(ErrorKind::kParameter, "n_outputs is ", n_outputs, "; expected 1 to ", kMost, ".");
}

std::vector<std::vector<std::int64_t>> PlayersOf(JsonConfig const& config) { return config.IntegerLists("players"); }

}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace

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
                                TableOf(background, n_background, n_cols, "background"), PlayersOf(settings)};
    task.batch_rows = settings.IntegerOr("batch_rows", task.batch_rows);
    for (auto* out : {out_values, out_errors, out_base}) NotNull(out, "out_values, out_errors or out_base");
    NotNull(out_n_evals, "out_n_evals");
    NotNull(out_method, "out_method");
    *out_method = NameOf(kauri::ExplainRows(MakeContext(0), &of_caller, task, ShapleyOptionsOf(settings),
                                            {out_values, out_errors, out_base, out_n_evals}));
  });
}
