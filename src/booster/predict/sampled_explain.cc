#include "booster/predict/sampled_explain.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "booster/config/metrics.h"
#include "booster/model/model_fit.h"
#include "common/memory_size.h"
#include "common/text/quoted.h"
#include "common/threads/parallel_for.h"
#include "data/categories/category_view.h"
#include "data/meta_info.h"
#include "kauri/context.h"
#include "kauri/error.h"
#include "kauri/objective.h"
#include "metric/row_losses.h"
#include "predictor/forest/walk.h"
#include "predictor/hybrid/hybrid_trees.h"
#include "shapley/game.h"

namespace kauri {
namespace {

std::vector<std::int32_t> KeysOf(Forest const& forest, DataView const& rows, std::int64_t begin, std::int64_t end) {
  std::vector<std::int32_t> keys(SizeInMemory((end - begin) * forest.NumSlots()));
  ReadKeys(forest, rows, begin, end, 1, keys.data());
  return keys;
}

/// Returns the player of each slot; -1: none. \throws Error(kParameter) for unknown or duplicate features.
std::vector<std::int32_t> PlayerOfSlot(std::vector<std::vector<std::int64_t>> const& players, Forest const& forest,
                                       std::int64_t n_features) {
  std::vector<std::int32_t> player_of(ToSize(n_features), -1);
  for (std::size_t player = 0; player < players.size(); ++player) {
    for (auto const feature : players[player]) {
      if (feature < 0 || feature >= n_features || player_of[ToSize(feature)] >= 0) {
        Fail(ErrorKind::kParameter, "players name feature ", feature,
             feature < 0 || feature >= n_features ? ", which is not there" : " twice", "; there are ", n_features,
             ", each for one player at most.");
      }
      player_of[ToSize(feature)] = static_cast<std::int32_t>(player);
    }
  }
  std::vector<std::int32_t> of_slot;
  for (auto const feature : forest.feature_of_slot) of_slot.push_back(player_of[feature]);
  return of_slot;
}

std::optional<RowLoss> LossOf(Components const& parts, SampledTask const& task, SampledOptions const& options,
                              std::int64_t n_outputs) {
  std::optional<RowLoss> loss;
  if (options.output != ExplainedOutput::kLoss) return loss;
  auto const metric = MakeMetric(parts.objective->DefaultMetric(), parts.effective);
  loss.emplace(*metric, task.info, n_outputs);
  return loss;
}

SampledValues EmptyValues(std::int64_t n_rows, std::int64_t n_outputs, std::int64_t n_players, ShapleyMethod method) {
  SampledValues values;
  values.n_outputs = n_outputs;
  values.n_players = n_players;
  values.method = method;
  values.n_evals.assign(ToSize(n_rows), 0);
  values.values.assign(SizeInMemory(n_rows * n_outputs * (n_players + 1)), 0.0);
  values.errors.assign(values.values.size(), 0.0);
  return values;
}

std::vector<std::vector<std::int64_t>> EachAlone(std::int64_t n_features) {
  std::vector<std::vector<std::int64_t>> players;
  for (std::int64_t feature = 0; feature < n_features; ++feature) players.push_back({feature});
  return players;
}

void CheckSampledTask(ReadyModel const& ready, SampledTask const& task, SampledOptions const& options) {
  auto const& model = ready.GetModel();
  if (model.IsLinear()) {
    Fail(ErrorKind::kParameter, "sampled explanations are of trees, and the model is linear (gblinear); explain its ",
         "predictions with explain_function.");
  }
  ready.CheckColumns(task.columns.With(task.rows), task.rows.NumCols());
  ready.CheckColumns(task.background_columns.With(task.background), task.background.NumCols(),
                     {"the background", "has"});
  CheckExplicable(model);
  if (model.n_features > kMostPlayers) {
    Fail(ErrorKind::kModel, "the model has ", model.n_features, " features; sampled explanations support at most ",
         kMostPlayers, ".");
  }
  CheckBaseMargin(task.info.base_margin, task.rows.NumRows(), model.NumOutputs());
  if (task.background.NumRows() == 0) {
    Fail(ErrorKind::kData, "the background has 0 rows; pass at least one to compare with.");
  }
  auto const& objective = *ready.Parts()->objective;
  if (options.output == ExplainedOutput::kValue && objective.ValueWidth(model.NumOutputs()) != model.NumOutputs()) {
    Fail(ErrorKind::kParameter, "output=value of objective=", objective.Name(),
         " is a class label, which is not a sum of contributions; use output=margin or output=loss.");
  }
  if (options.output == ExplainedOutput::kLoss && task.info.labels.empty()) {
    Fail(ErrorKind::kData, "output=loss needs the labels of the rows, which have none; set them.");
  }
}

/// Inputs shared by all rows of a call; not owning.
struct HybridScene {
  Context const& ctx;
  HybridTask trees;
  std::vector<std::int32_t> background;  ///< keys, [n_background, n_slots]
  std::int64_t n_background;
  Objective const* objective;  ///< null: margins are explained
  RowLoss const* loss;         ///< null: losses are not explained

