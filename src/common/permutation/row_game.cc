#include "common/permutation/row_game.h"

#include <algorithm>
#include <cmath>

#include "kauri/error.h"

namespace kauri {
namespace {

/// Calls the function in batches and looks at what comes back.
class BatchedFunction {
 public:
  BatchedFunction(RowFunction* function, std::int64_t n_cols, std::int64_t batch_rows)
      : function_(*function), n_cols_(n_cols), batch_rows_(batch_rows) {}

  std::int64_t NumOutputs() const { return function_.NumOutputs(); }

  /// fill(row, values) writes row 0 .. n_rows - 1; take(row, outputs) gets what the function makes of it, in order.
  template <typename Fill, typename Take>
  void ForRows(std::int64_t n_rows, Fill&& fill, Take&& take) {
    for (std::int64_t begin = 0; begin < n_rows; begin += batch_rows_) {
      auto const n = std::min(batch_rows_, n_rows - begin);
      rows_.resize(ToSize(n * n_cols_));
      outputs_.assign(ToSize(n * NumOutputs()), 0.0);
      for (std::int64_t i = 0; i < n; ++i) fill(begin + i, rows_.data() + i * n_cols_);
      function_.Call(n, n_cols_, rows_.data(), outputs_.data());
      for (std::int64_t i = 0; i < n; ++i) {
        CheckFinite(i, n);
        take(begin + i, outputs_.data() + i * NumOutputs());
      }
    }
  }

 private:
  void CheckFinite(std::int64_t row, std::int64_t n) const {
    for (std::int64_t output = 0; output < NumOutputs(); ++output) {
      auto const value = outputs_[ToSize(row * NumOutputs() + output)];
      if (std::isfinite(value)) continue;
      Fail(ErrorKind::kData, "the function returned ", value, " for row ", row, " of a batch of ", n, ", output ",
           output, "; explanations need finite numbers, so bound what it returns.");
    }
  }

  RowFunction& function_;
  std::int64_t n_cols_;
  std::int64_t batch_rows_;
  std::vector<double> rows_;
  std::vector<double> outputs_;
};

using Players = std::vector<std::vector<std::int64_t>>;

/// Of one row.
class HybridGame : public Game {
 public:
  HybridGame(BatchedFunction* function, RowTable const& background, double const* row, Players const& players)
      : function_(*function), background_(background), row_(row), players_(players) {}

  std::int32_t NumPlayers() const override { return static_cast<std::int32_t>(players_.size()); }
  std::int64_t NumOutputs() const override { return function_.NumOutputs(); }

  void Evaluate(std::int64_t n, Span<std::uint8_t const> masks, Span<double> worth) override {
    auto const n_rows = background_.n_rows;
    std::fill(worth.begin(), worth.begin() + n * NumOutputs(), 0.0);
    function_.ForRows(
        n * n_rows,
        [&](std::int64_t hybrid, double* values) {
          FillHybrid(masks.data() + hybrid / n_rows * NumPlayers(), background_.Row(hybrid % n_rows), values);
        },
        [&](std::int64_t hybrid, double const* outputs) {
          auto* of_mask = worth.data() + hybrid / n_rows * NumOutputs();
          for (std::int64_t output = 0; output < NumOutputs(); ++output) of_mask[output] += outputs[output];
        });
    for (std::int64_t i = 0; i < n * NumOutputs(); ++i) worth[i] /= static_cast<double>(n_rows);
  }

 private:
  void FillHybrid(std::uint8_t const* mask, double const* other, double* values) const {
    std::copy_n(other, background_.n_cols, values);
    for (std::size_t player = 0; player < players_.size(); ++player) {
      if (mask[player] == 0) continue;
      for (auto const column : players_[player]) values[column] = row_[column];
    }
  }

  BatchedFunction& function_;
  RowTable const& background_;
  double const* row_;
  Players const& players_;
};

bool AreSame(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Whether the row has the background's values in all of its rows.
bool IsConstant(std::vector<std::int64_t> const& columns, double const* row, RowTable const& background) {
  for (std::int64_t other = 0; other < background.n_rows; ++other) {
    for (auto const column : columns) {
      if (!AreSame(row[column], background.Row(other)[column])) return false;
    }
  }
  return true;
}

void CheckTask(ExplainRowsTask const& task) {
  if (task.background.n_rows < 1) {
    Fail(ErrorKind::kData, "the background has 0 rows; pass at least one to compare with.");
  }
  if (task.rows.n_cols != task.background.n_cols) {
    Fail(ErrorKind::kData, "the rows have ", task.rows.n_cols, " columns, the background ", task.background.n_cols,
         "; pass the same columns.");
  }
  if (task.batch_rows < 1) Fail(ErrorKind::kParameter, "batch_rows is ", task.batch_rows, "; expected at least 1.");
  std::vector<bool> seen(ToSize(task.rows.n_cols), false);
  for (auto const& columns : task.players) {
    for (auto const column : columns) {
      if (column < 0 || column >= task.rows.n_cols || seen[ToSize(column)]) {
        Fail(ErrorKind::kParameter, "players name column ", column,
             column < 0 || column >= task.rows.n_cols ? ", which is not there" : " twice", "; there are ",
             task.rows.n_cols, ", each for one player at most.");
      }
      seen[ToSize(column)] = true;
    }
  }
}

}  // namespace

ShapleyMethod ExplainRows(Context const& ctx, RowFunction* function, ExplainRowsTask const& task,
                          ShapleyOptions const& options, RowValues const& out) {
  CheckTask(task);
  auto const n_players = static_cast<std::int64_t>(task.players.size());
  PlanOf(options, static_cast<std::int32_t>(n_players));  // before the function is called
  BatchedFunction batched(function, task.rows.n_cols, task.batch_rows);
  auto const n_outputs = function->NumOutputs();
  ShapleyEstimator const estimator(ctx, options);
  std::size_t most_players = 0;
  std::fill_n(out.values, task.rows.n_rows * n_players * n_outputs, 0.0);
  std::fill_n(out.errors, task.rows.n_rows * n_players * n_outputs, 0.0);
  Players const nobody;
  HybridGame background(&batched, task.background, task.background.values, nobody);
  background.Evaluate(1, {}, {out.base, n_outputs});
  for (std::int64_t row = 0; row < task.rows.n_rows; ++row) {
    Players players;
    std::vector<std::int64_t> numbers;
    for (std::int64_t player = 0; player < n_players; ++player) {
      if (IsConstant(task.players[ToSize(player)], task.rows.Row(row), task.background)) continue;
      players.push_back(task.players[ToSize(player)]);
      numbers.push_back(player);
    }
    HybridGame game(&batched, task.background, task.rows.Row(row), players);
    auto const estimate = estimator.Estimate(&game);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      auto const to = (row * n_players + numbers[i]) * n_outputs;
      std::copy_n(estimate.values.data() + i * ToSize(n_outputs), n_outputs, out.values + to);
      std::copy_n(estimate.errors.data() + i * ToSize(n_outputs), n_outputs, out.errors + to);
    }
    out.n_evals[row] = static_cast<std::uint64_t>(estimate.n_evals);
    most_players = std::max(most_players, players.size());
  }
  return PlanOf(options, static_cast<std::int32_t>(most_players)).method;
}

}  // namespace kauri
