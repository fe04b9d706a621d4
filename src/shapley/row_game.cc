#include "shapley/row_game.h"

#include <algorithm>
#include <cmath>

#include "common/memory_size.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// Calls the function in batches and checks its results.
class BatchedFunction {
 public:
  BatchedFunction(RowFunction* function, std::int64_t n_cols, std::int64_t batch_rows)
      : function_(*function), n_cols_(n_cols), batch_rows_(batch_rows) {}

  std::int64_t NumOutputs() const { return function_.NumOutputs(); }
  std::int64_t BatchRows() const { return batch_rows_; }

  /// Calls fill(row, values) to write row 0 .. n_rows - 1, and take(row, outputs) with the function's results, in
  /// order.
  template <typename Fill, typename Take>
  void ForRows(std::int64_t n_rows, Fill&& fill, Take&& take) {
    for (std::int64_t begin = 0; begin < n_rows; begin += batch_rows_) {
      auto const n = std::min(batch_rows_, n_rows - begin);
      rows_.resize(SizeInMemory(n * n_cols_));
      outputs_.assign(SizeInMemory(n * NumOutputs()), 0.0);
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

bool AreSame(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// The differences between a row and the background.
class Differences {
 public:
  Differences(double const* row, RowTable const& background, Players const& players)
      : n_rows_(background.n_rows), differs_(SizeInMemory(n_rows_ * static_cast<std::int64_t>(players.size())), 0) {
    for (std::size_t player = 0; player < players.size(); ++player) {
      for (auto const column : players[player]) {
        for (std::int64_t other = 0; other < n_rows_; ++other) {
          if (!AreSame(row[column], background.Row(other)[column]))
            differs_[player * ToSize(n_rows_) + ToSize(other)] = 1;
        }
      }
    }
  }

  /// Returns whether a player's columns differ from a row of the background.
  bool At(std::size_t player, std::int64_t other) const {
    return differs_[player * ToSize(n_rows_) + ToSize(other)] != 0;
  }
  /// Returns whether a player's columns differ from any row of the background.
  bool InAny(std::size_t player) const {
    auto const first = differs_.begin() + static_cast<std::int64_t>(player) * n_rows_;
    return std::find(first, first + n_rows_, 1) != first + n_rows_;
  }

 private:
  std::int64_t n_rows_;
  std::vector<std::uint8_t> differs_;  ///< [n_players, n_rows]
};

/// The game of one row. A hybrid row that equals the one of the previous coalition is not evaluated again: where a row
/// shares values with the background, as columns of 0 and 1 do, most are equal.
class BackgroundGame : public Game {
 public:
  BackgroundGame(BatchedFunction* function, RowTable const& background, double const* row, Players const& players)
      : function_(*function),
        background_(background),
        row_(row),
        players_(players),
        differences_(row, background, players) {}

  std::int32_t NumPlayers() const override { return static_cast<std::int32_t>(players_.size()); }
  std::int64_t NumOutputs() const override { return function_.NumOutputs(); }

  void Evaluate(std::int64_t n, Span<std::uint8_t const> masks, Span<double> worth) override {
    auto const at_once = std::max<std::int64_t>(1, function_.BatchRows() / background_.n_rows);
    for (std::int64_t begin = 0; begin < n; begin += at_once) {
      auto const count = std::min(at_once, n - begin);
      EvaluateSome(count, masks.data() + begin * NumPlayers(), worth.data() + begin * NumOutputs());
    }
  }

 private:
  struct Hybrid {
    std::uint8_t const* mask;
    std::int64_t other;  ///< a row of the background
  };

  void EvaluateSome(std::int64_t n, std::uint8_t const* masks, double* worth) {
    auto const n_rows = background_.n_rows;
    auto const n_outputs = NumOutputs();
    std::vector<Hybrid> asked;
    std::vector<std::size_t> source(SizeInMemory(n * n_rows));  // index among the new hybrid rows
    for (std::int64_t i = 0; i < n; ++i) {
      auto const* mask = masks + i * NumPlayers();
      auto const changed = i == 0 ? std::vector<std::size_t>() : Changed(mask - NumPlayers(), mask);
      for (std::int64_t other = 0; other < n_rows; ++other) {
        auto const differs = [&](std::size_t player) { return differences_.At(player, other); };
        auto const is_new = i == 0 || std::any_of(changed.begin(), changed.end(), differs);
        source[ToSize(i * n_rows + other)] = is_new ? asked.size() : source[ToSize((i - 1) * n_rows + other)];
        if (is_new) asked.push_back({mask, other});
      }
    }
    std::vector<double> found(asked.size() * ToSize(n_outputs));
    function_.ForRows(
        static_cast<std::int64_t>(asked.size()),
        [&](std::int64_t number, double* values) { FillHybrid(asked[ToSize(number)], values); },
        [&](std::int64_t number, double const* of_row) {
          std::copy_n(of_row, n_outputs, found.data() + number * n_outputs);
        });
    for (std::int64_t i = 0; i < n * n_outputs; ++i) {
      auto sum = 0.0;
      for (std::int64_t other = 0; other < n_rows; ++other) {
        auto const number = source[ToSize(i / n_outputs * n_rows + other)];
        sum += found[number * ToSize(n_outputs) + ToSize(i % n_outputs)];
      }
      worth[i] = sum / static_cast<double>(n_rows);
    }
  }

  std::vector<std::size_t> Changed(std::uint8_t const* before, std::uint8_t const* mask) const {
    std::vector<std::size_t> changed;
    for (std::size_t player = 0; player < players_.size(); ++player) {
      if (before[player] != mask[player]) changed.push_back(player);
    }
    return changed;
  }

  void FillHybrid(Hybrid const& hybrid, double* values) const {
    std::copy_n(background_.Row(hybrid.other), background_.n_cols, values);
    for (std::size_t player = 0; player < players_.size(); ++player) {
      if (hybrid.mask[player] == 0) continue;
      for (auto const column : players_[player]) values[column] = row_[column];
    }
  }

  BatchedFunction& function_;
  RowTable const& background_;
  double const* row_;
  Players const& players_;
  Differences differences_;
};

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
  ShapleyPlanOf(options, static_cast<std::int32_t>(n_players));  // checks the options before the function is called
  BatchedFunction batched(function, task.rows.n_cols, task.batch_rows);
  auto const n_outputs = function->NumOutputs();
  ShapleyEstimator const estimator(ctx, options);
  std::size_t most_players = 0;
  std::fill_n(out.values, task.rows.n_rows * n_players * n_outputs, 0.0);
  std::fill_n(out.errors, task.rows.n_rows * n_players * n_outputs, 0.0);
  Players const nobody;
  BackgroundGame background(&batched, task.background, task.background.values, nobody);
  background.Evaluate(1, {}, {out.base, n_outputs});
  for (std::int64_t row = 0; row < task.rows.n_rows; ++row) {
    Players players;
    std::vector<std::int64_t> numbers;
    Differences const differences(task.rows.Row(row), task.background, task.players);
    for (std::int64_t player = 0; player < n_players; ++player) {
      if (!differences.InAny(ToSize(player))) continue;
      players.push_back(task.players[ToSize(player)]);
      numbers.push_back(player);
    }
    BackgroundGame game(&batched, task.background, task.rows.Row(row), players);
    auto const estimate = estimator.Estimate(&game);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      auto const to = (row * n_players + numbers[i]) * n_outputs;
      std::copy_n(estimate.values.data() + i * ToSize(n_outputs), n_outputs, out.values + to);
      std::copy_n(estimate.errors.data() + i * ToSize(n_outputs), n_outputs, out.errors + to);
    }
    out.n_evals[row] = static_cast<std::uint64_t>(estimate.n_evals);
    most_players = std::max(most_players, players.size());
  }
  return ShapleyPlanOf(options, static_cast<std::int32_t>(most_players)).method;
}

}  // namespace kauri