  std::int64_t NumMargins() const { return trees.forest.n_outputs; }
  std::int64_t NumOutputs() const { return loss != nullptr ? 1 : NumMargins(); }
};

/// The cooperative game of a model and a row: hybrid rows with a background, their margins, and the outputs computed
/// from the margins.
class HybridGame : public Game {
 public:
  /// player_of_slot: player of this game that owns each slot. start: [n_margins].
  HybridGame(HybridScene const& scene, std::int64_t row, std::vector<std::int32_t> const& keys,
             std::vector<std::int32_t> const& player_of_slot, std::int32_t n_players, std::vector<float> start);

  std::int32_t NumPlayers() const override { return trees_.n_players; }
  std::int64_t NumOutputs() const override { return scene_.NumOutputs(); }
  void Evaluate(std::int64_t n, Span<std::uint8_t const> masks, Span<double> worth) override;
  bool HasOrders() const override { return true; }
  void EvaluateOrders(std::int64_t n, Span<std::uint32_t const> orders, Span<double> worth) override;

 private:
  /// Averages the outputs of n hybrid rows over the background. sum_all(trees, sums): writes the fixed-point sums of n
  /// hybrid rows, [n, n_margins], of x and one background row. worth (out): [n, n_outputs].
  template <typename SumAll>
  void MeanOverBackground(std::int64_t n, Span<double> worth, SumAll&& sum_all) const;
  /// Adds the outputs of n hybrid rows to sums: [n, n_outputs].
  void AddOutputs(std::int64_t n, std::vector<std::int64_t> const& fixed, double* sums) const;

  HybridScene const& scene_;
  std::int64_t row_;
  std::vector<std::int32_t> const& keys_;
  HybridTask trees_;
  std::vector<float> start_;
};

HybridGame::HybridGame(HybridScene const& scene, std::int64_t row, std::vector<std::int32_t> const& keys,
                       std::vector<std::int32_t> const& player_of_slot, std::int32_t n_players,
                       std::vector<float> start)
    : scene_(scene),
      row_(row),
      keys_(keys),
      trees_{scene.trees.forest, scene.trees.own, scene.trees.leaves, player_of_slot, n_players},
      start_(std::move(start)) {}

void HybridGame::AddOutputs(std::int64_t n, std::vector<std::int64_t> const& fixed, double* sums) const {
  Context const alone;  // other threads work on other background rows
  auto const n_margins = scene_.NumMargins();
  std::vector<float> values(SizeInMemory(n * n_margins));
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto const output = static_cast<std::int64_t>(i) % n_margins;
    auto const start = static_cast<double>(start_[ToSize(output)]);
    values[i] = static_cast<float>(start + trees_.leaves.ValueOf(fixed[i], output));
  }
  if (scene_.objective != nullptr) scene_.objective->TransformMargins(alone, values, n_margins);
  for (std::int64_t i = 0; i < n; ++i) {
    auto const* of_row = values.data() + i * n_margins;
    if (scene_.loss != nullptr) {
      sums[i] += scene_.loss->Of(row_, of_row);
      continue;
    }
    for (std::int64_t output = 0; output < n_margins; ++output) {
      sums[i * n_margins + output] += static_cast<double>(of_row[output]);
    }
  }
}

template <typename SumAll>
void HybridGame::MeanOverBackground(std::int64_t n, Span<double> worth, SumAll&& sum_all) const {
  constexpr std::int64_t kBlock = 8;  // background rows in a block; sums are added in the order of blocks
  constexpr std::int64_t kWave = 32;  // blocks held in memory at a time
  auto const size = n * NumOutputs();
  auto const n_slots = trees_.forest.NumSlots();
  std::fill(worth.begin(), worth.begin() + size, 0.0);
  for (std::int64_t first = 0; first < scene_.n_background; first += kWave * kBlock) {
    auto const n_rows = std::min(kWave * kBlock, scene_.n_background - first);
    std::vector<double> sums(SizeInMemory(NumBlocks(n_rows, kBlock) * size), 0.0);
    ParallelForBlocks(scene_.ctx, n_rows, kBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t block) {
      HybridTrees trees(trees_);
      std::vector<std::int64_t> fixed(SizeInMemory(n * scene_.NumMargins()));
      for (auto i = begin; i < end; ++i) {
        trees.Compile(keys_.data(), scene_.background.data() + (first + i) * n_slots);
        sum_all(&trees, fixed);
        AddOutputs(n, fixed, sums.data() + block * size);
      }
    });
    for (std::size_t i = 0; i < sums.size(); ++i) worth[static_cast<std::int64_t>(i) % size] += sums[i];
  }
  for (std::int64_t i = 0; i < size; ++i) worth[i] /= static_cast<double>(scene_.n_background);
}

void HybridGame::Evaluate(std::int64_t n, Span<std::uint8_t const> masks, Span<double> worth) {
  auto const n_margins = scene_.NumMargins();
  MeanOverBackground(n, worth, [&](HybridTrees* trees, std::vector<std::int64_t>& fixed) {
    for (std::int64_t i = 0; i < n; ++i) {
      trees->SumMask(masks.data() + i * NumPlayers(), {fixed.data() + i * n_margins, n_margins});
    }
  });
}

void HybridGame::EvaluateOrders(std::int64_t n, Span<std::uint32_t const> orders, Span<double> worth) {
  auto const d = std::int64_t{NumPlayers()};
  auto const width = (d + 1) * scene_.NumMargins();
  std::vector<std::uint32_t> ranks(SizeInMemory(n * d));
  for (std::int64_t i = 0; i < n * d; ++i) ranks[ToSize(i / d * d + orders[i])] = static_cast<std::uint32_t>(i % d);
  MeanOverBackground(n * (d + 1), worth, [&](HybridTrees* trees, std::vector<std::int64_t>& fixed) {
    for (std::int64_t i = 0; i < n; ++i) {
      trees->SumOrder(ranks.data() + i * d, {fixed.data() + i * width, width});
    }
  });
}

/// Explains rows, each by its own game, and writes the values to the result.
class SampledRows {
 public:
  SampledRows(HybridScene const& scene, SampledTask const& task, DataView const& rows, std::vector<float> start)
      : scene_(scene), task_(task), rows_(rows), start_(std::move(start)) {}

  void Explain(ShapleyEstimator const& estimator, std::int64_t row, SampledValues* result) const {
    auto const keys = KeysOf(scene_.trees.forest, rows_, row, row + 1);
    auto const numbers = PlayersAtWork(keys);  // -1, or the number within the game
    auto const n_playing = *std::max_element(numbers.begin(), numbers.end()) + 1;
    std::vector<std::int32_t> player_of_slot;
    for (auto const player : scene_.trees.player_of_slot) {
      player_of_slot.push_back(player < 0 ? -1 : numbers[ToSize(player + 1)]);
    }
    HybridGame game(scene_, row, keys, player_of_slot, n_playing, StartOf(row));
    Write(estimator.Estimate(&game), row, numbers, result);
  }

 private:
  /// Numbers the players whose features differ from some background row. Returns [n_players + 1] with player p at p +
  /// 1; -1: the player does not take part.
  std::vector<std::int32_t> PlayersAtWork(std::vector<std::int32_t> const& keys) const {
    std::vector<std::int32_t> numbers(ToSize(scene_.trees.n_players + 1), -1);
    for (std::size_t slot = 0; slot < keys.size(); ++slot) {
      auto const player = scene_.trees.player_of_slot[slot];
      for (auto other = slot; player >= 0 && other < scene_.background.size(); other += keys.size()) {
        if (scene_.background[other] == keys[slot]) continue;
        numbers[ToSize(player + 1)] = 0;
        break;
      }
    }
    std::int32_t count = 0;
    for (auto& number : numbers) number = number < 0 ? -1 : count++;
    return numbers;
  }

  std::vector<float> StartOf(std::int64_t row) const {
    auto const& given = task_.info.base_margin;
    if (given.empty()) return start_;
    auto const from = given.begin() + row * scene_.NumMargins();
    return {from, from + scene_.NumMargins()};
  }

  void Write(ShapleyEstimate const& estimate, std::int64_t row, std::vector<std::int32_t> const& numbers,
             SampledValues* result) const {
    auto const n_outputs = result->n_outputs;
    auto const width = result->n_players + 1;
    for (std::int64_t output = 0; output < n_outputs; ++output) {
      auto const first = (row * n_outputs + output) * width;
      for (std::int64_t player = 0; player < result->n_players; ++player) {
        auto const number = numbers[ToSize(player + 1)];
        if (number < 0) continue;
        result->values[ToSize(first + player)] = estimate.values[ToSize(number * n_outputs + output)];
        result->errors[ToSize(first + player)] = estimate.errors[ToSize(number * n_outputs + output)];
      }
      result->values[ToSize(first + width - 1)] = estimate.nobody[ToSize(output)];
    }
    result->n_evals[ToSize(row)] = estimate.n_evals;
  }

  HybridScene const& scene_;
  SampledTask const& task_;
  DataView const& rows_;
  std::vector<float> start_;
};

/// Explains all rows. Threads take one row each if there are enough rows, else they share the background; results have
/// the same bits either way.
void ExplainAll(Context const& ctx, SampledRows const& rows, ShapleyEstimator const& estimator, SampledValues* result) {
  auto const n_rows = static_cast<std::int64_t>(result->n_evals.size());
  if (n_rows >= ctx.threads) {
    ParallelFor(ctx, n_rows, [&](std::int64_t row) { rows.Explain(estimator, row, result); });
    return;
  }
  for (std::int64_t row = 0; row < n_rows; ++row) rows.Explain(estimator, row, result);
}

}  // namespace

ExplainedOutput ExplainedOutputNamed(std::string const& name) {
  if (name == "margin") return ExplainedOutput::kMargin;
  if (name == "value") return ExplainedOutput::kValue;
  if (name == "loss") return ExplainedOutput::kLoss;
  Fail(ErrorKind::kParameter, "output is ", Quoted(name), "; expected margin, value or loss.");
}

SampledValues ExplainSampled(ReadyModel const& ready, SampledTask const& task, SampledOptions const& options) {
  auto const& parts = *ready.Parts();
  auto const& model = ready.GetModel();
  CheckSampledTask(ready, task, options);
  auto const n_rows = task.rows.NumRows();
  auto const& players = options.players.empty() ? EachAlone(model.n_features) : options.players;
  auto const n_players = static_cast<std::int32_t>(players.size());
  auto const method = ShapleyPlanOf(options.shapley, n_players).method;
  auto const forest = CompileForest(parts.ctx, model, model.TreesOf(options.iterations));
  TreeRange const own{0, forest.NumTrees()};
  FixedLeaves const leaves(forest, own);
  auto const player_of_slot = PlayerOfSlot(players, forest, model.n_features);
  auto const loss = LossOf(parts, task, options, model.NumOutputs());
  auto const transforms =
      loss.has_value() ? !parts.objective->EvaluatesMargins() : options.output == ExplainedOutput::kValue;
  ModelRows const rows(model, task.rows);
  ModelRows const background(model, task.background);
  HybridScene const scene{parts.ctx,
                          {forest, own, leaves, player_of_slot, n_players},
                          KeysOf(forest, background.View(), 0, task.background.NumRows()),
                          task.background.NumRows(),
                          transforms ? parts.objective.get() : nullptr,
                          loss.has_value() ? &*loss : nullptr};
  auto result = EmptyValues(n_rows, scene.NumOutputs(), n_players, method);
  ShapleyEstimator const estimator(parts.ctx, options.shapley);
  ExplainAll(parts.ctx, SampledRows(scene, task, rows.View(), StartMargins(parts, model)), estimator, &result);
  return result;
}

}  // namespace kauri
